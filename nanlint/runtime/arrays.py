"""What arrays hold: the breakdown of whatever NumPy can look at. For adapters whose tensors can be seen as arrays.

Imported by adapters only: nanlint itself does not need NumPy.
"""

from __future__ import annotations

import math
import sys
from abc import abstractmethod
from typing import Any

import numpy as np

from nanlint.runtime.adapter import Adapter
from nanlint.runtime.health import Elements, Health, Shape


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


def _health_of_finite(array: Any, dtype: str, shape: Shape) -> Health:
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


def first_of(value: Any, limit: int) -> list[float | complex]:
    """The first numbers of an array of any kind, row-major."""
    array = numbers_of(value)
    return [] if array is None else array.ravel()[:limit].tolist()


def ends_of(array: Any) -> tuple[float, float] | None:
    """Least and greatest of an array of real numbers that are all finite; None of another."""
    if array is None or array.dtype.kind not in "fiu" or array.size == 0 or is_masked(array):
        return None
    low, high = float(array.min()), float(array.max())
    return (low, high) if math.isfinite(low) and math.isfinite(high) else None


class ArrayAdapter(Adapter):
    """An adapter whose tensors can be seen as arrays."""

    @abstractmethod
    def array(self, value: Any) -> Any:
        """What a concrete tensor holds, for NumPy; None if it has no numbers here."""

    def health(self, value: Any) -> Health:
        return health_of_array(self.array(value))

    def glance(self, value: Any) -> tuple[float, float] | None:
        return ends_of(self.array(value))

    def numbers(self, value: Any, limit: int) -> Elements:
        return first_of(self.array(value), limit)


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
