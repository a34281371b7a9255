"""A function that XLA compiles, in one that it does not."""

import tensorflow as tf


@tf.function(jit_compile=True)
def share(x):
    return x / tf.reduce_sum(x)  # born


@tf.function
def loss(x):
    return tf.reduce_mean(share(x) ** 2)


print(loss(tf.zeros(3)))
