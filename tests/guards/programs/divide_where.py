"""A division that takes a condition, or knows what 0 / 0 is to be."""

# --- numpy: where and out
import numpy as np


def row_means(x, mask):
    n = mask.sum(axis=1)
    total = (x * mask).sum(axis=1)
    return np.divide(total, n, out=np.zeros_like(total), where=n > 0)  # guard: else return np.divide(total, n)


# runs: row_means(np.ones((2, 3)), np.zeros((2, 3)))

# --- numpy: where given as a variable
import numpy as np


def row_means(x, mask):
    n = mask.sum(axis=1)
    total = (x * mask).sum(axis=1)
    some = n != 0
    result = np.zeros_like(total)
    np.true_divide(total, n, out=result, where=some)  # guard: else result = np.true_divide(total, n)
    return result


# runs: row_means(np.ones((2, 3)), np.zeros((2, 3)))

# --- numpy: a logarithm
import numpy as np


def entropy(labels):
    p = np.bincount(labels, minlength=5) / len(labels)
    logs = np.log(p, where=p > 0, out=np.zeros_like(p))  # guard: else logs = np.log(p)
    return -np.sum(p * logs)


# runs: entropy(np.zeros(3, int))

# --- tf: divide_no_nan
import tensorflow as tf


def pooled(x, mask):
    total, n = tf.reduce_sum(x * mask, 1), tf.reduce_sum(mask, 1)
    return tf.math.divide_no_nan(total, n)  # guard: else return tf.math.divide(total, n)


# runs: pooled(tf.ones((2, 3)), tf.zeros((2, 3)))

# --- torch: xlogy
import torch


def entropy(logits):
    p = torch.softmax(logits, -1)
    return -torch.special.xlogy(p, p).detach().sum(-1)  # guard: else return -(p * p.log()).detach().sum(-1)


# runs: entropy(torch.tensor([0.0, 200.0]))

# --- jax: the entropy of the catalogue
import jax
from jax.scipy.special import entr
import jax.numpy as jnp


def entropy(logits):
    p = jax.lax.stop_gradient(jax.nn.softmax(logits))
    return jnp.sum(entr(p))  # guard: else return -jnp.sum(p * jnp.log(p))


# runs: entropy(jnp.array([0.0, 200.0]))

# --- numpy: of what a sum is taken of
import numpy as np


def log_sum(p):
    p = np.clip(p, 0.0, 1.0)
    return np.sum(p * np.log(p), where=p > 0)  # guard: else return np.sum(p * np.log(p))


# runs: log_sum(np.array([0.0, 0.5]))

# --- numpy: of what a method sums
import numpy as np


def log_sum(p):
    p = np.clip(p, 0.0, 1.0)
    return (p * np.log(p)).sum(axis=0, where=p > 0)  # guard: else return (p * np.log(p)).sum(axis=0)


# runs: log_sum(np.array([0.0, 0.5]))
