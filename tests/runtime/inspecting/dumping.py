"""A program that TensorFlow's Debugger V2 dumps in each of its ways, for the tests: python dumping.py DIRECTORY."""

import sys
from pathlib import Path
from typing import Any

import tensorflow as tf

DUMPS = [
    ("full", "FULL_HEALTH", -1),
    ("concise", "CONCISE_HEALTH", -1),
    ("curt", "CURT_HEALTH", -1),
    ("shape", "SHAPE", -1),
    ("none", "NO_TENSOR", -1),
    ("tensor", "FULL_TENSOR", -1),
    ("ring", "FULL_HEALTH", 30),
]


def run() -> Any:
    weight = tf.Variable([[1.0, -1.0], [0.5, 2.0]])

    @tf.function  # type: ignore[untyped-decorator]
    def step(x: Any, y: Any) -> Any:
        with tf.GradientTape() as tape:
            logits = tf.matmul(x, weight)
            probs = tf.nn.softmax(logits)
            loss = -tf.reduce_sum(y * tf.math.log(probs))
        weight.assign_sub(100.0 * tape.gradient(loss, weight))
        return loss

    y = tf.constant([[1.0, 0.0], [0.0, 1.0]])
    for i in range(4):
        step(tf.constant([[1.0, 2.0], [3.0, 4.0]]) * float(i + 1), y)
    zeros = tf.constant([1.0, 1.0]) - 1.0
    ratio = zeros / zeros
    return ratio + 1.0


for name, mode, size in DUMPS:
    where = str(Path(sys.argv[1]) / name)
    tf.debugging.experimental.enable_dump_debug_info(where, tensor_debug_mode=mode, circular_buffer_size=size)
    run()
    tf.debugging.experimental.disable_dump_debug_info()
