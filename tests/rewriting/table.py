"""Prints how many variants are judged as the original, for each rewriting: ``python -m tests.rewriting.table``."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence

from tests.programs.fixtures import PROGRAMS, Program
from tests.rewriting.judging import Variant, original, variant
from tests.rewriting.rewritings import REWRITINGS, of


def judged(programs: Mapping[str, Sequence[Program]]) -> Iterator[tuple[Program, str, Variant]]:
    """How the variants that some rewritings make of some programs are judged, program by program."""
    chosen = {name: frozenset(some) for name, some in programs.items()}
    for program in PROGRAMS:
        names = [name for name in of(program) if program in chosen.get(name, ())]
        before = original(program) if names else []
        for name in names:
            made = variant(program, REWRITINGS[name], before)
            if made is not None:
                yield program, name, made


def table(results: Sequence[tuple[Program, str, Variant]]) -> str:
    """A Markdown table: variants of bad and of good programs, and how many are judged as the original."""
    lines = ["| rewriting | bad programs | kept | good programs | kept |", "| --- | ---: | ---: | ---: | ---: |"]
    for name in (*REWRITINGS, "all"):
        cells = []
        for bad in (True, False):
            some = [v for p, n, v in results if p.is_bad is bad and name in (n, "all")]
            kept = sum(v.kept for v in some)
            cells.append(f"{len(some)} | {100 * kept / len(some):.1f} %" if some else "0 | ")
        lines.append(f"| {name} | {' | '.join(cells)} |")
    return "\n".join(lines)


if __name__ == "__main__":
    results = list(judged(dict.fromkeys(REWRITINGS, PROGRAMS)))
    print(table(results))
    if "-v" in sys.argv:
        for program, name, one in results:
            for what, found in (("missing", one.missing), ("surplus", one.surplus)):
                for f in found:
                    where = f"{program.rule}/{program.path.name}"
                    print(f"{name}: {where}: {what} {f.code} {f.confidence} at {sorted(f.rows)}")
