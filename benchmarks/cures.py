"""What fixes do to programs that fail: whom they cure, whom they harm. Everything applied, unsafe fixes too.

    python benchmarks/cures.py [WORD]... [--diff] [--safe]

Each program of ``programs/cures/FRAMEWORK`` has ``ordinary()``, whose numbers a fix has to keep, with the author's
guards and what callers write meanwhile among them, and ``witness()``, which is not finite before. A program is cured if
what the witness gives is finite, and no larger than training can go on from; harmed if anything else becomes worse: an
ordinary number, what was finite, a comment, a value or a gradient that is now beyond ``MOST``.
"""

from __future__ import annotations

import argparse
import difflib
import io
import sys
import tokenize
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

import numpy as np  # noqa: E402

import nanlint  # noqa: E402
from tests.fixes.running import returned  # noqa: E402

PROGRAMS = sorted((ROOT / "benchmarks/programs/cures").glob("*/*.py"))
LEVELS = ("likely", "possible")
#: what a value or a gradient may be in a program of this format for training to go on
MOST = {"float16": 1e3, "": 1e9}
#: what a bound that a fix names may move ordinary numbers by
RELATIVE, ABSOLUTE = 1e-3, 1e-5


@dataclass(frozen=True)
class Outcome:
    """What became of a program: ``verdict`` is cured, harmed, or as it was; ``why`` says how it is harmed."""

    verdict: str
    why: str = ""
    text: str = ""


def outcome(framework: str, before: str, level: str, *, unsafe: bool = True) -> Outcome:
    """What fixes of findings of a level make of a program."""
    after = nanlint.fix_source(before, unsafe_fixes=unsafe, confidence=level).source.text
    if after == before:
        return Outcome("as it was", text=after)
    lost = comments(before) - comments(after)
    old, new = (returned(framework, f"{text}\nmain = ordinary\n") for text in (before, after))
    was, now = (returned(framework, f"{text}\nmain = witness\n") for text in (before, after))
    why = f"lost {next(iter(lost))}" if lost else changed(old, new) or worse(was, now)
    cured = not finite(was) and finite(now)
    return Outcome("harmed" if why else "cured" if cured else "as it was", why, after)


def comments(text: str) -> Counter[str]:
    """The comments of a program."""
    tokens = tokenize.generate_tokens(io.StringIO(text).readline)
    return Counter(token.string for token in tokens if token.type == tokenize.COMMENT)


def changed(old: Sequence[Any], new: Sequence[Any]) -> str:
    """What is no longer what it was, in words."""
    if [kind for kind, _ in old] != [kind for kind, _ in new]:
        return f"{new[0][1]} instead of {old[0][1]}"
    for (_, was), (_, now) in zip(old, new, strict=True):
        if not isinstance(was, np.ndarray):
            if was != now:
                return f"{now} instead of {was}"
        elif (was.dtype, was.shape) != (now.dtype, now.shape):
            return f"{now.dtype} {now.shape} instead of {was.dtype} {was.shape}"
        elif not np.allclose(now, was, RELATIVE, ABSOLUTE, equal_nan=True):
            return f"{now} instead of {was}"
    return ""


def worse(old: Sequence[Any], new: Sequence[Any]) -> str:
    """What the witness gives that is worse than it was, in words."""
    if new and new[0][0] == "raised" and old[0][0] != "raised":
        return f"raises {new[0][1]}"
    half = any(isinstance(part, np.ndarray) and part.dtype == np.float16 for _, part in new)
    most = MOST["float16" if half else ""]
    for (_, was), (_, now) in zip(old, new, strict=True):
        if not isinstance(was, np.ndarray) or not isinstance(now, np.ndarray) or now.dtype.kind not in "fc":
            continue
        large = np.isfinite(now) & (np.abs(now) > most)
        if np.any(large & ~(np.isfinite(was) & np.isclose(now, was))):
            return f"{now} at the witness instead of {was}"
        if was.shape == now.shape and np.any(np.isfinite(was) & ~np.isfinite(now)):
            return f"{now} at the witness instead of {was}"
    return ""


def finite(parts: Sequence[Any]) -> bool:
    """Whether all that a program gives are numbers."""
    return all(kind != "raised" and (not isinstance(p, np.ndarray) or np.isfinite(p).all()) for kind, p in parts)


def main() -> None:
    """Print what becomes of each program, and how many of each there are."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("words", nargs="*", help="only programs with one of these in their path")
    parser.add_argument("--diff", action="store_true", help="show what was changed")
    parser.add_argument("--safe", action="store_true", help="only safe fixes")
    arguments = parser.parse_args()
    tally: Counter[tuple[str, str]] = Counter()
    for path in PROGRAMS:
        name = f"{path.parent.name}/{path.stem}"
        if arguments.words and not any(word in name for word in arguments.words):
            continue
        before, shown = path.read_text(), ""
        for level in LEVELS:
            found = outcome(path.parent.name, before, level, unsafe=not arguments.safe)
            tally[level, found.verdict] += 1
            print(f"{name:32} {level:9} {found.verdict:10}", " ".join(found.why.split())[:120], flush=True)
            if arguments.diff and found.text not in (before, shown):
                shown = found.text
                print(
                    "\n".join(list(difflib.unified_diff(before.split("\n"), shown.split("\n"), n=0, lineterm=""))[2:])
                )
    for (level, verdict), number in sorted(tally.items()):
        print(f"{level:9} {verdict:10} {number}")


if __name__ == "__main__":
    main()
