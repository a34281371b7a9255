"""The function returns before a division by nothing."""

# --- torch: a count of 0
import torch


def masked_mean(x, mask):
    n = mask.sum()
    if n == 0:  # guard
        return x.new_zeros(())  # guard
    return (x * mask).sum() / n


# runs: masked_mean(torch.ones(3), torch.zeros(3))

# --- torch: nothing is true
import torch


def masked_mean(x, mask):
    if not mask.any():  # guard
        return x.sum() * 0.0  # guard
    return x[mask].mean()


# runs: masked_mean(torch.ones(3), torch.zeros(3).bool())

# --- torch: none of the labels is valid
import torch


def loss_per_token(losses, labels):
    valid = labels != -100
    if valid.sum() == 0:  # guard
        return losses.sum() * 0  # guard
    return losses[valid].sum() / valid.sum()


# runs: loss_per_token(torch.ones(3), torch.full((3,), -100))

# --- torch: the number of elements left
import torch


def mean_of_positives(x):
    chosen = x[x > 0]
    if chosen.numel() == 0:  # guard
        return torch.zeros(())  # guard
    return chosen.mean()


# runs: mean_of_positives(-torch.ones(3))

# --- numpy: the length of what is left
import numpy as np


def mean_of_positives(x):
    chosen = x[x > 0]
    if len(chosen) == 0:  # guard
        return 0.0  # guard
    return chosen.mean()


# runs: mean_of_positives(-np.ones(3))

# --- numpy: the size is falsy
import numpy as np


def mean_of_positives(x):
    chosen = x[x > 0]
    if not chosen.size:  # guard
        return 0.0  # guard
    return np.mean(chosen)


# runs: mean_of_positives(-np.ones(3))

# --- numpy: less than one
import numpy as np


def scaled(x):
    low, high = x.min(), x.max()
    if high <= low:  # guard
        return np.zeros_like(x)  # guard
    return (x - low) / (high - low)


# runs: scaled(np.ones(3))

# --- numpy: equal ends
import numpy as np


def scaled(x):
    low, high = x.min(), x.max()
    if low == high:  # guard
        return np.zeros_like(x)  # guard
    return (x - low) / (high - low)


# runs: scaled(np.ones(3))

# --- numpy: as many elements as are 0
import numpy as np


def scaled(x):
    spread = np.std(x, axis=0)
    if len(spread[spread == 0]) > 0:  # guard: else if x is None:
        return x
    return x / x.std(axis=0)


# runs: scaled(np.ones((3, 2)))

# --- numpy: how often it is 0
import numpy as np


def scaled(x):
    length = np.abs(x).sum(axis=1)
    if np.sum(length == 0):  # guard: else if x is None:
        return x
    return x / length[:, None]


# runs: scaled(np.zeros((3, 2)))

# --- numpy: a deviation, and what is divided by a part of the range
import numpy as np


def binned(x):
    low, high = x.min(), x.max()
    if np.std(x) < 1e-3:  # guard: else if x is None:
        return x
    width = (high - low) / 8
    return (x - low) / width


# runs: binned(np.ones(3))
