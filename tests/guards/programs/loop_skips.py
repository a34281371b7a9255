"""A loop skips what is empty."""

# --- torch: continue on a count
import torch


def class_means(x, labels, classes):
    found = []
    for c in range(classes):
        chosen = labels == c
        n = chosen.sum()
        if n == 0:  # guard
            continue  # guard
        found.append((x * chosen).sum() / n)
    return torch.stack(found)


# runs: class_means(torch.ones(3), torch.zeros(3), 2)

# --- torch: continue on a mask
import torch


def class_means(x, labels, classes):
    total = 0.0
    for c in range(classes):
        chosen = labels == c
        if not chosen.any():  # guard
            continue  # guard
        total = total + x[chosen].mean()
    return total


# runs: class_means(torch.ones(3), torch.zeros(3), 2)

# --- numpy: only the classes that occur
import numpy as np


def class_means(x, labels, classes):
    return [x[labels == c].mean() for c in np.unique(labels)]  # guard: else return [x[labels == c].mean() for c in classes]


# runs: class_means(np.ones(3), np.zeros(3), [0, 1])

# --- numpy: a filter in the comprehension
import numpy as np


def ratios(x, masks):
    counts = [m.sum() for m in masks]
    return [x.sum() / n for n in counts if n > 0]  # guard: else return [x.sum() / n for n in counts]


# runs: ratios(np.ones(3), [np.zeros(3)])

# --- numpy: the length of a group
import numpy as np


def class_means(x, labels, classes):
    found = []
    for c in classes:
        group = x[labels == c]
        if len(group):  # guard: else if True:
            found.append(group.mean())
    return found


# runs: class_means(np.ones(3), np.zeros(3), [0, 1])

# --- torch: the classes that occur
import torch


def class_means(x, labels, classes):
    total = 0.0
    for c in labels.unique():  # guard: else for c in classes:
        chosen = labels == c
        total = total + (x * chosen).sum() / chosen.sum()
    return total


# runs: class_means(torch.ones(3), torch.zeros(3), [0, 1])
