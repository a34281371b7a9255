import keras
import tensorflow as tf


class KLLayer(keras.layers.Layer):
    def call(self, inputs):
        z_mean, z_log_var = inputs
        kl = -0.5 * keras.ops.mean(1 + z_log_var - keras.ops.square(z_mean) - keras.ops.exp(z_log_var))
        self.add_loss(kl)
        return z_mean + keras.ops.exp(0.5 * z_log_var)


def run(mean, log_var):
    log_var = tf.constant(log_var)
    layer = KLLayer()
    with tf.GradientTape() as tape:
        tape.watch(log_var)
        out = layer([tf.constant(mean), log_var])
        value = tf.reduce_mean(tf.tanh(out)) + sum(layer.losses)
    return value, tape.gradient(value, log_var)


def ordinary():
    return run([[0.5, 1.0]], [[-1.0, 0.5]])


def witness():
    return run([[0.5, 1.0]], [[-1.0, 120.0]])
