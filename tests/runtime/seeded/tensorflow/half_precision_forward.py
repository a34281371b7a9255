"""A sum of squares in float16, whose greatest number is 65504."""

import tensorflow as tf

features = tf.fill((1, 8), tf.constant(100.0, tf.float16))
energy = tf.matmul(features, features, transpose_b=True)  # born
print(energy)
