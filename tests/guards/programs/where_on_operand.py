"""The operand is replaced where it would be bad."""

# --- torch: where
import torch


def means(x, mask):
    n = mask.sum(1)
    n = torch.where(n > 0, n, torch.ones_like(n))  # guard
    return (x * mask).sum(1) / n


# runs: means(torch.ones(2, 3), torch.zeros(2, 3))

# --- torch: masked_fill
import torch


def means(x, mask):
    n = mask.sum(1)
    n = n.masked_fill(n == 0, 1.0)  # guard
    return (x * mask).sum(1) / n


# runs: means(torch.ones(2, 3), torch.zeros(2, 3))

# --- torch: stored under a mask
import torch


def means(x, mask):
    n = mask.sum(1)
    n[n == 0] = 1  # guard
    return (x * mask).sum(1) / n


# runs: means(torch.ones(2, 3), torch.zeros(2, 3))

# --- jax: a double where
import jax
import jax.numpy as jnp


def distance(x, y):
    d2 = jnp.sum((x - y) ** 2)
    apart = d2 > 0
    safe = jnp.where(apart, d2, 1.0)  # guard: else safe = d2
    return jnp.where(apart, jnp.sqrt(safe), 0.0)


# runs: jax.grad(distance)(jnp.ones(3), jnp.ones(3))

# --- tf: equal to 0
import tensorflow as tf


def pooled(x, mask):
    n = tf.reduce_sum(mask, 1)
    n = tf.where(tf.equal(n, 0.0), tf.ones_like(n), n)  # guard
    return tf.reduce_sum(x * mask, 1) / n


# runs: pooled(tf.ones((2, 3)), tf.zeros((2, 3)))

# --- numpy: stored under a mask
import numpy as np


def row_means(x, mask):
    n = mask.sum(axis=1)
    n[n == 0] = 1.0  # guard
    return (x * mask).sum(axis=1) / n


# runs: row_means(np.ones((3, 2)), np.zeros((3, 2)))

# --- numpy: stored where a number is smaller than another
import numpy as np


def scaled(x):
    spread = x.max(axis=0) - x.min(axis=0)
    spread[spread < 1e-6] = 1.0  # guard
    return (x - x.min(axis=0)) / spread


# runs: scaled(np.ones((3, 2)))

# --- jax: at set under a mask
import jax.numpy as jnp


def means(x, mask):
    n = mask.sum(1)
    n = n.at[n == 0].set(1.0)  # guard
    return (x * mask).sum(1) / n


# runs: means(jnp.ones((2, 3)), jnp.zeros((2, 3)))

# --- numpy: putmask
import numpy as np


def row_means(x, mask):
    n = mask.sum(axis=1)
    np.putmask(n, n == 0, 1)  # guard
    return (x * mask).sum(axis=1) / n


# runs: row_means(np.ones((2, 3)), np.zeros((2, 3)))

# --- numpy: copyto
import numpy as np


def row_means(x, mask):
    n = mask.sum(axis=1)
    np.copyto(n, 1, where=n == 0)  # guard
    return (x * mask).sum(axis=1) / n


# runs: row_means(np.ones((2, 3)), np.zeros((2, 3)))
