"""The root of a squared error that is 0 at the start, as the model begins at 0."""

import keras
import numpy as np


def distance(targets, predictions):
    return keras.ops.sqrt(keras.ops.sum((targets - predictions) ** 2, axis=-1))  # born


model = keras.Sequential([keras.Input((3,)), keras.layers.Dense(2, kernel_initializer="zeros")])
model.compile(keras.optimizers.SGD(0.1), loss=distance)
model.train_on_batch(np.ones((4, 3), "float32"), np.zeros((4, 2), "float32"))
