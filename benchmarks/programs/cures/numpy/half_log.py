import numpy as np


def information(counts):
    p = (counts / 8).astype(np.float16)
    # bits
    return -np.log2(p)  # per symbol


def ordinary():
    return information(np.array([1.0, 2.0, 4.0]))


def witness():
    return information(np.array([0.0, 8.0]))
