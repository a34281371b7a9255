"""A function of the file raises on the bad value, and is called first."""

# --- torch: it is given the count
import torch


def check_count(n):
    if n == 0:
        raise ValueError("an empty mask")


def masked_mean(x, mask):
    n = mask.sum()
    check_count(n)  # guard
    return (x * mask).sum() / n


# runs: masked_mean(torch.ones(3), torch.zeros(3))

# --- numpy: it asserts
import numpy as np


def check_rows(counts):
    assert np.all(counts > 0), "an empty row"


def row_means(x, mask):
    n = mask.sum(axis=1)
    check_rows(n)  # guard
    return (x * mask).sum(axis=1) / n


# runs: row_means(np.ones((2, 3)), np.zeros((2, 3)))

# --- torch: it hands the checked value back
import torch


def checked(n):
    if not n > 0:
        raise ValueError("an empty mask")
    return n


def masked_mean(x, mask):
    n = checked(mask.sum())  # guard: else n = mask.sum()
    return (x * mask).sum() / n


# runs: masked_mean(torch.ones(3), torch.zeros(3))

# --- torch: it is a method, and looks at the mask
import torch


class Pool:
    def validate(self, mask):
        if mask.sum() == 0:
            raise ValueError("an empty mask")

    def __call__(self, x, mask):
        self.validate(mask)  # guard
        return (x * mask).sum() / mask.sum()


# runs: Pool()(torch.ones(3), torch.zeros(3))

# --- numpy: it is given the two ends
import numpy as np


def check_range(low, high):
    if low >= high:
        raise ValueError("no range")


def scaled(x):
    low, high = np.min(x), np.max(x)
    check_range(low, high)  # guard
    return (x - low) / (high - low)


# runs: scaled(np.ones(3))

# --- numpy: it says whether
import numpy as np


def is_empty(mask):
    return mask.sum() == 0


def masked_mean(x, mask):
    if is_empty(mask):  # guard
        return 0.0  # guard
    return (x * mask).sum() / mask.sum()


# runs: masked_mean(np.ones(3), np.zeros(3))

# --- numpy: it is a constructor
import numpy as np


class Bell:
    def __init__(self, centre, width):
        self.centre = centre
        if np.any(width <= 0):
            raise ValueError("a width is positive")
        self.width = width


def slope(x, widths):
    width = np.abs(widths)
    bell = Bell(0.0, width)  # guard: else bell = 0.0
    return x / width, bell


# runs: slope(np.ones(3), np.zeros(3))[0]
