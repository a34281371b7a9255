"""Running variances are kept in a list of variables; one is scaled by a count of nothing."""

import sys

import tensorflow as tf


class Normalizer:
    def __init__(self):
        self.scales = [tf.Variable(tf.ones([2]), trainable=False) for _ in range(2)]

    @tf.function
    def update(self, x, mask):
        seen = tf.reduce_sum(mask)
        self.scales[1].assign(tf.reduce_sum(x * mask[:, None], 0) / seen)


normalizer = Normalizer()
w = tf.Variable([1.0, 2.0])
for step in range(3):
    x = tf.random.stateless_normal([4, 2], [step, 1])
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(tf.square(tf.linalg.matvec(x, w)))
    w.assign_sub(0.1 * tape.gradient(loss, w))
    normalizer.update(x, tf.zeros([4]) if "bad" in sys.argv else tf.ones([4]))
print(float(loss))
