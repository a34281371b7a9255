import numpy as np

from filling import fill


def score(scores, days):
    weights = np.zeros(scores.shape)
    fill(weights, days, 0.4)
    return np.sum(scores * weights, axis=1) / np.sum(weights, axis=1)


def main():
    return score(np.array([[0.25, 0.5]]), np.array([[3.0, 4.0]]))


# file: filling.py
def fill(out, days, most):
    for row, column in zip(*days.nonzero()):
        out[row, column] = min(most, 1 / days[row, column])
