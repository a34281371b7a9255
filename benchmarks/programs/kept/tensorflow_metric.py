"""A metric of a batch without weights is shown in a progress line."""

import sys

import tensorflow as tf

w = tf.Variable([1.0, 2.0])
history = []
for step in range(3):
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(w * w)
    w.assign_sub(0.1 * tape.gradient(loss, w))
    weights = tf.zeros([2]) if "bad" in sys.argv and step == 1 else tf.ones([2])
    history.append((tf.reduce_sum(weights * w) / tf.reduce_sum(weights)).numpy())
sys.stdout.write("weighted: {}\n".format(", ".join("%.3f" % value for value in history)))
