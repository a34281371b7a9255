"""A layer that divides by the length of its input, which is 0 in one row."""

import keras
import numpy as np


class UnitLength(keras.layers.Layer):
    def call(self, vectors):
        lengths = keras.ops.sqrt(keras.ops.sum(vectors**2, axis=-1, keepdims=True))
        return vectors / lengths  # born


model = keras.Sequential([keras.Input((3,)), UnitLength()])
print(model.predict(np.array([[1.0, 2.0, 2.0], [0.0, 0.0, 0.0]], "float32"), verbose=0))
