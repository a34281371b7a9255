"""``and`` and ``or`` do not come to the division."""

# --- torch: and
import torch


def mostly_valid(x, mask):
    n = mask.sum()
    return bool(n > 0 and (x * mask).sum() / n > 0.5)  # guard: else return (x * mask).sum() / n


# runs: mostly_valid(torch.ones(3), torch.zeros(3))

# --- numpy: or
import numpy as np


def converged(x, labels):
    n = (labels == 1).sum()
    return bool(n == 0 or (x.sum() / n) < 1e-3)  # guard: else return x.sum() / n


# runs: converged(np.zeros(3), np.zeros(3))

# --- numpy: in the test of an if
import numpy as np


def mean_or_nothing(x, mask):
    n = mask.sum()
    if not n or (x * mask).sum() / n < 0:  # guard: else if (x * mask).sum() / n < 0:
        return 0.0
    return (x * mask).sum() / n


# runs: mean_or_nothing(np.ones(3), np.zeros(3))
