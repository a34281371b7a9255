"""How many of the bug reports of ``programs/blind`` nanlint finds, which were written before it saw them.

    python benchmarks/blind.py [DRAW ...]

A draw is a text of programs, each under ``@@name``: what is in «a¦b» is a in the one that fails and b in the one that
is mended, and ``# BUG`` stands at the line that fails. A program counts as found where a finding is at most two rows
above that line, or one below.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterator

from measure import ROOT

import nanlint

BLIND = ROOT / "benchmarks" / "programs" / "blind"
CHOICE = re.compile(r"«(.*?)¦(.*?)»", re.DOTALL)
LEVELS = ("likely", "possible")


def pairs(draw: str) -> Iterator[tuple[str, str, str]]:
    """Each program of a draw: its name, as it fails, and mended."""
    for part in re.split(r"^@@", draw, flags=re.MULTILINE)[1:]:
        name, _, body = part.partition("\n")
        yield name, CHOICE.sub(r"\1", body), CHOICE.sub(r"\2", body)


def is_found(program: str, level: str) -> bool:
    """Whether there is a finding at the line that fails."""
    marked = next(row for row, line in enumerate(program.splitlines(), 1) if "# BUG" in line)
    return any(-2 <= one.span.row - marked <= 1 for one in nanlint.check_source(program, confidence=level))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("draws", nargs="*", metavar="DRAW")
    print("| draw | programs | found by default | with possible | mended ones with a default finding |")
    print("| --- | ---: | ---: | ---: | ---: |")
    for draw in parser.parse_args().draws or ["first", "second", "third"]:
        programs = list(pairs((BLIND / f"{draw}.txt").read_text("utf-8")))
        shown, all_ = (sum(is_found(bad, level) for _, bad, _ in programs) for level in LEVELS)
        noisy = [name for name, _, mended in programs if nanlint.check_source(mended)]
        print(f"| {draw} | {len(programs)} | {shown} | {all_} | {len(noisy)} {', '.join(noisy)} |")


if __name__ == "__main__":
    main()
