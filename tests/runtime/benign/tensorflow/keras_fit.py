"""Keras: fit with a validation set, callbacks, metrics, a custom layer, loss and train_step; eagerly, too."""

import keras
import numpy as np
import tensorflow as tf


class Scaled(keras.layers.Layer):
    def build(self, shape):
        self.scale = self.add_weight(shape=(shape[-1],), initializer="ones", name="scale")

    def call(self, x, training=False):
        if training:
            self.add_loss(1e-3 * tf.reduce_sum(tf.square(self.scale)))
        return x * self.scale / tf.sqrt(tf.reduce_mean(tf.square(x), -1, keepdims=True) + 1e-6)


class Stepping(keras.Model):
    def __init__(self):
        super().__init__()
        self.inner = keras.layers.Dense(1)
        self.told = keras.metrics.Mean(name="told")

    def call(self, x):
        return self.inner(x)

    def train_step(self, data):
        x, y = data
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.math.log(tf.cosh(self(x, training=True) - y)))
        gradients = tape.gradient(loss, self.trainable_variables)
        self.optimizer.apply_gradients(zip(gradients, self.trainable_variables))
        self.told.update_state(loss)
        return {"loss": loss, "told": self.told.result()}


def entropy(y, p):
    p = tf.clip_by_value(p, 1e-7, 1 - 1e-7)
    return -tf.reduce_mean(y * tf.math.log(p) + (1 - y) * tf.math.log(1 - p))


rng = np.random.default_rng(0)
x = rng.normal(size=(24, 4)).astype("float32")
y = (x.sum(1, keepdims=True) > 0).astype("float32")
for eagerly in (False, True):
    keras.utils.set_random_seed(0)
    model = keras.Sequential([keras.layers.Dense(6, "relu"), Scaled(), keras.layers.Dense(1, "sigmoid")])
    model.compile("adam", entropy, metrics=["accuracy"], run_eagerly=eagerly)
    stop = keras.callbacks.EarlyStopping(patience=5, monitor="val_loss")
    told = model.fit(x, y, batch_size=8, epochs=2, validation_split=0.25, verbose=0, callbacks=[stop])
    print({name: [round(v, 6) for v in values] for name, values in told.history.items()})
    print(model.evaluate(x, y, verbose=0), model.predict(x[:3], verbose=0).ravel(), model.train_on_batch(x, y))
    stepping = Stepping()
    stepping.compile(keras.optimizers.RMSprop(1e-2), run_eagerly=eagerly, jit_compile=False)
    print(stepping.fit(x, y, batch_size=12, epochs=2, verbose=0).history)
