"""The phase of a signal that is silent in one place: atan2 has no slope at the origin."""

import tensorflow as tf

signal = tf.Variable([[1.0, 1.0], [0.0, 0.0]])
with tf.GradientTape() as tape:
    phase = tf.atan2(signal[:, 1], signal[:, 0])  # born
    loss = tf.reduce_sum(phase)
print(tape.gradient(loss, signal))
