"""Losses and metrics of Keras' own functions."""

import keras
from keras import ops


def dice(truth, prediction):
    both = ops.sum(truth * prediction, axis=-1)
    return 1 - 2 * both / (ops.sum(truth, axis=-1) + ops.sum(prediction, axis=-1))


def focal(truth, logits):
    p = ops.sigmoid(logits)
    return -ops.mean(
        truth * (1 - p) ** 2 * ops.log(p) + (1 - truth) * p**2 * ops.log(1 - p)
    )


def mean_absolute_percentage(truth, prediction):
    return 100 * ops.mean(ops.abs((truth - prediction) / truth))


def log_sum(x):
    return ops.log(ops.sum(ops.exp(x), axis=-1))


def main():
    logits = keras.random.normal((3, 6), seed=4)
    truth = ops.cast(keras.random.uniform((3, 6), seed=5) > 0.5, "float32")
    prediction = ops.sigmoid(logits)
    return (
        dice(truth, prediction),
        focal(truth, logits),
        mean_absolute_percentage(prediction + 0.1, prediction),
        log_sum(logits),
    )
