"""A penalty on the length of a bias that starts at 0."""

import tensorflow as tf

bias = tf.Variable(tf.zeros(4))
with tf.GradientTape() as tape:
    penalty = 0.01 * tf.norm(bias)  # born
print(tape.gradient(penalty, bias))
