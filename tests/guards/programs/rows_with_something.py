"""Rows in which there is nothing are left out before."""

# --- torch: rows with something in them
import torch


def means(x, mask):
    keep = mask.sum(1) > 0  # guard
    x, mask = x[keep], mask[keep]  # guard
    return (x * mask).sum(1) / mask.sum(1)


# runs: means(torch.ones(2, 3), torch.tensor([[0.0, 0, 0], [1, 1, 1]]))

# --- numpy: rows of which any is set
import numpy as np


def means(x, mask):
    keep = mask.any(axis=1)  # guard
    x, mask = x[keep], mask[keep]  # guard
    return (x * mask).sum(axis=1) / mask.sum(axis=1)


# runs: means(np.ones((2, 3)), np.array([[0.0, 0, 0], [1, 1, 1]]))

# --- torch: boxes with a size
import torch


@torch.no_grad()
def densities(boxes, mask):
    x0, x1 = boxes[:, 0], boxes[:, 2]
    boxes = boxes[(boxes[:, 2] > boxes[:, 0]) & (boxes[:, 3] > boxes[:, 1])]  # guard
    width, height = boxes[:, 2] - boxes[:, 0], boxes[:, 3] - boxes[:, 1]
    return 1 / (width * height)


# runs: densities(torch.ones(2, 4), None)
