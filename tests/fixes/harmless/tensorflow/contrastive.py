"""Cosines, distances, a contrastive loss."""

import tensorflow as tf


def unit(x):
    return x / tf.norm(x, axis=-1, keepdims=True)


def info_nce(a, b):
    s = tf.matmul(unit(a), unit(b), transpose_b=True) / 0.5
    return tf.reduce_mean(
        tf.math.log(tf.reduce_sum(tf.exp(s), axis=1)) - tf.linalg.diag_part(s)
    )


def distances(a, b):
    return tf.sqrt(tf.reduce_sum((a[:, None] - b[None]) ** 2, axis=-1))


def main():
    a = tf.random.stateless_normal((4, 3), (8, 9))
    b = tf.random.stateless_normal((4, 3), (9, 10))
    with tf.GradientTape() as tape:
        tape.watch(a)
        value = info_nce(a, b) + tf.reduce_sum(distances(a, b))
    return value, tape.gradient(value, a), distances(a, b)
