"""NumPy's arrays in a file that imports TensorFlow, and what a data set is made of."""

import numpy as np
import tensorflow as tf


def contrast(image):
    return (image - image.min()) / (image.max() - image.min())


def shares(weights):
    return weights / weights.sum()


def per_row(table):
    return table / np.linalg.norm(table, axis=1, keepdims=True)


def classes(labels):
    count = np.bincount(labels)
    return len(labels) / (len(count) * count)


def main():
    rng = np.random.default_rng(0)
    image = rng.random((4, 4)) * 0.1
    data = tf.data.Dataset.from_tensor_slices(contrast(image)).batch(2)
    return (
        next(iter(data)),
        shares(image[0]),
        per_row(image),
        classes(np.array([0, 0, 1, 2])),
    )
