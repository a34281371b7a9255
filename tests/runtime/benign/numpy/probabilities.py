"""Softmax, entropies and divergences with their guards; -inf as a start of a maximum; log-sum-exp; a Viterbi pass."""

import numpy as np


def softmax(x):
    x = x - x.max(-1, keepdims=True)
    e = np.exp(x)
    return e / e.sum(-1, keepdims=True)


def entropy(p):
    p = np.asarray(p, dtype=float)
    p = p[p > 0]
    return -np.sum(p * np.log2(p))


def divergence(p, q):
    inside = (p > 0) & (q > 0)
    return np.sum(p[inside] * np.log(p[inside] / q[inside]))


def logsumexp(x):
    top = np.max(x)
    return top + np.log(np.sum(np.exp(x - top)))


x = np.array([[1.0, 2.0, 3.0], [1e3, 0.0, -1e3]])
print(
    softmax(x),
    entropy([0.5, 0.5, 0.0]),
    divergence(softmax(x)[0], np.full(3, 1 / 3)),
    logsumexp(x[0]),
    np.logaddexp(1, 2),
)
best = -np.inf
for value in x.ravel():
    if value > best:
        best = value
print(best, np.full(2, -np.inf).max(initial=3.0), np.isfinite(best), np.argmax([-np.inf, 1.0]), np.minimum(np.inf, 2.0))
start, move = np.log([0.6, 0.4]), np.log([[0.7, 0.3], [0.4, 0.6]])
emit = np.log([[0.5, 0.4, 0.1], [0.1, 0.3, 0.6]])
score, back = start + emit[:, 0], []
for symbol in (1, 2, 0):
    options = score[:, None] + move
    back.append(options.argmax(0))
    score = options.max(0) + emit[:, symbol]
print(score, back, np.exp(logsumexp(score)))
with np.errstate(divide="ignore"):
    z = (x[0] - x[0].mean()) / x[0].std()
print(z, np.exp(-0.5 * z**2) / np.sqrt(2 * np.pi), np.cumsum(softmax(x), -1), np.allclose(softmax(x).sum(-1), 1))
