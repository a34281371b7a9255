"""Whole numbers: counts and labels."""

import tensorflow as tf


def shares(counts):
    return counts / tf.reduce_sum(counts)


def accuracy(labels, predictions, mask):
    hits = tf.cast(labels == predictions, tf.float32) * tf.cast(mask, tf.float32)
    return tf.reduce_sum(hits) / tf.reduce_sum(tf.cast(mask, tf.float32))


def per_class(values, classes):
    total = tf.math.unsorted_segment_sum(values, classes, 3)
    count = tf.math.unsorted_segment_sum(tf.ones_like(values), classes, 3)
    return tf.math.divide_no_nan(total, count)


def main():
    counts = tf.constant([2, 3, 0])
    labels, mask = tf.constant([0, 1, 2]), tf.constant([True, False, True])
    values = tf.constant([1.0, 2.0, 5.0])
    return (
        shares(counts),
        accuracy(labels, labels * 0, mask),
        per_class(values, tf.constant([0, 0, 2])),
    )
