"""A match statement has a case for nothing."""

# --- numpy: a literal
import numpy as np


def masked_mean(x, mask):
    n = int(mask.sum())
    match n:
        case 0:  # guard
            return 0.0  # guard
        case _:
            return (x * mask).sum() / n


# runs: masked_mean(np.ones(3), np.zeros(3))

# --- torch: a guard
import torch


def masked_mean(x, mask):
    match mask.sum():
        case n if n > 0:  # guard: else case n:
            return (x * mask).sum() / n
    return x.sum() * 0


# runs: masked_mean(torch.ones(3), torch.zeros(3))

# --- numpy: a guard of a comparison
import numpy as np


def scaled(x):
    spread = x.max() - x.min()
    match spread:
        case s if s == 0:  # guard
            return x  # guard
        case _:
            return (x - x.min()) / spread


# runs: scaled(np.ones(3))
