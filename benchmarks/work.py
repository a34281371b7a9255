"""How much work a check is, in figures that are the same on every machine: nodes made, and functions lowered.

    python benchmarks/work.py

Counted over two packages that the tests are installed with, at the versions that ``tests/constraints.txt`` pins; of
another version nothing is counted, which is said. Exits with 1 where a figure is more than a tenth above what is
written down here: lower it where it fell, and raise it only with a reason.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import suppress
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from nanlint.frontend.functions import Functions
from nanlint.lint.known_rules import rule_names
from nanlint.lint.one_file import room_to_recurse
from nanlint.rules.diagnose import analysed
from nanlint.source.project import in_project
from nanlint.source.reading import read_source

#: package, version, directory in it -> nodes made, functions lowered
EXPECTED = {
    ("optax", "0.2.8", ""): (60_100, 3_937),
    ("torch", "2.13.0", "distributions"): (17_355, 1_025),
}
ALLOWED = 0.1  # growth


def directory(package: str, pinned: str, part: str) -> Path | None:
    """Where the files of a package are, if it is there in the version that is pinned; it is not imported."""
    with suppress(PackageNotFoundError):
        if version(package).partition("+")[0] == pinned and (spec := find_spec(package)) is not None:
            return Path(str(spec.origin)).parent / part
    return None


def counted(files: Iterator[Path]) -> tuple[int, int]:
    """The nodes that are made for some files, and the functions that are lowered, each as often as it is."""
    nodes = functions = 0
    run = Functions.run_function

    def counting(*given: Any) -> Any:
        nonlocal functions
        functions += 1
        return run(*given)

    Functions.run_function = counting  # type: ignore[method-assign]
    try:
        with room_to_recurse():
            for file in files:
                facts = analysed(in_project(read_source(file.read_bytes(), str(file))), {})
                nodes += len(facts.lowering.graph.nodes)
                facts.release()
    finally:
        Functions.run_function = run  # type: ignore[method-assign]
    return nodes, functions


def main() -> None:
    """Count, print, and exit with 1 where something grew."""
    rule_names()
    grown = False
    for (package, pinned, part), expected in EXPECTED.items():
        place = directory(package, pinned, part)
        if place is None:
            print(f"{package} {pinned} is not installed")
            continue
        found = counted(iter(sorted(place.rglob("*.py"))))
        for what, now, then in zip(("nodes made", "functions lowered"), found, expected, strict=True):
            print(f"{package} {pinned} {part}: {now:,} {what}, {then:,} written down")
            grown = grown or now > then * (1 + ALLOWED)
    sys.exit(int(grown))


if __name__ == "__main__":
    main()
