"""A program that is written in another way is judged as before: its bug is found, and what is good stays silent.

``python -m tests.rewriting.table -v`` prints how many variants of all programs are, and which are not.
"""

from __future__ import annotations

import math
import random
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

from tests.programs.fixtures import PROGRAMS, Numbers, Program, by_family, goes_wrong, run
from tests.rewriting.code import rewritten
from tests.rewriting.judging import original, variant
from tests.rewriting.rewritings import REWRITINGS, of
from tests.rewriting.table import judged

#: share of all variants, and of those of each rewriting, that are judged as the original
FLOOR = 0.95
#: the programs of which every run of the tests judges the variants, and those of which a quick one does
MANY, FEW = PROGRAMS[::5], PROGRAMS[::40]
#: programs to which a rewriting is applied, and of those to which it can be, how many are executed
TRIED, EXECUTED = 24, 8
NAMES = [name for name in REWRITINGS if not name.startswith("in ")]


def test_a_sample_of_variants_is_judged_as_the_original() -> None:
    found = [
        one
        for program in FEW
        for before in [original(program)]
        for rewrite in of(program).values()
        if (one := variant(program, rewrite, before)) is not None
    ]
    assert len(found) > 10 * len(FEW)
    assert sum(one.kept for one in found) >= FLOOR * len(found)


@pytest.mark.slow
@pytest.mark.timeout(1800)
def test_variants_are_judged_as_the_original() -> None:
    results = list(judged(MANY))
    assert {name for _, name, _ in results} == REWRITINGS.keys()
    for bad in (True, False):
        some = [one.kept for program, _, one in results if program.is_bad is bad]
        assert sum(some) >= FLOOR * len(some)


@dataclass(frozen=True)
class Executed:
    """A variant, what it did, and what its original did when it ran once and again."""

    text: str
    after: dict[str, Any]
    before: dict[str, Any]
    again: dict[str, Any]


@pytest.fixture(scope="module")
def executed(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[Executed]]:
    """Some variants of each rewriting, all of them and their originals run in one process for each framework."""
    directory = tmp_path_factory.mktemp("variants")
    made: dict[str, list[tuple[Program, Path, Path, str]]] = {}
    for name in NAMES:
        programs = random.Random(name).sample(PROGRAMS, TRIED)
        variants = ((program, rewritten(program.text, REWRITINGS[name])) for program in programs)
        for program, variant_of in islice(((p, v) for p, v in variants if v is not None), EXECUTED):
            after, again = (directory / name / part / program.rule / program.path.name for part in ("after", "again"))
            for path, text in ((after, variant_of[0]), (again, program.text)):
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text, encoding="utf-8")
            made.setdefault(name, []).append((program, after, again, variant_of[0]))
    paths = {
        path for ones in made.values() for program, after, again, _ in ones for path in (program.path, after, again)
    }
    lines = {path: line for some in by_family(sorted(paths)).values() for path, line in run("witness", some).items()}
    return {
        name: [Executed(text, lines[after], lines[program.path], lines[again]) for program, after, again, text in ones]
        for name, ones in made.items()
    }


@pytest.mark.slow
@pytest.mark.timeout(900)
@pytest.mark.parametrize("name", NAMES)
def test_a_rewriting_keeps_what_a_program_does(name: str, executed: dict[str, list[Executed]]) -> None:
    """A sample of variants runs in its framework, and returns what the original does.

    Of a program that returns other numbers each time it runs, it is asked whether they are finite.
    """
    assert executed[name]
    for one in executed[name]:
        if "missing" in one.before:
            continue
        assert "error" not in one.after, (one.text, one.after["error"])
        before = numbers(one.before["result"])
        same = agree if agree(before, numbers(one.again["result"])) else equally_wrong
        assert same(numbers(one.after["result"]), before), one.text


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
