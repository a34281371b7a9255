"""``n or 1``: what is falsy is replaced."""

# --- torch: of an int
import torch


def loss_per_token(losses, mask):
    n = int(mask.sum()) or 1  # guard: else n = int(mask.sum())
    return (losses * mask).sum() / n


# runs: loss_per_token(torch.ones(3), torch.zeros(3))

# --- torch: in the quotient
import torch


def loss_per_token(losses, labels):
    n = (labels != -100).sum().item()
    return losses.sum() / (n or 1)  # guard: else return losses.sum() / n


# runs: loss_per_token(torch.zeros(3), torch.full((3,), -100))

# --- numpy: of a spread
import numpy as np


def scaled(x):
    spread = x.max() - x.min() or 1.0  # guard: else spread = x.max() - x.min()
    return (x - x.min()) / spread


# runs: scaled(np.ones(3))

# --- numpy: falsy, then set
import numpy as np


def scaled(x):
    spread = x.max() - x.min()
    if not spread:  # guard
        spread = 1.0  # guard
    return (x - x.min()) / spread


# runs: scaled(np.ones(3))
