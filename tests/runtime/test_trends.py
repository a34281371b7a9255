"""Histories of runs: drawn ones that grow, jump or do neither, of which it is known."""

from __future__ import annotations

import math
import random

import pytest

from nanlint.runtime.trends import first_bad, growth, jumps

SEEDS = range(20)


def losses(seed: int, count: int = 300, noise: float = 0.2, rate: float = 80.0) -> list[float]:
    """Losses of a training that goes well."""
    draw = random.Random(seed)
    return [(2 * math.exp(-t / rate) + 0.05) * math.exp(draw.gauss(0, noise)) for t in range(count)]


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("noise", [0.05, 0.3, 1.0])
def test_what_goes_well_does_not_grow(seed: int, noise: float) -> None:
    values = losses(seed, noise=noise)
    assert growth(values) is None
    assert first_bad(values) is None


@pytest.mark.parametrize("seed", SEEDS)
def test_growth_is_seen_with_its_beginning(seed: int) -> None:
    values = [v * math.exp(max(0, t - 200) / 8) for t, v in enumerate(losses(seed))]
    found = growth(values)
    assert found is not None
    assert found.last == len(values) - 1
    assert abs(found.first - 200) <= 20
    assert found.end > 1000 * found.start


@pytest.mark.parametrize("seed", SEEDS)
def test_jumps_are_seen_and_are_no_growth(seed: int) -> None:
    values = [v * (300 if t in (120, 240) else 1) for t, v in enumerate(losses(seed))]
    assert list(jumps(values)) == [120, 240]
    assert growth(values) is None


@pytest.mark.parametrize(
    "values",
    [[float(t) for t in range(1, 400)], [1e-3 * min(t / 100, 1) for t in range(300)], [0.0] * 50, [1.0], []],
    ids=["a count", "a warm-up that is over", "zeros", "one number", "nothing"],
)
def test_what_counts_or_stays_does_not_grow(values: list[float]) -> None:
    assert growth(values) is None
    assert not list(jumps(values))


def test_the_first_that_is_not_finite() -> None:
    assert first_bad([1.0, math.inf, math.nan]) == 1
    assert first_bad([]) is None
