"""What a name lets a reader expect of a number."""

from __future__ import annotations

import pytest

from nanlint.analysis.expected import Expected, expected
from nanlint.ops.value import INF


@pytest.mark.parametrize(
    ("name", "bounds"),
    [
        ("log_prob", Expected(-INF, 0.0)),
        ("per_token_logps", Expected(-INF, 0.0)),
        ("token_log_probs", Expected(-INF, 0.0)),
        ("counts", Expected(0.0, INF, whole=True)),
        ("num_samples", Expected(0.0, INF, whole=True)),
        ("row_idx", Expected(0.0, INF, whole=True)),
        ("std", Expected(0.0, INF)),
        ("grad_norm", Expected(0.0, INF)),
        ("padding_mask", Expected(0.0, 1.0)),
        ("class_probs", Expected(0.0, 1.0)),
    ],
)
def test_names_that_mean_a_thing_bound_it(name: str, bounds: Expected) -> None:
    assert expected(name) == bounds


@pytest.mark.parametrize("name", ["x", "logits", "log_std", "raw_scale", "prob_logits", "n", "", "catalog", "_"])
def test_others_say_nothing(name: str) -> None:
    assert expected(name) == Expected()
