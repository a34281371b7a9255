"""The mean of squares less the square of the mean, of numbers far from 0: it comes out below 0."""

import tensorflow as tf

samples = tf.constant([10000.1, 10000.2, 10000.3])
variance = tf.reduce_mean(samples**2) - tf.reduce_mean(samples) ** 2
deviation = tf.sqrt(variance - 1.0)  # born
print(variance, deviation)
