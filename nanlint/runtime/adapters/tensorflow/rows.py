"""The breakdown of a tensor inside a graph, as a row of numbers; and what such a row says, outside."""

from __future__ import annotations

import functools
import math
import threading
from collections.abc import Iterator
from typing import Any

import numpy as np
import tensorflow as tf

from nanlint.runtime.adapter import Values
from nanlint.runtime.adapters.tensorflow.alarms import Inside, Kept
from nanlint.runtime.adapters.tensorflow.tensors import Array
from nanlint.runtime.health import Health, Shape

#: how many are -inf, below 0, 0, above 0, +inf, and any; then the least and greatest finite number and the least
#: magnitude of one, infinite where there is none. Few ops: each costs more than the numbers that it goes through
COUNTS = 6
WIDTH = COUNTS + 3
NINF, NEG, ZERO, POS, PINF, ALL = range(COUNTS)

#: elements that are kept of all tensors of a graph together
ELEMENTS = 1 << 22
#: elements above which the classes are counted one after the other, to save memory
LARGE = 1 << 20

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
    axes = tf.range(tf.rank(tensor)) if tensor.shape.rank is None else list(range(tensor.shape.rank))
    return tf.reduce_sum(tensor, axis=axes)


def rows_of(tensors: Values) -> Any:
    """The rows of tensors in the graph that is being built; those of one dtype and shape are counted together."""
    groups: dict[Any, list[int]] = {}
    for i, one in enumerate(tensors):
        size = one.shape.num_elements()
        groups.setdefault((one.dtype, i if size is None else size), []).append(i)
    parts = [_rows(tf.stack([tf.reshape(tensors[i], [-1]) for i in group])) for group in groups.values()]
    order = np.argsort([i for group in groups.values() for i in group])
    return parts[0] if len(parts) == 1 else tf.gather(tf.concat(parts, 0), order)


def row_of(tensor: Any, most: int) -> Any:
    """One row and behind it the first ``most`` elements, by a call of a function that is traced once per dtype.

    For graphs with many tensors, which are seldom needed.
    """
    with _lock:
        traced = _traced.get((tensor.dtype, most))
        if traced is None:
            with tf.init_scope():
                signature = tf.TensorSpec(None, tensor.dtype)
                row = tf.function(functools.partial(_row, most=most), autograph=False)
                traced = row.get_concrete_function(signature)
            _traced[tensor.dtype, most] = traced
    row = traced._inference_function.call_flat(tensor)[0]
    row.set_shape([length_of_row(tensor, most)])
    return row


def length_of_row(tensor: Any, most: int) -> int | None:
    """Of a row with its elements; None where that depends on the run."""
    size = tensor.shape.num_elements()
    return WIDTH if most == 0 else None if size is None else WIDTH + min(size, most)


def _row(tensor: Any, most: int) -> Any:
    flat = tf.reshape(tensor, [1, -1])
    return tf.concat([_rows(flat)[0], tf.cast(flat[0, :most], tf.float64)], 0)


class Snapshot:
    """The breakdowns of some tensors and their first elements, as they were when the graph that has them took it.

    ``most``: elements of each, if their number is known, or may change from call to call, as it may not under XLA.
    """

    def __init__(self, tensors: Values, most: int, technique: str) -> None:
        most = min(most, ELEMENTS // max(len(tensors), 1))
        lengths = [length_of_row(one, most) for one in tensors]
        open_ = None in lengths
        self._most = 0 if open_ and technique == "xla" else most
        self._shapes = [(one.dtype.name, shape_of(one)) for one in tensors]
        self._rows = Kept(
            np.zeros(sum(length or WIDTH for length in lengths) if self._most else WIDTH * len(tensors)),
            (None,) if open_ and self._most else None,
        )

    def take(self, tensors: Values) -> Any:
        """The op that takes it, in the graph that is being built."""
        return Inside(self._rows).assign(tf.concat([row_of(one, self._most) for one in tensors], 0))

    def read(self) -> Iterator[tuple[Array, Health, list[float]]]:
        """Of each tensor the row, what it says, and the elements."""
        numbers = self._rows.get()
        for shape in self._shapes:
            row = numbers[:WIDTH]
            end = WIDTH + min(int(row[ALL]), self._most)
            yield row, health_of_row(row, *shape), numbers[WIDTH:end].tolist()
            numbers = numbers[end:]


def shape_of(tensor: Any) -> Shape:
    """Its static shape, -1 where a length is open; as if flat where not even the rank is known."""
    if tensor.shape.rank is None:
        return (-1,)
    return tuple(-1 if length is None else length for length in tensor.shape)


def _rows(flat: Any) -> Any:
    """Of each row of a matrix."""
    if flat.dtype in (tf.float16, tf.bfloat16):
        flat = tf.cast(flat, tf.float32)
    infinite = tf.constant(np.inf, flat.dtype)
    flags = [flat == -infinite, flat < 0, flat == 0, flat > 0, flat == infinite]
    if (flat.shape.num_elements() or LARGE) < LARGE:
        counts = tf.unstack(tf.reduce_sum(tf.cast(tf.stack(flags), tf.int32), axis=-1))
    else:
        counts = [tf.reduce_sum(tf.cast(flag, tf.int32), axis=-1) for flag in flags]
    size = tf.fill(tf.shape(flat)[:1], tf.shape(flat)[1])
    finite = tf.math.is_finite(flat)
    some = tf.where(finite, flat, infinite)
    low, near = tf.reduce_min(some, axis=-1), tf.reduce_min(tf.abs(some), axis=-1)
    high = tf.reduce_max(tf.where(finite, flat, -infinite), axis=-1)
    numbers = tf.cast(tf.stack([*counts, size], axis=1), tf.float64)
    return tf.concat([numbers, tf.cast(tf.stack([low, high, near], axis=1), tf.float64)], axis=1)


def is_bad(rows: Any) -> Any:
    """Whether a tensor of some rows is not finite, in the graph that is being built."""
    numbers = tf.reduce_sum(rows[:, NEG : POS + 1], axis=1)  # nan is in none of these classes
    return tf.reduce_any((rows[:, NINF] > 0) | (rows[:, PINF] > 0) | (numbers < rows[:, ALL]))


def health_of_row(row: Array, dtype: str, shape: Shape, executions: int = 1) -> Health:
    """What a row says of a tensor, or of those of several executions; an open length of one is told by its size."""
    ninf, neg, zero, pos, pinf, size = (int(one) for one in row[:COUNTS])
    low, high, near = (float(one) if np.isfinite(one) else None for one in row[COUNTS:])
    nan = size - neg - zero - pos
    if executions == 1 and shape.count(-1) == 1:
        known = math.prod(length for length in shape if length >= 0)
        shape = tuple(size // max(known, 1) if length == -1 else length for length in shape)
    return Health(ninf, neg - ninf, zero, pos - pinf, pinf, nan, low, high, near, dtype=dtype, shape=shape)
