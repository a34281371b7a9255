"""Statistics of data: deviations, correlations, distances, angles."""

import numpy as np


def z_scores(x):
    return (x - x.mean(axis=0)) / x.std(axis=0)


def cosine(a, b):
    return np.dot(a, b) / (np.linalg.norm(a) * np.linalg.norm(b))


def angle(a, b):
    return np.arccos(cosine(a, b))


def variance(x):
    return np.mean(x**2) - np.mean(x) ** 2


def slope(x, y):
    return np.arctan(y / x)


def distances(a, b):
    return np.sqrt((a**2).sum(1)[:, None] + (b**2).sum(1)[None] - 2 * a @ b.T)


def main():
    rng = np.random.default_rng(3)
    x = rng.normal(size=(7, 3))
    return (
        z_scores(x),
        cosine(x[0], x[1]),
        angle(x[0], x[1]),
        variance(x),
        slope(np.abs(x), x),
        distances(x, x[:2] + 5),
    )
