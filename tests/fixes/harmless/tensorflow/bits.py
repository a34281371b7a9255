"""Information in bits, ratios in decibel."""

import math

import tensorflow as tf


def log2(x):
    return tf.math.log(x) / math.log(2.0)


def entropy_in_bits(logits):
    p = tf.nn.softmax(logits)
    return -tf.reduce_sum(p * tf.math.log(p) / tf.math.log(2.0), axis=-1)


def surprise(logits):
    return -log2(tf.sigmoid(logits))


def decibel(logits):
    return 10 * tf.math.log(tf.nn.softmax(logits, axis=-1)) / tf.math.log(10.0)


def loudness(levels):
    return (
        10
        * tf.math.log(tf.reduce_sum(10.0 ** (levels / 10), axis=0))
        / tf.math.log(10.0)
    )


def main():
    logits = tf.random.stateless_normal((4, 5), (0, 1))
    return (
        entropy_in_bits(logits),
        surprise(logits),
        decibel(logits),
        loudness(logits * 10),
    )
