"""What is asked of the frameworks: special numbers and ranges of them, and what an abstract value admits of both."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from importlib import import_module
from typing import Any

import numpy as np
import numpy.typing as npt

from nanlint.ops.floats import BFLOAT16, FLOAT16, FLOAT32, FLOAT64, Format
from nanlint.ops.spelling import Spelling
from nanlint.ops.value import NEVER, Kind, Value, constant, value
from tests.ops.calling import Array
from tests.ops.test_spellings import HISTORIC_NAMES, SPELLINGS

FORMATS = (FLOAT32, FLOAT64)

#: half precision, and the packages that compute in it
HALVES = {FLOAT16: ("torch", "tensorflow", "jax", "numpy"), BFLOAT16: ("torch", "tensorflow", "jax")}

#: XLA and TensorFlow's kernels take subnormal numbers for 0, and return 0 for them
FLUSHES_SUBNORMALS = frozenset({"tensorflow", "keras", "jax", "optax"})


def data_type(fmt: Format) -> Any:
    """The format as a dtype of NumPy."""
    return np.dtype(import_module("ml_dtypes").bfloat16 if fmt is BFLOAT16 else fmt.name)


def special(fmt: Format, *, subnormal: bool) -> list[float]:
    """Numbers at which floating point shows its edges, both signs; then the infinities and nan."""
    positive = [
        *([fmt.denormal, fmt.tiny - fmt.denormal] if subnormal else []),
        fmt.tiny,
        fmt.tiny * 2,
        math.sqrt(fmt.tiny),
        fmt.eps / 4,
        fmt.eps,
        0.1,
        0.5,
        1 - fmt.eps / 2,
        1.0,
        1 + fmt.eps,
        1.5,
        2.0,
        3.0,
        6.0,
        20.0,
        88.0,
        104.0,
        150.0,
        715.0,
        760.0,
        1 / fmt.eps,
        math.sqrt(fmt.max) * 2,
        fmt.max / 2,
        fmt.max,
    ]
    rounded = [fmt.round(x) for x in positive]
    return [0.0, -0.0, *rounded, *(-x for x in rounded), math.inf, -math.inf, math.nan]


def ranges(fmt: Format) -> list[Value]:
    """Abstract values that hold several of the special numbers."""
    finite = {"nan": NEVER, "pinf": NEVER, "ninf": NEVER}
    inf = math.inf
    like: dict[str, Any] = {"kind": Kind.TENSOR, "format": fmt}
    bounds: list[tuple[float, float, dict[str, Any]]] = [
        (-inf, inf, {}),
        (-inf, inf, {"nan": NEVER}),
        (-inf, inf, finite),
        (-inf, inf, {**finite, "zero": NEVER}),
        (0.0, inf, finite),
        (0.0, inf, {**finite, "zero": NEVER}),
        (-inf, 0.0, finite),
        (-inf, 0.0, {**finite, "zero": NEVER}),
        (0.0, inf, {"nan": NEVER}),
        (0.0, 1.0, finite),
        (0.0, 1.0, {**finite, "zero": NEVER, "high": NEVER}),
        (-1.0, 1.0, finite),
        (fmt.eps, 1.0, finite),
        (1.0, inf, finite),
        (-inf, -1.0, finite),
        (-6.0, 6.0, finite),
        (0.5, 2.0, finite),
        (fmt.tiny, 1.0, finite),
        (-100.0, 0.0, finite),
        (-100.0, 100.0, finite),
        (2.0, fmt.round(math.sqrt(fmt.max) * 4), finite),
    ]
    return [value(lo, hi, **like, **fields) for lo, hi, fields in bounds]


def inputs(fmt: Format, *, subnormal: bool) -> list[Value]:
    """Every abstract input that is tried: the ranges, and each special number by itself."""
    return [*ranges(fmt), *(point(x, fmt) for x in special(fmt, subnormal=subnormal))]


def point(x: float, fmt: Format) -> Value:
    """A tensor of one number."""
    return replace(constant(x), kind=Kind.TENSOR, format=fmt)


def admits(v: Value, r: Array, fmt: Format) -> npt.NDArray[np.bool_]:
    """Which of the numbers ``r`` the abstract value ``v`` allows, up to the rounding of a good library function."""
    r64 = r.astype(np.float64)
    with np.errstate(all="ignore"):
        slack = (512 if fmt.precision > 20 else 64) * fmt.eps * np.maximum(np.abs(r64), fmt.tiny)
        inside = (r64 >= v.lo - slack) & (r64 <= v.hi + slack)
        inside |= ((r64 == v.lo) & (v.lo == -math.inf)) | ((r64 == v.hi) & (v.hi == math.inf))
        allowed = np.where(np.isnan(r64), v.nan is not NEVER, inside)
        for never, seen in (
            (v.pinf, r64 == math.inf),
            (v.ninf, r64 == -math.inf),
            (v.zero, r64 == 0),
            (v.neg, (r64 < 0) & (r64 > -math.inf)),
            (v.pos, (r64 > 0) & (r64 < math.inf)),
        ):
            if never is NEVER:
                allowed &= ~seen
    result: npt.NDArray[np.bool_] = allowed
    return result


def holds(v: Value, x: Array) -> npt.NDArray[np.bool_]:
    """Which of the numbers ``x`` the abstract input ``v`` holds, exactly."""
    x64 = x.astype(np.float64)
    # 0 as an end stands for +0; -0 lies below it
    below = (x64 == 0) & np.signbit(x64) & (v.lo == 0)
    held = ~below & np.where(np.isnan(x64), v.nan is not NEVER and v.constant is None, (x64 >= v.lo) & (x64 <= v.hi))
    for never, seen in (
        (v.pinf, x64 == math.inf),
        (v.ninf, x64 == -math.inf),
        (v.zero, x64 == 0),
        (v.low, x64 == v.lo),
        (v.high, x64 == v.hi),
    ):
        if never is NEVER:
            held &= ~seen
    result: npt.NDArray[np.bool_] = held
    return result


def spellings_of(op: str, root: str) -> list[Spelling]:
    """The spellings of an op in a package, without those that only old versions have."""
    return by_op_and_root().get((op, root), [])


@cache
def by_op_and_root() -> Mapping[tuple[str, str], list[Spelling]]:
    """All that the installed versions have."""
    found: dict[tuple[str, str], list[Spelling]] = {}
    for s in SPELLINGS:
        if s.name not in HISTORIC_NAMES:
            found.setdefault((s.op, s.name.partition(".")[0]), []).append(s)
    return found
