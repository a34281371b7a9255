"""The same with the backend-neutral functions of Keras."""

import keras
from keras import ops


def entropy_in_bits(logits):
    p = ops.softmax(logits, axis=-1)
    return -ops.sum(p * ops.log2(p), axis=-1)


def surprise(logits):
    return -ops.log2(ops.sigmoid(logits))


def decibel(logits):
    return 10 * ops.log10(ops.softmax(logits))


def rest(logits):
    return ops.log10(1 - ops.sigmoid(logits))


def main():
    logits = keras.random.normal((4, 5), seed=1)
    return entropy_in_bits(logits), surprise(logits), decibel(logits), rest(logits)
