"""The function raises on the bad value."""

# --- torch: on a count of 0
import torch


def masked_mean(x, mask):
    n = mask.sum()
    if n == 0:  # guard
        raise ValueError("an empty mask")  # guard
    return (x * mask).sum() / n


# runs: masked_mean(torch.ones(3), torch.zeros(3))

# --- torch: on any row of 0
import torch


def pooled(x, mask):
    n = mask.sum(1)
    if (n == 0).any():  # guard
        raise ValueError("an empty row")  # guard
    return (x * mask).sum(1) / n


# runs: pooled(torch.ones(2, 3), torch.zeros(2, 3))

# --- numpy: unless all are positive
import numpy as np


def row_means(x, mask):
    n = mask.sum(axis=1)
    if not np.all(n > 0):  # guard
        raise ValueError("an empty row")  # guard
    return (x * mask).sum(axis=1) / n


# runs: row_means(np.ones((2, 3)), np.zeros((2, 3)))

# --- numpy: on the smallest
import numpy as np


def row_means(x, mask):
    n = mask.sum(axis=1)
    if n.min() < 1:  # guard
        raise ValueError("an empty row")  # guard
    return (x * mask).sum(axis=1) / n


# runs: row_means(np.ones((2, 3)), np.zeros((2, 3)))

# --- numpy: on one of several conditions
import numpy as np


def scaled(x, low=0.0):
    spread = x.max() - x.min()
    if low < 0 or spread == 0:  # guard
        raise ValueError("no spread")  # guard
    return low + (x - x.min()) / spread


# runs: scaled(np.ones(3))

# --- numpy: counted again, and raised then
import numpy as np


def weights(x, near, nearer):
    n = (nearer < 1).sum()
    if n == 0:
        n = (near < 2).sum()
        if n == 0:  # guard
            raise ValueError("nothing is near")  # guard
    return x / n


# runs: weights(np.ones(3), np.full(3, 5.0), np.full(3, 5.0))

# --- torch: a check behind the division, before anything leaves the function
import torch


def deltas(boxes, targets):
    widths = boxes[:, 1] - boxes[:, 0]
    moved = (targets[:, 0] - boxes[:, 0]) / widths
    assert (widths > 0).all()  # guard
    return moved


# runs: deltas(torch.tensor([[1.0, 1.0]]), torch.tensor([[0.5, 2.0]]))

# --- numpy: a check behind the division, that raises
import numpy as np


def shares(counts):
    total = counts.sum(axis=1, keepdims=True)
    found = counts / total
    if (total == 0).any():  # guard
        raise ValueError("a row holds nothing")  # guard
    return found


# runs: shares(np.zeros((2, 3)))

# --- torch: as many terms as there are on the diagonal
import torch


def averaged(loss, views):
    terms = loss.numel() - loss.diagonal().numel()
    if terms == 0:  # guard
        raise ValueError("no terms")  # guard
    return loss.sum() / (terms * views)


# runs: averaged(torch.zeros(1, 1), 2)
