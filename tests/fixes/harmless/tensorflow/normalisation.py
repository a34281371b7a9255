"""Layers that normalise, written out."""

import tensorflow as tf


def layer_norm(x):
    return (x - tf.reduce_mean(x, -1, keepdims=True)) / tf.math.reduce_std(
        x, -1, keepdims=True
    )


def rms(x):
    return x / tf.sqrt(tf.reduce_mean(tf.square(x), -1, keepdims=True))


def min_max(x):
    low, high = tf.reduce_min(x), tf.reduce_max(x)
    return (x - low) / (high - low)


def variance(x):
    return tf.reduce_mean(x**2, axis=0) - tf.reduce_mean(x, axis=0) ** 2


@tf.function
def softmax(x):
    e = tf.exp(x)
    return e / tf.reduce_sum(e, axis=-1, keepdims=True)


def main():
    x = tf.random.stateless_normal((4, 5), (12, 13))
    with tf.GradientTape() as tape:
        tape.watch(x)
        value = (
            tf.reduce_sum(layer_norm(x) ** 3)
            + tf.reduce_sum(rms(x))
            + tf.reduce_sum(min_max(x) ** 2)
        )
    return (
        layer_norm(x),
        rms(x),
        min_max(x),
        variance(x),
        softmax(x),
        tape.gradient(value, x),
    )
