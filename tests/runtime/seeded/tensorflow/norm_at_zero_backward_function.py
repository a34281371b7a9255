"""The tape is around the function, so that its gradient is a graph of its own."""

import tensorflow as tf


@tf.function
def penalty(bias):
    return 0.01 * tf.norm(bias)  # born


bias = tf.Variable(tf.zeros(4))
with tf.GradientTape() as tape:
    loss = penalty(bias)
print(tape.gradient(loss, bias))
