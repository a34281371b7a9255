"""Functions that autograd differentiates: they are written with its own NumPy."""

import numpy as np

try:
    import autograd.numpy as anp
    from autograd import grad
except ImportError:
    anp = np
    grad = None


def softplus(x):
    return anp.log(1 + anp.exp(x))


def loss(w, x, y):
    p = 1 / (1 + anp.exp(-anp.dot(x, w)))
    return -anp.mean(y * anp.log(p) + (1 - y) * anp.log(1 - p))


def log_sum(x):
    return anp.log(anp.sum(anp.exp(x), axis=1))


def length(x):
    return anp.sqrt(anp.sum(x**2, axis=1))


def main():
    rng = np.random.default_rng(2)
    x, w, y = rng.normal(size=(6, 3)), rng.normal(size=3), (rng.random(6) > 0.5) * 1.0
    slope = grad(loss)(w, x, y) if grad is not None else None
    return (
        softplus(x),
        loss(w, x, y),
        log_sum(x),
        length(x),
        *([slope] if grad is not None else []),
    )
