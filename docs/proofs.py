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

A fix is proven by running it: a computation is written in each of the styles below, mended, and both are executed in
the framework, on the numbers where things break (±0, ±1, tiny and large ones) and on random ones, on arrays of equal
shapes, broadcast ones, scalars and empty ones, in float32, float64 and float16.

- *Safe* means: the same shape and dtype; every value and every gradient that was finite is the same to 32 steps of the
  dtype (or nearer to what float64 gives), and on the input that spoils the original all are finite.
- *Unsafe* means: the same, but for the change that the rule's page names; or that a division by 0, which gave an
  infinity, gives a number.
- What is mended is silent, and a second `--fix` changes nothing.

A cell says how many programs are proven, in how many styles.

{table}

The styles are {styles}. One that a library does not have (TensorFlow's tensors have no methods) is not counted. Where
a fix is not applied but shown, or not offered, because it could not be known to be right:

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
