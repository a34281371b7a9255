"""TensorFlow 1: a training in a session."""

import tensorflow as tf

v1 = tf.compat.v1
v1.disable_eager_execution()
x = v1.placeholder(tf.float32, [None])
weight = v1.get_variable("weight", initializer=tf.constant(1.0))
entropy = tf.reduce_mean(tf.math.log(x * weight))  # born
train = v1.train.GradientDescentOptimizer(0.1).minimize(entropy)
with v1.Session() as session:
    session.run(v1.global_variables_initializer())
    for batch in ([1.0, 2.0], [0.0, 1.0]):
        session.run([entropy, train], {x: batch})
