"""Proves every fix and writes docs/proofs.md: from what is on record of the frameworks, or is executed.

python docs/proofs.py
"""

from __future__ import annotations

import os
import sys
import warnings
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from nanlint.rules import RULES  # noqa: E402
from tests.fixes.proving import Proven, proofs, prove, summary, table  # noqa: E402
from tests.fixes.styles import STYLES  # noqa: E402

PAGE = """<!-- Written by docs/proofs.py. -->

# Proofs

{summary}.

A fix is proven by running it. A computation is written in each of the styles below and fixed. Then the original and the
fixed code run in the framework: on special numbers (±0, ±1, tiny and large ones) and random ones, on arrays of equal
shapes, broadcast arrays, scalars and empty arrays, in float32, float64 and float16.

- A *safe* fix keeps shape and dtype. Every value and every gradient that was finite is equal to within 32 steps of the
  dtype (or closer to the float64 result), and for the input that breaks the original, all are finite.
- An *unsafe* fix does the same except for the change described on the rule's page, or it gives a number where a
  division by 0 gave an infinity.
- nanlint reports nothing in the fixed code, and a second `--fix` changes nothing.

A cell shows how many programs are proven, in how many styles.

{table}

The styles are {styles}. Styles that a library does not support (TensorFlow's tensors have no methods) are not counted.
In these styles, the fix is only shown, or there is no fix, because nanlint could not be sure that it is right:

{others}
"""


def not_applied(proven: list[Proven]) -> str:
    """A line for each rule and library whose fix applies in some styles only."""
    lines = []
    for code, library in sorted({(one.proof.code, one.proof.framework) for one in proven}):
        here = [one for one in proven if (one.proof.code, one.proof.framework) == (code, library)]
        applied = {style for one in here for style in one.styles}
        others = [style for style in STYLES if style not in applied and any(style in one.others for one in here)]
        if others:
            lines.append(f"- {RULES[code].name} in {library}: {', '.join(others)}")
    return "\n".join(lines)


def main() -> None:
    """Prove, and write."""
    os.environ |= {"TF_CPP_MIN_LOG_LEVEL": "3", "JAX_PLATFORMS": "cpu", "KERAS_BACKEND": "tensorflow"}
    warnings.simplefilter("ignore")
    proven = []
    for name, proof in proofs().items():
        print(name, flush=True)
        proven.append(prove(proof))
    page = PAGE.format(
        summary=summary(proven), table=table(proven), styles=", ".join(STYLES), others=not_applied(proven)
    )
    (ROOT / "docs" / "proofs.md").write_text(page, encoding="utf-8")


if __name__ == "__main__":
    main()
