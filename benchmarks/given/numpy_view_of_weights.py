import numpy as np


def smoothed(x, mask):
    weights = np.zeros(x.shape, dtype=np.float32)
    left = weights[: len(x) // 2]
    left[:] = 0.1
    weights[mask] += 0.2
    return (x * weights).sum() / weights.sum()


def main():
    return smoothed(np.arange(4.0), np.array([False, False, True, False]))
