"""A model that runs eagerly: a variance is predicted as the exponential of something unbounded."""

import keras
import numpy as np


class Variance(keras.layers.Layer):
    def call(self, log_variance):
        return keras.ops.exp(log_variance)  # born


model = keras.Sequential([keras.Input((1,)), Variance()])
model.compile(run_eagerly=True)
print(model.predict(np.array([[1.0], [100.0]], "float32"), verbose=0))
