"""Guards that authors write are respected; what stands beside them without one is found."""

from __future__ import annotations

from collections import Counter

import pytest

from tests.guards.twins import Twins, all_twins

TWINS = all_twins()


@pytest.mark.parametrize("twins", TWINS, ids=lambda twins: twins.name)
def test_what_is_guarded_is_left_alone(twins: Twins, request: pytest.FixtureRequest) -> None:
    if twins.missed is not None:
        request.applymarker(pytest.mark.xfail(strict=True, reason=twins.missed))
    assert twins.respected, twins.guarded


@pytest.mark.parametrize("twins", TWINS, ids=lambda twins: twins.name)
def test_without_its_guard_it_is_found(twins: Twins) -> None:
    assert twins.needed, twins.unguarded


def test_each_kind_of_guard_has_several_spellings() -> None:
    spellings = Counter(twins.kind for twins in TWINS)
    assert len(spellings) >= 25
    assert min(spellings.values()) >= 3
    assert len({twins.name for twins in TWINS}) == len(TWINS)


def test_a_program_differs_from_its_twin() -> None:
    assert all(twins.guarded != twins.unguarded for twins in TWINS)
