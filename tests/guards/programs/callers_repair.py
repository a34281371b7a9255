"""A private function divides; whoever calls it replaces what is not finite."""

# --- numpy: nan_to_num
import numpy as np


def _means(x, mask):
    return (x * mask).sum(axis=1) / mask.sum(axis=1)


def row_means(x, mask):
    means = _means(x, mask)
    return np.nan_to_num(means)  # guard: else return means


# runs: row_means(np.ones((2, 3)), np.zeros((2, 3)))

# --- numpy: where
import numpy as np


def _means(x, n):
    return x.sum(axis=1) / n


def row_means(x, mask):
    n = mask.sum(axis=1)
    means = _means(x * mask, n)
    means[n == 0] = 0  # guard
    return means


# runs: row_means(np.ones((2, 3)), np.zeros((2, 3)))

# --- torch: under no_grad, the finite ones
import torch


def _means(x, mask):
    return (x * mask).sum(1) / mask.sum(1)


@torch.no_grad()
def mean_of_means(x, mask):
    means = _means(x, mask)
    means = means[~torch.isnan(means)]  # guard
    return means.sum()


# runs: mean_of_means(torch.ones(2, 3), torch.zeros(2, 3))

# --- torch: a method, whose result is filled
import torch


class Scores:
    def _scores(self, x, mask):
        return (x * mask).sum(1) / mask.sum(1)

    @torch.no_grad()
    def report(self, x, mask):
        scores = self._scores(x, mask)
        scores = scores.masked_fill(mask.sum(1) == 0, 0.0)  # guard
        return scores


# runs: Scores().report(torch.ones(2, 3), torch.zeros(2, 3))
