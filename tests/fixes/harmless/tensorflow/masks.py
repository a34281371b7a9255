"""Masked and weighted means, ragged batches."""

import tensorflow as tf


def masked_mean(x, mask):
    mask = tf.cast(mask, x.dtype)
    return tf.math.divide_no_nan(tf.reduce_sum(x * mask), tf.reduce_sum(mask))


def count_mean(x, mask):
    mask = tf.cast(mask, tf.float32)
    return tf.reduce_sum(x * mask) / tf.maximum(tf.reduce_sum(mask), 1.0)


def soft_mean(x, w):
    return tf.reduce_sum(x * w) / tf.maximum(tf.reduce_sum(w), 1.0)


def handled(x, mask):
    n = tf.reduce_sum(tf.cast(mask, tf.float32))
    return tf.cond(n > 0, lambda: tf.reduce_sum(tf.boolean_mask(x, mask)) / n, lambda: tf.constant(float("nan")))


def attention(scores, mask):
    scores = tf.where(mask, scores, -1e9)
    return tf.nn.softmax(scores)


def attention_hand(scores, mask):
    e = tf.exp(scores) * tf.cast(mask, scores.dtype)
    return tf.math.divide_no_nan(e, tf.reduce_sum(e, -1, keepdims=True))


def gated(scores, gate):
    e = tf.exp(scores) * gate
    return e / tf.reduce_sum(e, -1, keepdims=True)


def speed(distance, time):
    return distance / time


def slowest(speeds):
    return tf.reduce_min(tf.where(tf.math.is_inf(speeds), float("inf"), speeds))


def ragged_mean(rt):
    return tf.reduce_sum(rt, -1) / tf.cast(rt.row_lengths(), tf.float32)


def segment_mean(x, ids, n):
    total = tf.math.unsorted_segment_sum(x, ids, n)
    count = tf.math.unsorted_segment_sum(tf.ones_like(x), ids, n)
    return total / tf.maximum(count, 1)


def main():
    x = tf.Variable([1.0, 2.0, 4.0])
    mask, none = tf.constant([True, False, True]), tf.constant([False] * 3)
    w = tf.constant([0.1, 0.2, 0.05])
    with tf.GradientTape() as tape:
        parts = [
            masked_mean(x, mask), masked_mean(x, none), count_mean(x, mask), count_mean(x, none), soft_mean(x, w),
            handled(x, mask), attention(x, mask), attention_hand(x, mask), attention_hand(x, none), gated(x, w),
            segment_mean(x, tf.constant([0, 0, 2]), 3),
        ]
        total = tf.add_n([tf.reduce_sum(p**2) for p in parts])
    v = speed(tf.constant([1.0, 2.0, 3.0]), tf.constant([2.0, 0.0, 1.0]))
    return (
        *parts, tape.gradient(total, x), handled(x, none), v, tf.math.is_inf(v), slowest(v),
        ragged_mean(tf.ragged.constant([[1.0, 2.0], [5.0]])), speed(tf.constant([4, 2]), tf.constant([2, 4])),
    )
