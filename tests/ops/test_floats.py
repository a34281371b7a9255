"""Limits and rounding of the floating-point formats agree with NumPy and ml_dtypes."""

from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nanlint.ops.floats import BFLOAT16, FLOAT16, FLOAT32, FLOAT64, FORMATS, Format

np = pytest.importorskip("numpy")
ml_dtypes = pytest.importorskip("ml_dtypes")

DTYPES: dict[str, Any] = {
    "float16": np.float16,
    "bfloat16": ml_dtypes.bfloat16,
    "float32": np.float32,
    "float64": np.float64,
}
EVERY_FORMAT = pytest.mark.parametrize("fmt", FORMATS.values(), ids=FORMATS.keys())


def numpy_rounds(fmt: Format, x: float) -> float:
    """``x`` in the format, by NumPy's own conversion (ml_dtypes' goes by way of float32, which may round twice)."""
    with np.errstate(all="ignore"):
        return float(np.asarray(x, np.float64).astype(DTYPES[fmt.name]))


def representable(fmt: Format, x: float) -> float:
    """``x`` as a number that the reference converts in one step."""
    return FLOAT32.round(x) if fmt is BFLOAT16 else x


def same(a: float, b: float) -> bool:
    return (math.isnan(a) and math.isnan(b)) or (a == b and math.copysign(1, a) == math.copysign(1, b))


@EVERY_FORMAT
def test_limits_are_those_of_finfo(fmt: Format) -> None:
    limits = ml_dtypes.finfo(DTYPES[fmt.name])
    assert fmt.eps == float(limits.eps)
    assert fmt.max == float(limits.max)
    assert fmt.tiny == float(limits.smallest_normal)
    assert fmt.denormal == float(limits.smallest_subnormal)


@EVERY_FORMAT
def test_exp_overflows_and_underflows_where_said(fmt: Format) -> None:
    assert fmt.round(math.exp(fmt.exp_overflow * (1 - 1e-12))) <= fmt.max
    assert fmt.exp_overflow * (1 + 1e-3) > 709.78 or fmt.round(math.exp(fmt.exp_overflow * (1 + 1e-3))) == math.inf
    assert fmt.round(math.exp(fmt.exp_underflow * (1 + 1e-3))) == 0
    assert fmt.round(math.exp(fmt.exp_underflow * (1 - 1e-3))) > 0


def test_the_numbers_that_everyone_knows() -> None:
    assert FLOAT32.eps == 2.0**-23
    assert FLOAT16.max == 65504
    assert round(FLOAT32.exp_overflow, 2) == 88.72
    assert round(FLOAT32.exp_underflow, 2) == -103.97
    assert round(FLOAT64.exp_underflow, 1) == -745.1


@pytest.mark.parametrize(
    ("fmt", "x", "rounded"),
    [
        (FLOAT16, 1e-8, 0.0),
        (FLOAT16, 6e-8, 2.0**-24),
        (FLOAT16, 65519.0, 65504.0),
        (FLOAT16, 65520.0, math.inf),
        (FLOAT32, 1 + 1e-10, 1.0),
        (FLOAT32, 1 - 1e-8, 1.0),
        (FLOAT32, 1e-46, 0.0),
        (FLOAT32, 1e39, math.inf),
        (FLOAT32, -1e39, -math.inf),
        (BFLOAT16, 1 + 2**-8, 1.0),
        (BFLOAT16, 1 + 3 * 2**-8, 1 + 2**-6),
        (FLOAT64, 1 + 1e-16, 1.0),
    ],
)
def test_numbers_round_to_nearest_even(fmt: Format, x: float, rounded: float) -> None:
    assert fmt.round(x) == rounded
    assert numpy_rounds(fmt, x) == rounded


@EVERY_FORMAT
@given(st.floats())
@settings(max_examples=500, deadline=None)
def test_any_number_rounds_as_numpy_does(fmt: Format, x: float) -> None:
    x = representable(fmt, x)
    assert same(fmt.round(x), numpy_rounds(fmt, x))


@EVERY_FORMAT
@given(st.floats(min_value=0.5, max_value=4), st.sampled_from(["denormal", "tiny", "eps", "max"]))
@settings(max_examples=300, deadline=None)
def test_numbers_near_the_limits_round_as_numpy_does(fmt: Format, factor: float, limit: str) -> None:
    x = representable(fmt, getattr(fmt, limit) * factor)
    assert same(fmt.round(x), numpy_rounds(fmt, x))
    assert same(fmt.round(-x), numpy_rounds(fmt, -x))
