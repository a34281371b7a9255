"""The gradient of a loop in a function."""

import tensorflow as tf

weight = tf.Variable([0.0, 2.0])


@tf.function
def step():
    with tf.GradientTape() as tape:
        total = tf.constant(0.0)
        for _ in tf.range(3):
            total += tf.reduce_sum(tf.sqrt(weight))  # born
    return tape.gradient(total, weight)


print(step())
