"""A sum is 0 only where all of it is, and the backward pass of what rectifies it drops an infinite slope there."""

# --- torch: the root of a sum
import torch


def energy(x):
    x = torch.relu(x)  # guard: else x = x.abs()
    return x.sum(1).sqrt()


# runs: torch.func.grad(lambda x: energy(x).sum())(torch.zeros(2, 3))

# --- torch: a power of the mean of several
import torch
import torch.nn.functional as F


def energy(x, y):
    parts = [F.relu(x), F.relu(y)]  # guard: else parts = [F.relu(x), y.abs()]
    return torch.cat(parts, dim=1).mean(1) ** 0.5


# runs: torch.func.grad(lambda x: energy(x, x).sum())(torch.zeros(2, 3))

# --- jax: the root of a sum
import jax
import jax.numpy as jnp


def energy(x):
    x = jax.nn.relu(x)  # guard: else x = jnp.abs(x)
    return jnp.sqrt(jnp.sum(x, axis=1))


# runs: jax.grad(lambda x: energy(x).sum())(jnp.zeros((2, 3)))
