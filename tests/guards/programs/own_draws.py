"""The data is drawn by the program itself, from a continuous range."""

# --- numpy: the range of normal draws
import numpy as np


def scaled(n):
    x = np.random.default_rng(0).standard_normal(n)  # guard: else x = np.asarray(n)
    return (x - x.min()) / (x.max() - x.min())


# runs: scaled(np.ones(3)) if scaled.__code__.co_argcount and "asarray" in scaled.__code__.co_names else scaled(3)

# --- torch: the range of a random walk
import torch


def scaled(steps):
    walk = torch.cumsum(torch.randn(8), 0)  # guard: else walk = torch.cumsum(steps, 0)
    return (walk - walk.min()) / (walk.max() - walk.min())


# runs: scaled(torch.zeros(3))

# --- jax: the range of uniform draws
import jax
import jax.numpy as jnp


def scaled(x, key):
    x = jax.random.uniform(key, (8,))  # guard
    return (x - jnp.min(x)) / (jnp.max(x) - jnp.min(x))


# runs: scaled(jnp.ones(3), jax.random.PRNGKey(0))
