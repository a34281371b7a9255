"""Averages with weights whose sum is far below 1."""

import tensorflow as tf


def attended(values, mask):
    return tf.reduce_sum(values * mask, axis=1) / tf.reduce_sum(mask, axis=1)


def calibrated(values, weights):
    return tf.reduce_sum(weights * values) / tf.reduce_sum(weights)


def projected(kernel, v, target):
    return target / tf.linalg.matvec(kernel, v)


def main():
    values = tf.random.stateless_normal((3, 6), (1, 2))
    mask = tf.sigmoid(tf.random.stateless_normal((3, 6), (2, 3)) - 5)
    kernel = tf.random.stateless_uniform((6, 6), (3, 4)) * 0.1
    return (
        attended(values, mask),
        calibrated(values, mask * 0.01),
        projected(kernel, mask[0], values[1]),
    )
