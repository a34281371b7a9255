"""What arrays hold: the breakdown of whatever NumPy can look at. For adapters whose tensors can be seen as arrays.

Imported by adapters only: nanlint itself does not need NumPy.
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from nanlint.runtime.health import Health


def health_of_array(value: Any) -> Health:
    """The breakdown of anything that is an array to NumPy; what holds no numbers has no counts."""
    dtype, shape = str(getattr(value, "dtype", "")), tuple(getattr(value, "shape", ()))
    array = numbers_of(value)
    if array is None or array.size == 0:
        return Health(dtype=dtype, shape=shape)
    array = array.ravel()
    if array.dtype.kind == "c":
        array = _worse_part(array)
    if array.dtype.kind in "biu":
        return _health_of_finite(array, dtype, shape)
    finite = np.isfinite(array)
    if finite.all():
        return _health_of_finite(array, dtype, shape)
    found = _health_of_finite(array[finite], dtype, shape)
    nan, pinf, ninf = (int(np.count_nonzero(one(array))) for one in (np.isnan, np.isposinf, np.isneginf))
    return Health(
        ninf, found.neg, found.zero, found.pos, pinf, nan, found.low, found.high, found.near, dtype=dtype, shape=shape
    )


def _health_of_finite(array: Any, dtype: str, shape: tuple[int, ...]) -> Health:
    if array.size == 0:
        return Health(dtype=dtype, shape=shape)
    if array.dtype.kind == "b":
        array = array.astype(np.uint8)
    pos, nonzero = int(np.count_nonzero(array > 0)), int(np.count_nonzero(array))
    low, high = float(array.min()), float(array.max())
    near = low if low > 0 else -high if high < 0 else float(np.abs(array).min())
    neg, zero = nonzero - pos, array.size - nonzero
    return Health(neg=neg, zero=zero, pos=pos, low=low, high=high, near=near, dtype=dtype, shape=shape)


def numbers_of(value: Any) -> Any:
    """The numbers of an array of any kind in one that NumPy computes with; None if it holds none."""
    if is_masked(value):
        value = value.compressed()
    array = np.asarray(value)
    kind = array.dtype.kind
    if kind in "biufc":
        return array
    if kind == "O":
        numbers = [x for x in array.ravel().tolist() if isinstance(x, int | float | np.number)]
        return np.array(numbers, dtype=np.float64) if numbers else None
    if kind == "V" and array.dtype.names is None and array.dtype.name.startswith(("bfloat", "float", "int", "uint")):
        return array.astype(np.float32)  # of ml_dtypes, all of whose numbers float32 has
    return None


def is_masked(value: Any) -> bool:
    """Whether this is a masked array. There is none before the program imports their module, which we do not."""
    masked = sys.modules.get("numpy.ma")
    return (
        type(value) is not np.ndarray and masked is not None and isinstance(value, getattr(masked, "MaskedArray", ()))
    )


def _worse_part(array: Any) -> Any:
    """Of complex numbers the part in the worse class: nan, then inf, then a negative one, then the larger."""
    real, imag = array.real, array.imag
    badness = [np.where(np.isnan(x), 3, np.where(np.isinf(x), 2, np.where(x < 0, 1, 0))) for x in (real, imag)]
    larger = (badness[0] == badness[1]) & (np.abs(imag) > np.abs(real))
    return np.where((badness[1] > badness[0]) | larger, imag, real)
