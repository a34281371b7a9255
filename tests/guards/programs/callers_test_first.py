"""A private function divides; whoever calls it has tested first."""

# --- torch: every caller returns first
import torch


def _mean(x, mask):
    return (x * mask).sum() / mask.sum()


def pooled(x, mask):
    if mask.sum() == 0:  # guard
        return x.sum() * 0  # guard
    return _mean(x, mask)


# runs: pooled(torch.ones(3), torch.zeros(3))

# --- numpy: the caller drops empty rows
import numpy as np


def _means(total, n):
    return total / n


def row_means(x, mask):
    n, total = mask.sum(axis=1), (x * mask).sum(axis=1)
    some = n > 0  # guard
    n, total = n[some], total[some]  # guard
    return _means(total, n)


# runs: row_means(np.ones((2, 3)), np.zeros((2, 3)))

# --- torch: a method
import torch


class Pool:
    def _mean(self, x, mask):
        return (x * mask).sum() / mask.sum()

    def __call__(self, x, mask):
        if not mask.any():  # guard
            return x.sum() * 0  # guard
        return self._mean(x, mask)


# runs: Pool()(torch.ones(3), torch.zeros(3))

# --- jax: the caller floors the count
import jax.numpy as jnp


def _ratio(total, n):
    return total / n


def pooled(x, mask):
    n = mask.sum()
    n = jnp.maximum(n, 1)  # guard
    return _ratio((x * mask).sum(), n)


# runs: pooled(jnp.ones(3), jnp.zeros(3))

# --- numpy: a lambda
import numpy as np


def row_means(x, mask):
    ratio = lambda a, b: a / b
    n = mask.sum()
    if n == 0:  # guard
        return 0.0  # guard
    return ratio((x * mask).sum(), n)


# runs: row_means(np.ones((2, 3)), np.zeros((2, 3)))
