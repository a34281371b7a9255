"""Keras's moving variance becomes infinite in fit."""

import sys

import keras
import numpy as np

keras.utils.set_random_seed(0)
layers = [keras.layers.Input((4,)), keras.layers.Dense(8), keras.layers.BatchNormalization(), keras.layers.Dense(1)]
model = keras.Sequential(layers)
model.compile(loss="mse", optimizer="sgd")
x = np.random.RandomState(0).randn(32, 4).astype("float32")
if "bad" in sys.argv:
    x[:16] *= 1e20
model.fit(x, np.zeros((32, 1), "float32"), batch_size=16, epochs=1, verbose=0, shuffle=False)
print(model.predict(x[:2], verbose=0).shape)
