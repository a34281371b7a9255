"""A derivative in forward mode, where the root of a variable is infinitely steep."""

import tensorflow as tf

x = tf.Variable([0.0, 1.0])
with tf.autodiff.ForwardAccumulator(x, tf.ones(2)) as accumulator:
    y = tf.sqrt(x)  # born
print(accumulator.jvp(y))
