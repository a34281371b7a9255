"""Lengths with a number inside of the root."""

import tensorflow as tf


def smooth(x, y):
    return tf.sqrt(x * x + y * y + 1e-6)


def clipped(x, y):
    return tf.sqrt(tf.maximum(x**2 + y**2, 1e-6))


def charbonnier(x):
    return tf.reduce_mean(tf.sqrt(tf.square(x) + 1e-6))


def main():
    x, y = tf.constant([0.0, 3.0, -1.0]), tf.constant([0.0, 4.0, 2.0])
    with tf.GradientTape() as tape:
        tape.watch([x, y])
        value = (
            tf.reduce_sum(smooth(x, y)) + tf.reduce_sum(clipped(x, y)) + charbonnier(x)
        )
    return value, *tape.gradient(value, [x, y])
