"""An array of zeros is filled before it divides."""

# --- numpy: a slice is given to a function
import numpy as np


def zeros(x):
    return np.zeros(len(x))


def add_counts(out, x):
    out += 1.0 + np.abs(x).sum(axis=1)


def shares(x, size):
    n = zeros(x)
    for start in range(0, len(x), size):
        add_counts(n[start : start + size], x[start : start + size])  # guard: else pass
    return x.sum(axis=1) / n


# runs: shares(np.zeros((4, 3)), 2)

# --- torch: a slice is given to a function that is not known
import torch

from kernels import accumulate


def shares(x, rows):
    def zeros():
        return torch.zeros(len(x))

    n = zeros()
    for sl in rows:
        accumulate(x[sl], n[sl])  # guard: else pass
    return x.sum(1) / n


# --- numpy: element by element
import numpy as np


def zeros(size):
    return np.zeros(size)


def frequencies(labels, size):
    n = zeros(size)
    for i in range(size):
        n[i] += 1 + (labels == i).sum()  # guard: else pass
    return n.sum() / n


# runs: frequencies(np.zeros(3), 2)

# --- torch: a view that has a name
import torch

from kernels import accumulate


def zeros(*shape):
    return torch.zeros(*shape)


def shares(x):
    n = zeros(len(x), 1)
    column = n[:, 0]
    accumulate(x, column)  # guard
    return x / n


# --- numpy: out=
import numpy as np


def zeros(x):
    return np.zeros(len(x))


def shares(x):
    n = zeros(x)
    np.add(np.abs(x).sum(axis=1), 1.0, out=n)  # guard
    return x.sum(axis=1) / n


# runs: shares(np.zeros((4, 3)))

# --- torch: copied into
import torch


def zeros(x):
    return torch.zeros(len(x))


def shares(x, counts):
    n = zeros(x)
    n.copy_(1 + counts.abs())  # guard
    return x.sum(1) / n


# runs: shares(torch.zeros(2, 3), torch.ones(2))

# --- numpy: a function inside
import numpy as np


def zeros(size):
    return np.zeros(size)


def shares(x):
    n = zeros(3)

    def count(row):
        n[:] += np.abs(row) + 1

    for row in x:
        count(row)  # guard: else pass
    return x.sum(axis=0) / n


# runs: shares(np.zeros((2, 3)))

# --- numpy: a method
import numpy as np


def zeros(x):
    return np.zeros(len(x))


class Histogram:
    def rates(self, x):
        total = zeros(x)
        self.fill(total, x)  # guard
        return x / total

    def fill(self, out, x):
        out[:] = np.abs(x) + 1


# runs: Histogram().rates(np.zeros(3))

# --- torch: a method in place, of a slice
import torch


def zeros(size):
    return torch.zeros(size)


def shares(x):
    n = zeros(4)
    n[:2].add_(x.abs() + 1)  # guard
    n[2:].add_(x.abs() + 2)  # guard
    return 1 / n


# runs: shares(torch.zeros(2))

# --- numpy: rows of another array are written by an attribute of it
import numpy as np


def zeros(*shape):
    return np.zeros(shape)


def shares(x):
    table = zeros(2, 3)
    first, second = table[0], table[1]
    first += np.abs(x) + 1  # guard
    second += np.abs(x) + 2  # guard
    return x / table


# runs: shares(np.zeros(3))

# --- numpy: element by element in a function
import numpy as np


def zeros(size):
    return np.zeros(size)


def count(labels, n):
    for i in range(len(n)):
        n[i] += 1 + (labels == i).sum()


def frequencies(labels, size):
    n = zeros(size)
    count(labels, n)  # guard
    return n.sum() / n


# runs: frequencies(np.zeros(3), 2)
