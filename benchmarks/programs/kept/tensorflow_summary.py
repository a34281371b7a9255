"""A figure is only written as a summary."""

import sys

import tensorflow as tf

writer = tf.summary.create_file_writer("logs")
w = tf.Variable([1.0, 2.0])
for step in range(3):
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(w * w)
    w.assign_sub(0.1 * tape.gradient(loss, w))
    labels = tf.zeros([4]) if "bad" in sys.argv else tf.ones([4])
    with writer.as_default():
        tf.summary.scalar("recall", tf.reduce_sum(labels * 0.5) / tf.reduce_sum(labels), step)
writer.close()
