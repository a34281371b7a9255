"""The form of the expression keeps it from the pole."""

# --- torch: one more than a square
import torch


def penalty(x):
    d2 = ((x - x.mean()) ** 2).sum()
    return torch.log(2 + d2)  # guard: else return torch.log(d2)


# runs: penalty(torch.ones(3))

# --- numpy: counts of what occurs
import numpy as np


def entropy(labels):
    _, counts = np.unique(labels, return_counts=True)
    p = counts / counts.sum()
    return -np.sum(p * np.log(p))  # guard: else return -np.sum(np.log(np.bincount(labels, minlength=5)))


# runs: entropy(np.zeros(3, int))

# --- numpy: one is added to each count
import numpy as np


def smoothed(labels):
    n = np.bincount(labels, minlength=5)
    n = n + 1  # guard
    return np.log(n)


# runs: smoothed(np.zeros(3, int))

# --- jax: from the logits
import jax
import jax.numpy as jnp


def nll(logits, y):
    logp = jax.nn.log_softmax(logits)  # guard: else logp = jnp.log(jax.nn.softmax(logits))
    return -jnp.sum(y * logp)


# runs: nll(jnp.array([0.0, 200.0]), jnp.array([1.0, 0.0]))

# --- tf: the largest is subtracted
import tensorflow as tf


def weights(x):
    x = x - tf.reduce_max(x, keepdims=True)  # guard
    w = tf.exp(x)
    return tf.reduce_sum(w * w) / tf.reduce_sum(w)


# runs: weights(tf.constant([-2000.0, -2000.0]))

# --- torch: a sum with the largest term
import torch


def normalized(x):
    w = torch.exp(x - x.max(-1, keepdim=True).values)  # guard: else w = torch.exp(x)
    return w / w.sum(-1, keepdim=True)


# runs: normalized(torch.tensor([-2000.0, -2000.0]))
