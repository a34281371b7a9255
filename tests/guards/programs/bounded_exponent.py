"""What an exponential is taken of does not grow."""

# --- torch: cosines over a temperature
import torch
import torch.nn.functional as F


def weights(x, y, temperature=0.1):
    x = F.normalize(x, dim=1)  # guard
    y = F.normalize(y, dim=1)  # guard
    scores = torch.exp(x @ y.t() / temperature)
    return scores / scores.sum(1, keepdim=True)


# runs: weights(torch.full((2, 3), 9.0), torch.full((2, 3), 9.0))

# --- jax: distances within a scale
import jax.numpy as jnp


def gate(x, y, scale=0.5, start=1.0):
    r = jnp.abs(x - y)  # guard: else r = x - y
    return 1 / (1 + jnp.exp(-(r - start) / scale))


# --- tf: an action within its box
import tensorflow as tf


class Agent:
    def __init__(self, low, high):
        self.low, self.high = low, high

    def act(self, action):
        action = tf.clip_by_value(action, self.low, self.high)  # guard
        return tf.exp(action) / (1 + tf.exp(action))


# runs: Agent(-1.0, 1.0).act(tf.fill([2], 99.0))

# --- torch: only what is not negative comes in
import torch


def smooth(x, low: float):
    return 1 / (1 + torch.exp(-4 * (x - low)))


def loss(old, new, clip: float):
    ratio = torch.exp(new - old)  # guard: else ratio = new - old
    return smooth(ratio, 1 - clip).mean()
