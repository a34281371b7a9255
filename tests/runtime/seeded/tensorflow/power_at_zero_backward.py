"""A root that is written as a power."""

import tensorflow as tf

ratings = tf.Variable([0.0, 4.0])
with tf.GradientTape() as tape:
    stretched = tf.pow(ratings, 0.5)  # born
    loss = tf.reduce_sum(stretched)
print(tape.gradient(loss, ratings))
