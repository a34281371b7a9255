"""Only the elements that may be divided are, and are stored into an array of zeros."""

# --- numpy: under a mask
import numpy as np


def row_means(x, mask):
    n = mask.sum(axis=1)
    total = (x * mask).sum(axis=1)
    result = np.zeros(len(n))
    some = n > 0
    result[some] = total[some] / n[some]  # guard: else result[:] = total / n
    return result


# runs: row_means(np.ones((2, 3)), np.zeros((2, 3)))

# --- torch: under a mask
import torch


def means(x, mask):
    n = mask.sum(1)
    total = (x * mask).sum(1)
    result = torch.zeros_like(total)
    some = n != 0
    result[some] = total[some] / n[some]  # guard: else result = total / n
    return result


# runs: means(torch.ones(2, 3), torch.zeros(2, 3))

# --- numpy: in a loop over those
import numpy as np


def row_means(x, mask):
    n = mask.sum(axis=1)
    result = np.zeros(len(n))
    for i in range(len(n)):
        if n[i] > 0:  # guard: else if True:
            result[i] = (x[i] * mask[i]).sum() / n[i]
    return result


# runs: row_means(np.ones((2, 3)), np.zeros((2, 3)))

# --- numpy: in place
import numpy as np


def normalized(p, mask):
    n = mask.sum(axis=1)
    p[n > 0] /= n[n > 0]  # guard: else p /= n
    return p


# runs: normalized(np.zeros(2), np.zeros((2, 3)))
