import numpy as np


def zscore(x, eps=1e-8):
    return (x - x.mean(0)) / x.std(0)


def scaled(x):
    return (x - x.min(0)) / (x.max(0) - x.min(0))


def ordinary():
    x = np.array([[1.0, 2.0], [2.0, 6.0], [4.0, 1.0]])
    return zscore(x), scaled(x)


def witness():
    x = np.array([[1.0, 2.0], [1.0, 6.0], [1.0, 1.0]])
    return zscore(x), scaled(x)
