"""The breakdown of a tensor inside a graph, as a row of numbers; and what such a row says, outside."""

from __future__ import annotations

import threading
from typing import Any

import numpy as np
import tensorflow as tf

from nanlint.runtime.adapters.tensorflow.tensors import Array
from nanlint.runtime.health import CLASSES, Health

#: six counts; least and greatest finite number and the least magnitude, inf where there is none; executions
COUNTS = len(CLASSES)
WIDTH = COUNTS + 3

FLOATS = (tf.float16, tf.bfloat16, tf.float32, tf.float64)

_traced: dict[Any, Any] = {}
_lock = threading.Lock()


def is_float(tensor: Any) -> bool:
    """Whether a tensor of a graph can hold what is watched for."""
    return tensor.dtype in FLOATS


def sum_of(tensor: Any) -> Any:
    """A float32 or float64 that is not finite if an element is not; seldom, if the sum is too great, for nothing."""
    if tensor.dtype in (tf.float16, tf.bfloat16):
        tensor = tf.cast(tensor, tf.float32)
    return tf.reduce_sum(tf.reshape(tensor, [-1]), axis=0)


def row_of(tensor: Any) -> Any:
    """The row of a tensor in the graph that is being built: one call of a function that is traced once per dtype."""
    with _lock:
        traced = _traced.get(tensor.dtype)
        if traced is None:
            with tf.init_scope():
                signature = tf.TensorSpec(None, tensor.dtype)
                traced = tf.function(_row, autograph=False).get_concrete_function(signature)
            _traced[tensor.dtype] = traced
    row = traced._inference_function.call_flat(tensor)[0]
    row.set_shape([WIDTH])
    return row


def _row(tensor: Any) -> Any:
    flat = tf.reshape(tensor, [-1])
    if flat.dtype in (tf.float16, tf.bfloat16):
        flat = tf.cast(flat, tf.float32)
    infinite = tf.constant(np.inf, flat.dtype)
    nan = tf.math.is_nan(flat)
    finite = tf.math.is_finite(flat)
    flags = [
        tf.equal(flat, -infinite),
        tf.logical_and(finite, flat < 0),
        tf.equal(flat, 0),
        tf.logical_and(finite, flat > 0),
        tf.equal(flat, infinite),
        nan,
    ]
    counts = [tf.reduce_sum(tf.cast(flag, tf.float64)) for flag in flags]
    low = tf.reduce_min(tf.where(finite, flat, infinite))
    high = tf.reduce_max(tf.where(finite, flat, -infinite))
    near = tf.reduce_min(tf.where(finite, tf.abs(flat), infinite))
    return tf.stack([*counts, *(tf.cast(one, tf.float64) for one in (low, high, near))])


def health_of_row(row: Array, dtype: str, shape: tuple[int, ...]) -> Health:
    """What a row says of a tensor."""
    counts = {cls: int(count) for cls, count in zip(CLASSES, row[:COUNTS], strict=True)}
    extremes = (float(one) if np.isfinite(one) else None for one in row[COUNTS:])
    return Health(**counts, **dict(zip(("low", "high", "near"), extremes, strict=True)), dtype=dtype, shape=shape)  # type: ignore[arg-type]
