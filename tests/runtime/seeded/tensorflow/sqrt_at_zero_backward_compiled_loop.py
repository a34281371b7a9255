"""A cell that takes a root, unrolled in a loop of a graph: the gradient is a loop of its own."""

import tensorflow as tf


@tf.function
def slope(weight):
    with tf.GradientTape() as tape:
        tape.watch(weight)
        state = tf.zeros(2)
        for _ in tf.range(3):
            state = 1.0 + tf.sqrt(state * weight)  # born
        loss = tf.reduce_sum(state)
    return tape.gradient(loss, weight)


print(slope(tf.constant([0.5, 0.0])))
