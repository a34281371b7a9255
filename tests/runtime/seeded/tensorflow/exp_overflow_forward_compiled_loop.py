"""A state that grows in a loop of a graph until its exponential is too great for float32."""

import tensorflow as tf


@tf.function
def grow(state):
    for _ in tf.range(5):
        state = state + 1.0
        state = tf.exp(state) / 2.0  # born
        state = tf.minimum(state, 1000.0)
    return state


print(grow(tf.constant([0.0, 1.0])))
