"""A metric of one's own divides by the positives of a batch; only the history of fit holds it."""

import sys

import keras
import numpy as np
from keras import ops


def recall(truth, predicted):
    return ops.sum(truth * ops.cast(predicted > 0, "float32")) / ops.sum(truth)


keras.utils.set_random_seed(0)
model = keras.Sequential([keras.layers.Input((3,)), keras.layers.Dense(1)])
model.compile(loss="mse", optimizer="sgd", metrics=[recall])
x = np.random.RandomState(0).randn(16, 3).astype("float32")
y = np.zeros((16, 1), "float32") if "bad" in sys.argv else np.ones((16, 1), "float32")
history = model.fit(x, y, batch_size=8, epochs=2, verbose=0)
print(history.history["loss"][-1])
