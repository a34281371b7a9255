"""The result is replaced where the operand was bad, and no gradient is taken."""

# --- numpy: where
import numpy as np


def row_means(x, mask):
    n = mask.sum(axis=1)
    means = (x * mask).sum(axis=1) / n
    means = np.where(n > 0, means, 0.0)  # guard
    return means


# runs: row_means(np.ones((2, 3)), np.zeros((2, 3)))

# --- torch: under no_grad
import torch


@torch.no_grad()
def means(x, mask):
    n = mask.sum(1)
    return torch.where(n == 0, 0.0, (x * mask).sum(1) / n)  # guard: else return (x * mask).sum(1) / n


# runs: means(torch.ones(2, 3), torch.zeros(2, 3))

# --- numpy: stored under a mask
import numpy as np


def row_means(x, mask):
    n = mask.sum(axis=1)
    means = (x * mask).sum(axis=1) / n
    means[n == 0] = 0.0  # guard
    return means


# runs: row_means(np.ones((2, 3)), np.zeros((2, 3)))

# --- torch: masked_fill
import torch


@torch.no_grad()
def means(x, mask):
    n = mask.sum(1)
    result = (x * mask).sum(1) / n
    result = result.masked_fill(n == 0, 0.0)  # guard
    return result


# runs: means(torch.ones(2, 3), torch.zeros(2, 3))

# --- numpy: the good ones are taken
import numpy as np


def row_means(x, mask):
    n = mask.sum(axis=1)
    means = (x * mask).sum(axis=1) / n
    return means[n > 0]  # guard: else return means


# runs: row_means(np.ones((2, 3)), np.zeros((2, 3)))

# --- numpy: what is too large is set to 0, an infinity with it
import numpy as np


def weights(labels):
    share = np.reciprocal((labels >= 0).sum(axis=1).astype(float))
    share[share > 1] = 0.0  # guard
    return share


# runs: weights(-np.ones((2, 3)))

# --- torch: of whole numbers, below a bound that nobody knows
import torch


def bucket(distance, buckets: int = 32, furthest: int = 128):
    distance = torch.clamp(distance, min=0)
    exact = buckets // 2
    near = distance < exact
    far = exact + (torch.log(distance.float() / exact) / 3 * (buckets - exact)).long()
    far = torch.minimum(far, torch.full_like(far, buckets - 1))
    return torch.where(near, distance, far)  # guard: else return far


# --- jax: at the two places where a factor is 0 with its logarithm
import jax.numpy as jnp


def log_density(value, a, b):
    density = (a - 1.0) * jnp.log(value) + (b - 1.0) * jnp.log1p(-value)
    at_end = ((a == 1.0) & (value == 0)) | ((b == 1.0) & (value == 1))
    return jnp.where(at_end, 0.0, density)  # guard: else return density


# runs: log_density(jnp.array([0.0, 0.5]), 1.0, 1.0)
