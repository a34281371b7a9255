"""What is 0 is raised by the test for it."""

# --- torch: plus the comparison
import torch


def means(x, mask):
    n = mask.sum(1)
    n = n + (n == 0)  # guard
    return (x * mask).sum(1) / n


# runs: means(torch.ones(2, 3), torch.zeros(2, 3))

# --- numpy: in place
import numpy as np


def row_means(x, mask):
    n = mask.sum(axis=1)
    n += n == 0  # guard
    return (x * mask).sum(axis=1) / n


# runs: row_means(np.ones((2, 3)), np.zeros((2, 3)))

# --- tf: cast
import tensorflow as tf


def pooled(x, mask):
    n = tf.reduce_sum(mask, 1)
    n = n + tf.cast(tf.equal(n, 0.0), tf.float32)  # guard
    return tf.reduce_sum(x * mask, 1) / n


# runs: pooled(tf.ones((2, 3)), tf.zeros((2, 3)))

# --- jax: times a small number
import jax
import jax.numpy as jnp


def entropy(logits):
    p = jax.nn.softmax(logits)
    p = p + (p == 0) * 1e-6  # guard
    return -jnp.sum(p * jnp.log(p))


# runs: entropy(jnp.array([0.0, 200.0]))

# --- torch: of what is held at 0 and above
import torch


def distances(squared):
    zero = (squared <= 0).float()
    d = squared.clamp(min=0)
    d = d + zero * 1e-16  # guard
    return d.sqrt() * (1 - zero)


# runs: torch.func.grad(lambda s: distances(s).sum())(torch.tensor([0.0, 1.0]))
