"""The places where a count is above 0 are looked up, and only they are divided."""

# --- torch: nonzero
import torch


def means(x, mask):
    n = mask.sum(1)
    total = (x * mask).sum(1)
    keep = torch.nonzero(n).squeeze(1)  # guard
    total, n = total[keep], n[keep]  # guard
    return total / n


# runs: means(torch.ones(2, 3), torch.zeros(2, 3))

# --- numpy: where
import numpy as np


def row_means(x, mask):
    n = mask.sum(axis=1)
    total = (x * mask).sum(axis=1)
    keep = np.where(n > 0)[0]  # guard
    total, n = total[keep], n[keep]  # guard
    return total / n


# runs: row_means(np.ones((2, 3)), np.zeros((2, 3)))

# --- numpy: flatnonzero
import numpy as np


def entropy(labels):
    p = np.bincount(labels, minlength=5) / len(labels)
    p = p[np.flatnonzero(p)]  # guard
    return -np.sum(p * np.log(p))


# runs: entropy(np.zeros(3, int))

# --- jax: take
import jax.numpy as jnp


def means(x, mask):
    n = mask.sum(1)
    total = (x * mask).sum(1)
    keep = jnp.flatnonzero(n > 0)  # guard
    total, n = jnp.take(total, keep), jnp.take(n, keep)  # guard
    return total / n


# runs: means(jnp.ones((2, 3)), jnp.zeros((2, 3)))
