"""Information in bits, ratios in decibel, with NumPy and SciPy."""

import numpy as np
from scipy import special


def entropy_in_bits(p):
    return -np.sum(p * np.log2(p), axis=-1)


def surprise(logits):
    return -np.log2(special.expit(logits))


def decibel(logits):
    return 10 * np.log10(special.softmax(logits, axis=1))


def loudness(levels):
    return 10 * np.log10(np.sum(10 ** (levels / 10), axis=0))


def sum_of_powers(x):
    return np.log2(np.sum(np.exp2(x)))


def main():
    rng = np.random.default_rng(0)
    logits = rng.normal(size=(4, 5))
    p = special.softmax(logits, axis=-1)
    return (
        entropy_in_bits(p),
        surprise(logits),
        decibel(logits),
        loudness(logits * 10),
        sum_of_powers(logits),
    )
