"""What a TensorFlow tensor is and holds: eager ones of any dtype, variables, sparse and ragged values."""

from __future__ import annotations

from typing import Any

import msgspec
import numpy as np
import tensorflow as tf
from tensorflow.python.eager import record as _record
from tensorflow.python.framework import ops as _ops

from nanlint.runtime.arrays import health_of_array
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
        with _record.stop_recording(), tf.init_scope():
            if not value.is_initialized():
                return None
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
    return msgspec.structs.replace(health_of_array(found), dtype=dtype)


def is_finite(tensor: Any) -> bool:
    """Whether an eager float tensor holds no inf and no nan; raises no floating-point error of its own."""
    return bool(np.isfinite(tensor._numpy_internal()).all())


def first_nan(value: Any) -> tuple[int, ...] | None:
    """The place of the first nan of a concrete tensor."""
    array = array_of(value)
    if array is None or array.dtype.kind != "f":
        return None
    places = np.argwhere(np.isnan(array))
    return tuple(int(i) for i in places[0]) if len(places) else None
