import numpy as np


def unit(v):
    n = np.sqrt((v**2).sum())
    if n == 0:
        return np.zeros_like(v)
    return v / n


def ratio(a, b):
    with np.errstate(all="ignore"):
        q = a / b
    q[~np.isfinite(q)] = 0.0
    return q


def ordinary():
    return unit(np.array([3.0, 4.0])), unit(np.zeros(2)), ratio(np.array([1.0, 0.0]), np.array([0.0, 0.0]))


def witness():
    return unit(np.zeros(2)), ratio(np.array([1.0, 0.0]), np.array([0.0, 0.0]))
