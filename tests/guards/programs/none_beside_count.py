"""A count is 0 only while something else is None."""

# --- torch: two variables set together
import torch


def moving(batch, mask, start):
    if start is None:
        mean, count = None, mask.sum()
    else:
        mean, count = start.mean(), start.abs().sum() + 1
    if mean is None:  # guard
        return batch.sum()  # guard
    return batch.sum() / count


# runs: moving(torch.zeros(3), torch.zeros(3), None)

# --- numpy: two arguments of a helper
import numpy as np


def _combined(x, mean, count):
    if mean is None:  # guard
        return x  # guard
    return x / count


def first(x, mask):
    return _combined(x, None, mask.sum())


def later(x, mask):
    return _combined(x, x.mean(), mask.sum() + 1)


# runs: first(np.zeros(3), np.zeros(3))

# --- torch: the else of the test
import torch


def _combined(x, mean, count):
    if mean is None:  # guard
        updated = x  # guard
    else:  # guard: else if x is not None:
        updated = x / count
    return updated


def moving(x, mask, start):
    if start is None:
        mean, count = None, mask.sum()
    else:
        mean, count = start.mean(), start.abs().sum() + 1
    return _combined(x, mean, count)


# runs: moving(torch.zeros(3), torch.zeros(3), None)

# --- torch: attributes
import torch


class Running:
    def update(self, x, mask):
        first = not hasattr(self, "mean")
        if first:
            self.mean, self.count = None, mask.sum()
        if self.mean is not None:  # guard: else if x is not None:
            x = x / self.count
        self.mean = x.mean()
        return x


# runs: Running().update(torch.zeros(3), torch.zeros(3))

# --- numpy: in a conditional expression
import numpy as np


def moving(x, mask, start):
    mean, count = (None, mask.sum()) if start is None else (start.mean(), 1 + np.abs(start).sum())
    return x if mean is None else x / count  # guard: else return x / count


# runs: moving(np.zeros(3), np.zeros(3), None)
