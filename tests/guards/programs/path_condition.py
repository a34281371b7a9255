"""The way to the division is not taken where the divisor is 0, by a condition that speaks of something else."""

# --- numpy: an angle between two vectors, strictly
import numpy as np


def steepest(step, slope):
    if np.dot(step, slope) > 0.5 * np.linalg.norm(step) * np.linalg.norm(slope):  # guard: else if step.size > 0:
        return step / np.linalg.norm(step)
    return slope


# runs: steepest(np.zeros(3), np.zeros(3))

# --- torch: a product with the divisor, early return
import torch


def share(x, mask, weight):
    n = mask.sum()
    if weight.abs() * n <= 0:  # guard
        return torch.zeros(())  # guard
    return (x * mask).sum() / n


# runs: share(torch.ones(3), torch.zeros(3), torch.tensor(1.0))

# --- jax: a product with the divisor is above a number
import jax.numpy as jnp


def share(x, mask):
    n = mask.sum()
    if not 4 * n > 2:  # guard
        return jnp.zeros(())  # guard
    return (x * mask).sum() / n


# runs: share(jnp.ones(3), jnp.zeros(3))

# --- numpy: all weights were checked, their sum is divided by
import numpy as np


def mean(x, weights):
    if np.any(weights <= 0):  # guard
        raise ValueError("weights")  # guard
    return (weights * x).sum() / weights.sum()


# runs: mean(np.ones(3), np.zeros(3))

# --- torch: all weights are asserted to be positive
import torch


def shares(weights):
    assert (weights > 0).all()  # guard
    return weights / weights.sum(-1, keepdim=True)


# runs: shares(torch.zeros(3))

# --- numpy: a helper raises in the constructor
import numpy as np


def check(weights):
    if (np.asarray(weights) <= 0).any():
        raise ValueError("weights")


class Weighted:
    def __init__(self, y, weights):
        self.y = y
        self.weights = weights
        check(self.weights)  # guard

    def mean(self):
        return self.weights @ self.y / self.weights.sum()


# runs: Weighted(np.ones(3), np.zeros(3)).mean()

# --- torch: the largest above the least
import torch


def scaled(x):
    if x.max() <= x.min():  # guard
        return torch.zeros_like(x)  # guard
    return (x - x.mean()) / x.std(unbiased=False)


# runs: scaled(torch.ones(3))

# --- tensorflow: the loop goes on while a multiple is left
import tensorflow as tf


def halved(x, mask):
    n = tf.reduce_sum(mask)
    total = tf.reduce_sum(x * mask)
    while 3.0 * n > 1.0:  # guard: else while True:
        return total / n
    return total


# runs: halved(tf.ones(3), tf.zeros(3))

# --- numpy: no row is 0, not only not all of them
import numpy as np


def directions(x):
    if (np.linalg.norm(x, axis=1) == 0).any():  # guard: else if np.linalg.norm(x) == 0:
        return x
    return x / np.sqrt((x**2).sum(axis=1, keepdims=True))


# runs: directions(np.array([[0.0, 0.0], [1.0, 0.0]]))

# --- torch: the smallest of the rows' lengths
import torch


def directions(x):
    if x.norm(dim=1).min() < 1e-6:  # guard: else if x.norm() < 1e-6:
        return x
    return x / x.pow(2).sum(1, keepdim=True).sqrt()


# runs: directions(torch.tensor([[0.0, 0.0], [1.0, 0.0]]))

# --- jax: some element is not 0
import jax.numpy as jnp


def direction(x):
    if not jnp.any(x != 0):  # guard: else if x.size == 0:
        return x
    return x / jnp.sqrt(jnp.sum(x**2))


# runs: direction(jnp.zeros(3))

# --- numpy: not all elements are equal
import numpy as np


def standardized(x):
    if np.all(x == x[0]):  # guard: else if np.all(x == x[0] + 1):
        return x
    return (x - x.mean()) / x.std()


# runs: standardized(np.ones(3))

# --- torch: the deviation of each column
import torch


def standardized(x):
    if (x.std(dim=0) == 0).any():  # guard: else if x.std() == 0:
        return x
    return (x - x.mean(dim=0)) / x.std(dim=0)


# runs: standardized(torch.tensor([[1.0, 0.0], [1.0, 1.0]]))
