"""Infinity where it is meant."""

import tensorflow as tf


def arrival(distance, speed):
    return distance / speed


def first(distance, speed):
    times = arrival(distance, speed)
    return tf.argmin(times), tf.math.is_inf(times)


def attention(scores, mask):
    return tf.nn.softmax(scores + tf.math.log(mask))


def best(scores, cost):
    order = tf.argsort(scores / cost, direction="DESCENDING")
    return order


def slowest(distance, speed):
    return tf.reduce_max(tf.math.divide(distance, speed))


def main():
    distance, speed = tf.constant([5.0, 2.0, 3.0]), tf.constant([1.0, 0.0, 2.0])
    mask = tf.constant([1.0, 0.0, 1.0])
    return (
        *first(distance, speed),
        attention(distance, mask),
        best(distance, speed),
        slowest(distance, speed),
    )
