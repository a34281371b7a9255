"""A result was made of the same numbers before, and is finite: what would have broken it is not 0."""

# --- numpy: a log-likelihood, and then its derivative
import numpy as np


def fitted(rates, slopes):
    rates = np.maximum(rates, 0)
    with np.errstate(divide="ignore"):
        value = np.sum(np.log(rates))
    if np.isneginf(value):  # guard
        return value, np.zeros_like(slopes)  # guard
    return np.exp(value), np.sum(slopes / rates)


# runs: fitted(np.zeros(2), np.ones(2))[1]

# --- numpy: in a method of the same object
import numpy as np


class Likelihood:
    def __call__(self, x):
        with np.errstate(divide="ignore"):
            return np.log(np.maximum(x, 0)).mean()

    def slope(self, x, dx):
        if not np.isfinite(self(x)):  # guard
            raise ValueError("impossible")  # guard
        return dx / np.maximum(x, 0)


# runs: Likelihood().slope(np.zeros(2), np.ones(2))

# --- numpy: a quotient of the same count
import numpy as np


def moments(x, mask):
    n = mask.sum()
    with np.errstate(invalid="ignore", divide="ignore"):
        mean = (x * mask).sum() / n
    if not np.isfinite(mean):  # guard
        return 0.0  # guard
    return (x**2 * mask).sum() / n


# runs: moments(np.ones(2), np.zeros(2))
