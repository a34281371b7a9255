"""What is bad is filtered out of the list or table before."""

# --- numpy: a list of groups
import numpy as np


def means(x, masks):
    masks = [m for m in masks if m.any()]  # guard
    return [x[m].mean() for m in masks]


# runs: means(np.ones(3), [np.zeros(3).astype(bool)])

# --- numpy: filter
import numpy as np


def ratios(x, masks):
    counts = [m.sum() for m in masks]
    counts = list(filter(lambda n: n > 0, counts))  # guard
    return [x.sum() / n for n in counts]


# runs: ratios(np.zeros(3), [np.zeros(3)])

# --- torch: a list of counts
import torch


def ratios(x, masks):
    counts = [m.sum() for m in masks]
    total = 0.0
    for n in counts:
        if n > 0:  # guard: else if True:
            total = total + x.sum() / n
    return total


# runs: ratios(torch.zeros(3), [torch.zeros(3)])
