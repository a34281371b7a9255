"""TensorFlow 1: what is in a branch is not fetched, and the loss is."""

import tensorflow as tf

v1 = tf.compat.v1
v1.disable_eager_execution()
x = v1.placeholder(tf.float32, [])
loss = tf.cond(x > 1, lambda: x, lambda: tf.math.log(x))  # born
with v1.Session() as session:
    print(session.run([loss, tf.gradients(loss, x)], {x: 0.0}))
