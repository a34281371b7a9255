"""Layers of Keras that run on any backend."""

import keras
from keras import ops


class Attention(keras.layers.Layer):
    def __init__(self):
        super().__init__()
        self.query = keras.layers.Dense(4, kernel_initializer="glorot_uniform")

    def call(self, values, mask):
        scores = ops.exp(self.query(values))
        weights = scores * mask[..., None]
        return ops.sum(weights * values, axis=1) / ops.sum(weights, axis=1)


class Unit(keras.layers.Layer):
    def call(self, x):
        return x / ops.sqrt(ops.sum(ops.square(x), axis=-1, keepdims=True))


class Softplus(keras.layers.Layer):
    def call(self, x):
        return ops.log(1 + ops.exp(x))


class Scale(keras.layers.Layer):
    def call(self, x):
        return (x - ops.mean(x, axis=-1, keepdims=True)) / ops.std(
            x, axis=-1, keepdims=True
        )


def main():
    keras.utils.set_random_seed(0)
    x = keras.random.normal((3, 5, 4), seed=2)
    mask = ops.cast(keras.random.uniform((3, 5), seed=3) * 0.05, "float32")
    return Attention()(x, mask), Unit()(x), Softplus()(x), Scale()(x)
