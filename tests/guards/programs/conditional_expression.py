"""A conditional expression divides on one side only."""

# --- torch: if else
import torch


def masked_mean(x, mask):
    n = mask.sum()
    return (x * mask).sum() / n if n > 0 else x.sum() * 0  # guard: else return (x * mask).sum() / n


# runs: masked_mean(torch.ones(3), torch.zeros(3))

# --- numpy: of a length
import numpy as np


def mean_of_positives(x):
    chosen = x[x > 0]
    return chosen.mean() if len(chosen) else 0.0  # guard: else return chosen.mean()


# runs: mean_of_positives(-np.ones(3))

# --- numpy: the divisor
import numpy as np


def scaled(x):
    spread = x.max() - x.min()
    spread = spread if spread > 0 else 1.0  # guard
    return (x - x.min()) / spread


# runs: scaled(np.ones(3))

# --- torch: of a number
import torch


def masked_mean(x, mask):
    n = mask.sum().item()
    scale = 1.0 / n if n else 0.0  # guard: else scale = x.new_ones(()) / n
    return (x * mask).sum() * scale


# runs: masked_mean(torch.ones(3), torch.zeros(3))

# --- numpy: any
import numpy as np


def masked_mean(x, mask):
    return x[mask].mean() if mask.any() else 0.0  # guard: else return x[mask].mean()


# runs: masked_mean(np.ones(3), np.zeros(3).astype(bool))

# --- torch: the first of the sizes of what is selected
import torch


def mean_above(x, y, least):
    chosen = x[x > least]
    return (chosen - y).mean() if chosen.shape[0] > 0 else x.sum() * 0.0  # guard: else return (chosen - y).mean()


# runs: mean_above(torch.zeros(3), torch.zeros(()), 1.0)
