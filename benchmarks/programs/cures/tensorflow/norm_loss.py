import tensorflow as tf


def pull(a, b):
    # how far the two are apart
    return tf.reduce_mean(tf.norm(a - b, axis=-1))  # in metres


def run(a, b):
    a = tf.constant(a)
    with tf.GradientTape() as tape:
        tape.watch(a)
        value = pull(a, tf.constant(b))
    return value, tape.gradient(value, a)


def ordinary():
    return run([[3.0, 4.0]], [[0.0, 1.0]])


def witness():
    return run([[3.0, 4.0]], [[3.0, 4.0]])
