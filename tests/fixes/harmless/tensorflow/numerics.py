"""Functions written out, and their gradients under a tape."""

import tensorflow as tf


def softplus(x):
    return tf.math.log(1 + tf.exp(x))


def log_sum(x):
    return tf.math.log(tf.reduce_sum(tf.exp(x), axis=-1))


def log_mean(x):
    return tf.math.log(tf.reduce_mean(tf.exp(x), axis=0))


def sigmoid(x):
    return 1 / (1 + tf.exp(-x))


def squash(x):
    return tf.math.log(1 - tf.tanh(x) ** 2)


def main():
    x = tf.random.stateless_normal((3, 4), (4, 5))
    with tf.GradientTape() as tape:
        tape.watch(x)
        parts = [f(x) for f in (softplus, log_sum, log_mean, sigmoid, squash)]
        total = tf.add_n([tf.reduce_sum(p) for p in parts])
    return *parts, tape.gradient(total, x)
