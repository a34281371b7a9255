import numpy as np
from scipy.special import softmax


def steps(z):
    p = softmax(z)
    yield p
    yield np.log(p)


def read(z, reused):
    found = []
    for part in steps(z):
        found.append(part.copy())
        if reused:
            z[:] = 0.0
    return found


def ordinary():
    return read(np.array([1.0, 2.0]), True), read(np.array([0.5, 0.25]), False)


def witness():
    return read(np.array([0.0, 900.0]), False)
