"""What a TensorFlow tensor is and holds: eager ones of any dtype, variables, sparse and ragged values."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, cast

import msgspec
import numpy as np
import tensorflow as tf
from tensorflow.python.framework import ops as _ops

from nanlint.runtime.health import Health

#: a tensor with numbers
EagerTensor: Any = _ops.EagerTensor

Array = Any  # of NumPy; its own types say too little of ml_dtypes

_COMPOSITES = (tf.IndexedSlices, tf.SparseTensor, tf.RaggedTensor)
_SYMBOLS = (tf.Tensor, tf.Variable, *_COMPOSITES)


def is_tensor(value: Any) -> bool:
    """Whether this is a tensor or a variable of TensorFlow, dense or not, with numbers or symbolic."""
    return isinstance(value, _SYMBOLS)


def is_concrete(value: Any) -> bool:
    """Whether it has numbers, and they can be looked at without adding to a graph."""
    if isinstance(value, EagerTensor):
        return True
    if isinstance(value, _COMPOSITES):
        return isinstance(_held(value), EagerTensor)
    return isinstance(value, tf.Variable) and tf.executing_eagerly() and isinstance(value.handle, EagerTensor)


def _held(value: Any) -> Any:
    """The dense tensor of values that a sparse one holds."""
    return value.flat_values if isinstance(value, tf.RaggedTensor) else value.values


def array_of(value: Any) -> Array | None:
    """The numbers of a concrete tensor, not copied where that can be; None for strings, resources and variants."""
    if isinstance(value, _COMPOSITES):
        value = _held(value)
    if isinstance(value, tf.Variable):
        if not value.is_initialized():
            return None
        with tf.init_scope():
            value = value.read_value()
    if not isinstance(value, EagerTensor):  # a distributed variable's parts, a resource
        return None
    if value.dtype in (tf.string, tf.resource, tf.variant):
        return None
    if value.dtype.is_quantized:
        return np.asarray(value._numpy_internal()).view(value.dtype.as_numpy_dtype[0])
    return np.asarray(value._numpy_internal())


def health_of(value: Any) -> Health:
    """The breakdown of a concrete tensor."""
    found = array_of(value)
    dtype = str(getattr(value, "dtype", tf.variant).name)
    if found is None:
        return Health(dtype=dtype)
    return health_of_array(found, dtype)


def health_of_array(array: Array, dtype: str = "") -> Health:
    """The breakdown of an array; a complex element is in the class of its worse part."""
    shape = tuple(array.shape)
    dtype = dtype or str(array.dtype)
    if array.size == 0:
        return Health(dtype=dtype, shape=shape)
    flat = array.reshape(-1)
    if flat.dtype.kind == "c":
        return _health_of_complex(flat, dtype, shape)
    if flat.dtype.kind not in "biuf" or flat.dtype == np.float16:  # bfloat16, float8, int4 of ml_dtypes
        flat = flat.astype(np.float32)
    finite = flat[np.isfinite(flat)]
    nan = int(np.count_nonzero(np.isnan(flat)))
    pinf = int(np.count_nonzero(np.isposinf(flat))) if flat.dtype.kind == "f" else 0
    zero = int(np.count_nonzero(finite == 0))
    pos = int(np.count_nonzero(finite > 0))
    low = high = near = None
    if finite.size:
        low, high = float(finite.min()), float(finite.max())
        near = low if low > 0 else -high if high < 0 else 0.0 if zero else float(np.abs(finite).min())
    return Health(
        ninf=flat.size - finite.size - nan - pinf,
        neg=finite.size - zero - pos,
        zero=zero,
        pos=pos,
        pinf=pinf,
        nan=nan,
        dtype=dtype,
        shape=shape,
        low=low,
        high=high,
        near=near,
    )


def _health_of_complex(flat: Array, dtype: str, shape: tuple[int, ...]) -> Health:
    real, imag = flat.real, flat.imag
    nan = np.isnan(real) | np.isnan(imag)
    pinf = (np.isposinf(real) | np.isposinf(imag)) & ~nan
    ninf = (np.isneginf(real) | np.isneginf(imag)) & ~nan & ~pinf
    finite = ~(nan | pinf | ninf)
    zero = (real == 0) & (imag == 0)
    neg = finite & ((real < 0) | (imag < 0))
    classes = {"ninf": ninf, "neg": neg, "zero": zero, "pos": finite & ~zero & ~neg, "pinf": pinf, "nan": nan}
    counts = {cls: int(np.count_nonzero(flags)) for cls, flags in classes.items()}
    return msgspec.structs.replace(Health(dtype=dtype, shape=shape), **counts)


def numbers_of(value: Any, limit: int) -> Sequence[float | complex]:
    """The first elements of a concrete tensor, in row-major order."""
    found = array_of(value)
    if found is None:
        return ()
    first = found.reshape(-1)[:limit]
    if first.dtype.kind not in "biufc":
        first = first.astype(np.float32)
    return cast("list[float | complex]", first.tolist())


def glance_at(value: Any) -> tuple[float, float] | None:
    """Least and greatest element of a concrete float tensor whose elements are all finite."""
    array = array_of(value)
    if array is None or array.dtype.kind != "f" or array.size == 0:
        return None
    low, high = float(array.min()), float(array.max())
    return (low, high) if math.isfinite(low) and math.isfinite(high) else None


def is_finite(tensor: Any) -> bool:
    """Whether an eager float tensor on the host holds no inf and no nan, in one pass, without a copy.

    A product with itself is not finite either where a number is beyond the root of the greatest: then, it is counted.
    """
    array = tensor._numpy_internal()
    if array.dtype.kind == "f" and array.itemsize > 2:
        flat = array.ravel()
        if math.isfinite(np.dot(flat, flat)):
            return True
    return bool(np.isfinite(array).all())


def first_nan(value: Any) -> tuple[int, ...] | None:
    """The place of the first nan of a concrete tensor."""
    array = array_of(value)
    if array is None or array.dtype.kind != "f":
        return None
    places = np.argwhere(np.isnan(array))
    return tuple(int(i) for i in places[0]) if len(places) else None
