import tensorflow as tf


class Scaled(tf.keras.layers.Layer):
    def build(self, shape):
        self.scale = self.add_weight(shape=(), initializer="zeros", name="scale")

    def call(self, x):
        return tf.nn.softmax(x / self.scale, axis=-1)


def run(scale):
    layer = Scaled()
    x = tf.constant([[1.0, 2.0, 0.5]])
    layer(x)
    layer.scale.assign(scale)
    with tf.GradientTape() as tape:
        value = tf.reduce_sum(layer(x) * tf.constant([1.0, 2.0, 3.0]))
    return value, tape.gradient(value, layer.trainable_variables)[0]


def ordinary():
    return run(2.0)


def witness():
    return run(0.0)
