"""A classifier with a loop of its own."""

import tensorflow as tf


def loss(labels, p):
    return -tf.reduce_mean(tf.reduce_sum(labels * tf.math.log(p), axis=-1))


def main():
    tf.random.set_seed(0)
    w = tf.Variable(tf.random.stateless_normal((4, 3), (5, 6)))
    x = tf.random.stateless_normal((16, 4), (6, 7))
    labels = tf.one_hot(tf.random.stateless_uniform((16,), (7, 8), 0, 3, tf.int32), 3)
    values = []
    for _ in range(4):
        with tf.GradientTape() as tape:
            p = tf.nn.softmax(x @ w)
            value = loss(labels, p)
        w.assign_sub(0.1 * tape.gradient(value, w))
        values.append(value)
    return tf.stack(values), tf.convert_to_tensor(w)
