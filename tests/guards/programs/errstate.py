"""NumPy is told that the division is meant, or to raise."""

# --- numpy: ignored
import numpy as np


def row_means(x, mask):
    with np.errstate(divide="ignore", invalid="ignore"):  # guard: else if True:
        return (x * mask).sum(axis=1) / mask.sum(axis=1)


# --- numpy: a decorator
import numpy as np


@np.errstate(invalid="ignore")  # guard
def row_means(x, mask):
    return (x * mask).sum(axis=1) / mask.sum(axis=1)


# --- numpy: raised
import numpy as np


def row_means(x, mask):
    with np.errstate(all="raise"):  # guard: else if True:
        return (x * mask).sum(axis=1) / mask.sum(axis=1)


# runs: row_means(np.ones((2, 3)), np.zeros((2, 3)))

# --- numpy: raised, and caught
import numpy as np


def row_means(x, mask):
    try:  # guard: else if True:
        with np.errstate(invalid="raise"):  # guard: else if True:
            return (x * mask).sum(axis=1) / mask.sum(axis=1)
    except FloatingPointError:  # guard
        return np.zeros(len(x))  # guard


# runs: row_means(np.ones((2, 3)), np.zeros((2, 3)))

# --- numpy: for the whole file
import numpy as np

np.seterr(divide="ignore", invalid="ignore")  # guard


def row_means(x, mask):
    return (x * mask).sum(axis=1) / mask.sum(axis=1)
