"""The deviation of a feature that never varied: the slope of the root is infinite at 0."""

import tensorflow as tf

variances = tf.Variable([0.0, 4.0])
with tf.GradientTape() as tape:
    deviations = tf.sqrt(variances)  # born
    loss = tf.reduce_sum(deviations)
print(tape.gradient(loss, variances))
