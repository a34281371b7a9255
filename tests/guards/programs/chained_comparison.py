"""A number is between two others, one of them strictly: the two differ."""

# --- numpy: in one condition
import numpy as np


def between(x, low, high, at):
    if not low.min() <= at < high.min():  # guard
        return 0.0  # guard
    return (x - low.min()) / (high.min() - low.min())


# runs: between(np.ones(2), np.zeros(2), np.zeros(2), 0.0)

# --- torch: joined by and
import torch


def between(x, edges, at):
    low, high = edges.min(), edges.max()
    if high > at and at >= low:  # guard: else if high >= at and at >= low:
        return (x - low) / (high - low)
    return x


# runs: between(torch.ones(2), torch.zeros(2), torch.tensor(0.0))

# --- numpy: in a method that returns the two
import numpy as np


class Steps:
    def __init__(self, edges):
        self.edges = np.asarray(edges)
        self.at = 0.0

    def ends(self):
        low, high = self.edges.min(), self.edges.max()
        if low <= self.at < high:  # guard: else if low <= self.at <= high:
            return low, high
        return self.at, self.at + 1.0

    def share(self, x):
        low, high = self.ends()
        return (x - low) / (high - low)


# runs: Steps(np.zeros(3)).share(np.ones(3))
