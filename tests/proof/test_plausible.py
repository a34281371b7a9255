"""The plausibility of inputs: a judgement, one line for each class."""

from __future__ import annotations

import pytest

from nanlint.proof.entering import Sort
from nanlint.proof.plausible import Plausibility, Row, of_all, ordinary, plausibility
from nanlint.proof.search import Found, better
from nanlint.proof.slice import Domain, Step


def source(sort: Sort, domain: Domain | None = None) -> Step:
    """A source of a slice."""
    return Step("source", {}, {}, None, "x", domain or Domain(), sort)


@pytest.mark.parametrize(
    ("row", "expected"),
    [
        ((0.0, 0.0), Plausibility.ORDINARY),
        ((1.0, 1.0), Plausibility.ORDINARY),
        ((0.0, 1.0), Plausibility.ORDINARY),
        ((-1.0, 0.25), Plausibility.ORDINARY),
        ((0.0, 200.0), Plausibility.SATURATING),
        ((20.0, -20.0), Plausibility.SATURATING),
        ((1000.0, 1000.0), Plausibility.SELDOM),
        ((0.573209, 1.0), Plausibility.SELDOM),
        ((1e20, 1e20), Plausibility.ABSURD),
        ((1e-30, 1.0), Plausibility.ABSURD),
    ],
)
def test_data_is_the_less_plausible_the_farther_it_is_from_one(row: Row, expected: Plausibility) -> None:
    assert plausibility(source(Sort.PARAMETER), row) is expected


def test_a_setting_at_zero_and_a_draw_at_its_end_are_seldom() -> None:
    assert plausibility(source(Sort.PARAMETER, Domain(scalar=True)), (0.0,)) is Plausibility.SELDOM
    assert plausibility(source(Sort.PARAMETER, Domain(scalar=True, counted=True)), (0.0,)) is Plausibility.ORDINARY
    uniform = source(Sort.DRAWN, Domain(0.0, 1.0))
    assert plausibility(uniform, (0.0,)) is Plausibility.SELDOM
    assert plausibility(uniform, (0.5,)) is Plausibility.ORDINARY


def test_a_default_is_what_it_is() -> None:
    assert plausibility(source(Sort.PARAMETER, Domain(number=1e-12)), (1e-12,)) is Plausibility.ORDINARY


def test_several_sources_are_as_plausible_as_the_least_of_them() -> None:
    data = source(Sort.PARAMETER)
    assert of_all([(data, (0.0,)), (data, (1e20,))]) is Plausibility.ABSURD
    assert of_all([]) is Plausibility.ORDINARY


def test_a_search_keeps_the_more_plausible_and_of_equals_the_first() -> None:
    first = Found({0: (1000.0,)}, 1, 0, (0.0,), None, Plausibility.SELDOM)
    second = Found({0: (2000.0,)}, 1, 0, (0.0,), None, Plausibility.SELDOM)
    plain = Found({0: (0.0,)}, 1, 0, (0.0,), None, Plausibility.ORDINARY)
    assert better(first, second) is first
    assert better(first, plain) is plain
    assert better(None, first) is first
    assert better(first, None) is first


def test_what_saturates_is_a_matter_of_course_only_where_training_drives_it() -> None:
    time, logit = source(Sort.PARAMETER), source(Sort.PARAMETER, Domain(driven=True))
    assert ordinary([(logit, (200.0,)), (time, (1.0,))])
    assert not ordinary([(logit, (200.0,)), (time, (200.0,))])
    assert not ordinary([(logit, (1000.0,))])
    assert ordinary([])
