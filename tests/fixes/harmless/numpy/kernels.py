"""Loops in the style of Numba: compiled functions know plain NumPy, and no SciPy."""

import numpy as np
from scipy import special

try:
    from numba import njit
except ImportError:

    def njit(function):
        return function


@njit
def log_softmax_row(row):
    total = 0.0
    for k in range(row.shape[0]):
        total += np.exp(row[k])
    return np.log(np.exp(row) / total)


@njit
def log_sum(row):
    return np.log(np.sum(np.exp(row)))


@njit
def entropy(p):
    total = 0.0
    for k in range(p.shape[0]):
        if p[k] > 0:
            total -= p[k] * np.log(p[k])
    return total


@njit
def softplus(x):
    return np.log(1 + np.exp(x))


def main():
    row = np.array([0.5, -1.0, 2.0])
    return (
        log_softmax_row(row),
        log_sum(row),
        entropy(special.softmax(row)),
        softplus(row),
    )
