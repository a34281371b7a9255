import tensorflow as tf


def miss(score):
    return tf.math.log(1 - tf.sigmoid(score))


def squashed(u):
    return tf.reduce_sum(tf.math.log(1 - tf.tanh(u) ** 2))


def main():
    return miss([0.5, -1.0]), squashed([0.5, 0.25])
