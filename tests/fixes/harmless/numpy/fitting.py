"""Mixtures and regressions fitted with NumPy."""

import numpy as np


def responsibilities(x, means, sigmas, weights):
    density = weights * np.exp(-((x[:, None] - means) ** 2) / (2 * sigmas**2)) / sigmas
    return density / density.sum(axis=1, keepdims=True)


def fit(x, steps):
    means, sigmas, weights = np.array([-1.0, 1.0]), np.ones(2), np.full(2, 0.5)
    for _ in range(steps):
        r = responsibilities(x, means, sigmas, weights)
        n = r.sum(axis=0)
        means = (r * x[:, None]).sum(axis=0) / n
        sigmas = np.sqrt((r * (x[:, None] - means) ** 2).sum(axis=0) / n)
        weights = n / n.sum()
    return means, sigmas, weights


def logistic(x, y, steps):
    w = np.zeros(x.shape[1])
    for _ in range(steps):
        p = 1 / (1 + np.exp(-x @ w))
        w -= 0.1 * x.T @ (p - y) / len(y)
    p = 1 / (1 + np.exp(-x @ w))
    return w, -np.mean(y * np.log(p) + (1 - y) * np.log(1 - p))


def main():
    rng = np.random.default_rng(5)
    x = np.concatenate([rng.normal(-2, 0.5, 20), rng.normal(2, 0.5, 20)])
    data = rng.normal(size=(30, 2))
    return *fit(x, 4), *logistic(data, (data[:, 0] > 0) * 1.0, 10)
