"""Python's own max under a count."""

# --- torch: of a mask's sum, as a number
import torch


def loss_per_token(losses, mask):
    n = int(mask.sum())
    n = max(n, 1)  # guard
    return (losses * mask).sum() / n


# runs: loss_per_token(torch.ones(3), torch.zeros(3))

# --- torch: with the literal first
import torch


def loss_per_token(losses, labels):
    n = (labels != -100).sum().item()
    return losses.sum() / max(1, n)  # guard: else return losses.sum() / n


# runs: loss_per_token(torch.zeros(3), torch.full((3,), -100))

# --- numpy: of a count
import numpy as np


def precision(hits, predicted):
    n = np.count_nonzero(predicted > 0.5)
    return np.sum(hits * (predicted > 0.5)) / max(n, 1)  # guard: else return np.sum(hits * (predicted > 0.5)) / n


# runs: precision(np.ones(3), np.zeros(3))

# --- jax: with a float
import jax.numpy as jnp


def mean_of_valid(x, mask):
    n = float(mask.sum())
    n = max(n, 1.0)  # guard
    return (x * mask).sum() / n


# runs: mean_of_valid(jnp.ones(3), jnp.zeros(3))
