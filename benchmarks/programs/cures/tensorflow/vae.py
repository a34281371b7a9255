import tensorflow as tf


def encode(x, kernel):
    hidden = tf.matmul(x, kernel)
    mean, logvar = tf.split(hidden, 2, axis=-1)
    return mean, logvar


def loss(x, kernel):
    mean, logvar = encode(x, kernel)
    z = mean + tf.exp(logvar * 0.5)
    kl = -0.5 * tf.reduce_mean(1 + logvar - tf.square(mean) - tf.exp(logvar))
    return tf.reduce_mean(tf.tanh(z)) + kl


def run(scale):
    kernel = tf.constant([[0.5, 0.25, 0.125, 0.5], [0.25, -0.5, 0.5, 0.25]])
    x = scale * tf.constant([[1.0, 0.5], [0.25, 0.5]])
    with tf.GradientTape() as tape:
        tape.watch(kernel)
        value = loss(x, kernel)
    return value, tape.gradient(value, kernel)


def ordinary():
    return run(1.0), run(5.0)


def witness():
    value, slope = run(300.0)
    return value, slope / 300.0
