"""NaN for what is undefined."""

import tensorflow as tf


def recall(hits, misses):
    return hits / (hits + misses)


def mean_recall(hits, misses):
    values = recall(hits, misses)
    return tf.reduce_mean(tf.boolean_mask(values, ~tf.math.is_nan(values)))


def r2(prediction, target):
    residual = tf.reduce_sum((target - prediction) ** 2)
    total = tf.reduce_sum((target - tf.reduce_mean(target)) ** 2)
    score = 1 - residual / total
    return tf.where(tf.math.is_finite(score), score, 0.0)


def undefined_as(score, default):
    return tf.where(tf.math.is_nan(score), default, score)


def precision(hits, alarms):
    return undefined_as(hits / alarms, -1.0)


def main():
    hits, misses = tf.constant([3.0, 0.0, 4.0]), tf.constant([1.0, 0.0, 0.0])
    constant = tf.fill([4], 2.0)
    return (
        mean_recall(hits, misses),
        r2(constant + 0.1, constant),
        precision(hits, misses * 0 + hits),
    )
