"""Terms that are not 0 at the same time: of x and 1 - x one is at least 1/2, and what sums to 1 is not 0."""

# --- torch: bumps of both ends
import torch


def bump(x):
    safe = torch.where(x <= 0, 1.0, x)
    return torch.where(x <= 0, 0.0, torch.exp(-1.0 / safe))


def step(x):
    up, down = bump(x), bump(1 - x)
    return down / (up + down)  # guard: else return down / up


# runs: step(torch.tensor([-1.0, 0.0, 2.0]))

# --- torch: squares of both ends
import torch


def blend(logit):
    p = torch.sigmoid(logit)
    return p**2 / (p**2 + (1 - p) ** 2)  # guard: else return (1 - p) ** 2 / p**2


# runs: blend(torch.tensor([-200.0, 200.0]))

# --- torch: a softmax summed over its own axis
import torch


def degrees(x):
    attention = torch.softmax(x, dim=2)  # guard: else attention = torch.relu(x)
    return 1 / attention.sum(dim=2)


# runs: degrees(-torch.ones(1, 2, 2))

# --- jax: a softmax summed over its own axis
import jax
import jax.numpy as jnp


def normalized(x):
    p = jax.nn.softmax(x, axis=-1)  # guard: else p = jax.nn.relu(x)
    return p / p.sum(-1, keepdims=True)


# runs: normalized(-jnp.ones((2, 2)))

# --- torch: a mean over another axis first
import torch


def degrees(x):
    attention = torch.softmax(x, dim=2)
    attention = torch.mean(attention, dim=0)
    degree = torch.sum(attention, dim=1)  # guard: else degree = torch.sum(attention, dim=0)
    return torch.diag(1 / degree)


# runs: degrees(torch.tensor([[[0.0, 200.0], [0.0, 200.0]]]))

# --- jax: two sigmoids
import jax
import jax.numpy as jnp


def blend(x):
    p = jax.nn.sigmoid(x)
    q = 1 - p
    return p / (p + q)  # guard: else return p / q


# runs: blend(jnp.array([-400.0, 400.0]))

# --- tf: a softmax and its complement
import tensorflow as tf


def odds(x):
    p = tf.nn.softmax(x)
    return p / (p + (1 - p))  # guard: else return p / (1 - p)


# runs: odds(tf.constant([0.0, 200.0]))
