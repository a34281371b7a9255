"""A program that is written in another way is judged as before: its bug is found, and what is good stays silent.

``python -m tests.rewriting.table -v`` prints how many variants are, for each rewriting, and which are not.
"""

from __future__ import annotations

import math
import random
from pathlib import Path

import pytest

from tests.programs.fixtures import PROGRAMS, Numbers, Program, by_family, goes_wrong, run
from tests.rewriting.code import rewritten
from tests.rewriting.judging import original, variant
from tests.rewriting.rewritings import REWRITINGS, of
from tests.rewriting.table import judged

#: share of all variants, and of those of each rewriting, that are judged as the original
FLOOR = 0.95
#: of the sample that every run of the tests looks at
SAMPLE = PROGRAMS[::40]


def test_a_sample_of_variants_is_judged_as_the_original() -> None:
    found = [
        one
        for program in SAMPLE
        for before in [original(program)]
        for rewrite in of(program).values()
        if (one := variant(program, rewrite, before)) is not None
    ]
    assert len(found) > 10 * len(SAMPLE)
    assert sum(one.kept for one in found) >= FLOOR * len(found)


@pytest.mark.slow
@pytest.mark.timeout(1800)
def test_variants_are_judged_as_the_original() -> None:
    results = list(judged(PROGRAMS))
    assert {name for _, name, _ in results} == REWRITINGS.keys()
    for bad in (True, False):
        some = [one.kept for program, _, one in results if program.is_bad is bad]
        assert sum(some) >= FLOOR * len(some)


@pytest.mark.slow
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("name", [name for name in REWRITINGS if not name.startswith("in ")])
def test_a_rewriting_keeps_what_a_program_does(name: str, tmp_path: Path) -> None:
    """A sample of variants runs in its framework, and returns what the original does.

    Of a program that returns other numbers each time it runs, it is asked whether they are finite.
    """
    programs = random.Random(name).sample(PROGRAMS, 24)
    paths: dict[Path, Program] = {}
    for program in programs:
        made = rewritten(program.text, REWRITINGS[name])
        if made is not None:
            path = tmp_path / program.rule / program.path.name
            path.parent.mkdir(exist_ok=True)
            path.write_text(made[0], encoding="utf-8")
            paths[path] = program
    assert paths
    for several in by_family(paths).values():
        again = {path: tmp_path / "again" / path.parent.name / path.name for path in several}
        for path, other in again.items():
            other.parent.mkdir(parents=True, exist_ok=True)
            other.write_text(paths[path].text, encoding="utf-8")
        lines = run("witness", [*several, *(paths[path].path for path in several), *again.values()])
        for path in several:
            after, before = lines[path], lines[paths[path].path]
            if "missing" in before:
                continue
            assert "error" not in after, (path.read_text(encoding="utf-8"), after["error"])
            one, other_time = numbers(before["result"]), numbers(lines[again[path]]["result"])
            same = agree if agree(one, other_time) else equally_wrong
            assert same(numbers(after["result"]), one), path.read_text(encoding="utf-8")


def numbers(result: object) -> Numbers:
    assert isinstance(result, dict)
    return {key: None if part is None else [float(n) for n in part] for key, part in result.items()}


def agree(one: Numbers, other: Numbers) -> bool:
    """Whether two outcomes are the same: numbers up to rounding, or errors of the same sort where rounding is it."""
    if "exact" in other:
        return equally_wrong(one, other)
    return one.keys() == other.keys() and all(alike(one[key], other[key]) for key in one)


def equally_wrong(one: Numbers, other: Numbers) -> bool:
    return goes_wrong(one) == goes_wrong(other)


def alike(one: list[float] | None, other: list[float] | None) -> bool:
    if one is None or other is None:
        return one is other
    return len(one) == len(other) and all(
        a == b or (math.isnan(a) and math.isnan(b)) or math.isclose(a, b, rel_tol=1e-4, abs_tol=1e-6)
        for a, b in zip(one, other, strict=True)
    )
