"""A product with the Hessian, forward over backward: clean."""

import tensorflow as tf

weights = tf.Variable([[1.0, 2.0], [3.0, 4.0]])
x = tf.constant([[1.0, -1.0]])
with tf.autodiff.ForwardAccumulator(weights, tf.ones_like(weights)) as accumulator:
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(tf.math.log1p(tf.nn.softplus(x @ weights)))
    slopes = tape.gradient(loss, weights)
print(loss, accumulator.jvp(slopes))
