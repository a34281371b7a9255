"""TensorFlow, and Keras upon it, as the interpreter's framework."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ["KERAS_BACKEND"] = "tensorflow"
os.environ["CUDA_VISIBLE_DEVICES"] = "-1"

import tensorflow as tf

from nanlint.proof.arrays import ArrayBackend
from nanlint.proof.backend import Numbers


class TensorFlowBackend(ArrayBackend):
    """Rows are eager tensors."""

    name = "tensorflow"
    roots = ("tensorflow", "keras")

    def row(self, numbers: Sequence[float], fmt: str) -> Numbers:
        return tf.constant(list(numbers), dtype=fmt)

    def is_row(self, x: Numbers) -> bool:
        return isinstance(x, (tf.Tensor, tf.Variable))

    def numbers(self, x: Numbers) -> tuple[float, ...]:
        return tuple(tf.reshape(tf.cast(x, "float64"), [-1]).numpy().tolist()) if self.is_row(x) else (float(x),)

    def flat(self, x: Numbers) -> Numbers:
        return tf.reshape(x, [-1])

    def cast(self, x: Numbers, fmt: str) -> Numbers:
        return tf.cast(x, fmt)

    def truth(self, x: Numbers) -> Numbers:
        return x if x.dtype == tf.bool else tf.not_equal(x, 0)

    def where(self, cond: Numbers, a: Numbers, b: Numbers) -> Numbers:
        return tf.where(cond, a, b)

    def concat(self, rows: Sequence[Numbers]) -> Numbers:
        return tf.concat(list(rows), 0)

    def take(self, x: Numbers, places: Sequence[int]) -> Numbers:
        return tf.gather(x, tf.constant(list(places), dtype="int32"))

    def stop_gradient(self, x: Numbers) -> Numbers:
        return tf.stop_gradient(x)

    def array(self, x: Numbers) -> Numbers:
        return tf.cast(x, "float32") if self.is_row(x) else tf.constant([float(x)])

    def gradients(self, f: Callable[[list[Numbers]], Numbers], rows: list[Numbers]) -> list[tuple[float, ...] | None]:
        with tf.GradientTape() as tape:
            for row in rows:
                tape.watch(row)
            result = tf.reduce_sum(f(rows))
        return [None if g is None else self.numbers(tf.convert_to_tensor(g)) for g in tape.gradient(result, rows)]


BACKEND = TensorFlowBackend
