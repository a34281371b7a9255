"""The size of the divisor is compared with a small number."""

# --- numpy: abs below
import numpy as np


def slope(x, y):
    dx = x.max() - x.min()
    if abs(dx) < 1e-8:  # guard
        return 0.0  # guard
    return (y.max() - y.min()) / dx


# runs: slope(np.ones(3), np.ones(3))

# --- numpy: isclose
import numpy as np


def slope(x, y):
    dx = x.max() - x.min()
    if np.isclose(dx, 0):  # guard
        return 0.0  # guard
    return (y.max() - y.min()) / dx


# runs: slope(np.ones(3), np.ones(3))

# --- numpy: allclose
import numpy as np


def scaled(x):
    low, high = x.min(), x.max()
    if np.allclose(low, high):  # guard
        return np.zeros_like(x)  # guard
    return (x - low) / (high - low)


# runs: scaled(np.ones(3))

# --- numpy: isclose, element by element
import numpy as np


def scaled(x):
    spread = x.max(axis=0) - x.min(axis=0)
    spread = np.where(np.isclose(spread, 0), 1.0, spread)  # guard
    return (x - x.min(axis=0)) / spread


# runs: scaled(np.array([[1.0, 1.0], [1.0, 2.0]]))

# --- torch: a named tolerance
import torch


def scaled(x, tolerance=1e-6):
    spread = x.max() - x.min()
    if spread <= tolerance:  # guard
        return torch.zeros_like(x)  # guard
    return (x - x.min()) / spread


# runs: scaled(torch.ones(3))

# --- math: isclose
import math

import numpy as np


def scaled(x):
    low, high = np.min(x), np.max(x)
    if math.isclose(low, high):  # guard
        return np.zeros_like(x)  # guard
    return (x - low) / (high - low)


# runs: scaled(np.ones(3))
