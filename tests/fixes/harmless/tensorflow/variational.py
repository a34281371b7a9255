"""Terms of a variational autoencoder."""

import math

import tensorflow as tf


def divergence(mean, log_variance):
    return -0.5 * tf.reduce_sum(
        1 + log_variance - mean**2 - tf.exp(log_variance), axis=-1
    )


def log_normal(x, mean, sigma):
    return (
        -tf.math.log(sigma)
        - 0.5 * math.log(2 * math.pi)
        - (x - mean) ** 2 / (2 * sigma**2)
    )


def bernoulli(logits, x):
    p = tf.sigmoid(logits)
    return -tf.reduce_sum(x * tf.math.log(p) + (1 - x) * tf.math.log(1 - p), axis=-1)


def main():
    mean = tf.random.stateless_normal((4, 3), (10, 11))
    logits = tf.random.stateless_normal((4, 3), (11, 12))
    x = tf.cast(mean > 0, tf.float32)
    with tf.GradientTape() as tape:
        tape.watch([mean, logits])
        parts = (
            divergence(mean, logits),
            log_normal(mean, 0.5, tf.nn.softplus(logits) + 0.1),
            bernoulli(logits, x),
        )
        value = tf.add_n([tf.reduce_sum(p) for p in parts])
    return *parts, *tape.gradient(value, [mean, logits])
