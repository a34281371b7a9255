"""A program that is written in another way is judged as before: its bug is found, and what is good stays silent.

``python -m tests.rewriting.table -v`` prints how many variants of all programs are, and which are not.
"""

from __future__ import annotations

import math
import random
from itertools import islice

import pytest

from tests.programs.fixtures import PROGRAMS, Numbers, goes_wrong, outcome
from tests.recording import RUN
from tests.rewriting.code import rewritten
from tests.rewriting.rewritings import REWRITINGS
from tests.rewriting.table import judged
from tests.sampling import sample

#: share of all variants that are judged as the original, and of the few that a run draws
FLOOR, FLOOR_OF_A_SAMPLE = 0.99, 0.92
#: of the programs, a run judges the variants of one in so many of each rewriting
DRAWN = 80
#: programs to which a rewriting is applied, and of those to which it can be, how many are executed
TRIED, EXECUTED = 24, 8
NAMES = [name for name in REWRITINGS if not name.startswith("in ")]


@pytest.mark.timeout(1800)
def test_variants_are_judged_as_the_original() -> None:
    results = list(judged({name: sample(PROGRAMS, DRAWN, name) for name in REWRITINGS}))
    assert len(results) > 4 * len(REWRITINGS)
    assert not RUN.everything or {name for _, name, _ in results} == REWRITINGS.keys()
    for bad in (True, False):
        some = [one.kept for program, _, one in results if program.is_bad is bad]
        assert sum(some) >= (FLOOR if RUN.everything else FLOOR_OF_A_SAMPLE) * len(some)


@pytest.mark.parametrize("name", NAMES)
def test_a_rewriting_keeps_what_a_program_does(name: str) -> None:
    """A sample of variants runs in its framework, and returns what the original does.

    Of a program that returns other numbers each time it runs, it is asked whether they are finite.
    """
    programs = random.Random(name).sample(PROGRAMS, TRIED)
    variants = ((program, rewritten(program.text, REWRITINGS[name])) for program in programs)
    some = list(islice(((program, variant[0]) for program, variant in variants if variant is not None), EXECUTED))
    assert some
    for program, text in some:
        before, again = outcome(program.path, program.text), outcome(program.path, program.text + "# again\n")
        same = agree if agree(before, again) else equally_wrong
        assert same(outcome(program.path, text), before), text


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
