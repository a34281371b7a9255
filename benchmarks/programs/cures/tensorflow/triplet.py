import tensorflow as tf


def distance(a, b):
    return tf.sqrt(tf.reduce_sum(tf.square(a - b), axis=1))


def loss(anchor, near, far):
    return tf.reduce_mean(tf.maximum(distance(anchor, near) - distance(anchor, far) + 0.2, 0.0))


def run(anchor, near, far):
    a = tf.constant(anchor)
    with tf.GradientTape() as tape:
        tape.watch(a)
        value = loss(a, tf.constant(near), tf.constant(far))
    return value, tape.gradient(value, a)


def ordinary():
    return run([[0.0, 1.0]], [[0.5, 1.5]], [[0.25, 0.5]])


def witness():
    return run([[0.0, 1.0]], [[0.0, 1.0]], [[0.1, 1.0]])
