import numpy as np


def pooled(values, groups, n):
    total = np.bincount(groups, values, minlength=n)
    count = np.bincount(groups, minlength=n)
    mean = total / count
    return mean, np.nansum(mean * count)


def ordinary():
    return pooled(np.array([1.0, 2.0, 4.0]), np.array([0, 1, 1]), 2)


def witness():
    return pooled(np.array([1.0, 2.0, 4.0]), np.array([0, 2, 2]), 3)[0]
