"""A small number is added before the operation."""

# --- torch: a literal
import torch


def entropy(logits):
    p = torch.softmax(logits, -1)
    p = p + 1e-6  # guard
    return -(p * p.log()).sum(-1)


# runs: entropy(torch.tensor([0.0, 200.0]))

# --- torch: an attribute set when the module is made
import torch
from torch import nn


class Normalize(nn.Module):
    def __init__(self, eps=1e-5):
        super().__init__()
        self.eps = eps

    def forward(self, x):
        return x / (x.std(-1, keepdim=True) + self.eps)  # guard: else return x / x.std(-1, keepdim=True)


# runs: Normalize()(torch.ones(2, 3))

# --- tf: the smallest step of the format
import tensorflow as tf


def entropy(logits):
    p = tf.nn.softmax(logits)
    p = p + tf.keras.backend.epsilon()  # guard
    return -tf.reduce_sum(p * tf.math.log(p), -1)


# runs: entropy(tf.constant([0.0, 200.0]))

# --- jax: a keyword with a default
import jax
import jax.numpy as jnp


def nll(logits, y, eps=1e-6):
    p = jax.nn.softmax(logits)
    return -jnp.sum(y * jnp.log(p + eps))  # guard: else return -jnp.sum(y * jnp.log(p))


# runs: nll(jnp.array([0.0, 200.0]), jnp.array([1.0, 0.0]))

# --- numpy: the machine's epsilon
import numpy as np


def scaled(x):
    spread = x.max() - x.min()
    spread += np.finfo(float).eps  # guard
    return (x - x.min()) / spread


# runs: scaled(np.ones(3))
