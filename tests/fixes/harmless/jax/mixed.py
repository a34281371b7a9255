"""NumPy before and after, JAX within; own frames."""

import math

import jax
import jax.numpy as jnp
import numpy as np


class Frame:
    def __init__(self, data: np.ndarray):
        self.data = np.asarray(data)

    def __truediv__(self, other):
        return Frame(self.data / np.asarray(getattr(other, "data", other)))

    def __rsub__(self, other):
        return Frame(other - self.data)

    def log(self):
        return Frame(np.log(self.data))

    def sum(self):
        return self.data.sum()

    @property
    def share(self):
        return self / self.sum()


def preprocess(x: np.ndarray) -> np.ndarray:
    return (x - x.mean(0)) / x.std(0)


def balance(labels):
    counts = np.bincount(labels)
    return counts.sum() / np.maximum(counts, 1)


def np_loss(z, y):
    p = np.exp(z) / np.exp(z).sum(-1, keepdims=True)
    return -np.log(p[np.arange(len(y)), y]).mean()


def jx_loss(z, y):
    p = jnp.exp(z) / jnp.exp(z).sum(-1, keepdims=True)
    return -jnp.log(p[jnp.arange(len(y)), y]).mean()


def report(losses) -> str:
    mean = sum(losses) / len(losses)
    return f"{mean:.3f} ± {math.sqrt(sum((v - mean) ** 2 for v in losses) / len(losses)):.3f}, ppl {math.exp(mean):.2f}"


def bits(history):
    return [v / math.log(2) for v in history], np.log2(np.exp(history))


def weighted(values, weights):
    values, weights = np.asarray(values), np.asarray(weights)
    return (values * weights).sum() / max(weights.sum(), 1)


def host(x):
    p = 1 / (1 + np.exp(-np.asarray(x)))
    return np.log(p), np.log(1 - p), np.log1p(-p)


def main():
    x, y = np.array([[1.0, 2.0], [0.5, -1.0], [0.0, 0.3]]), np.array([0, 1, 1])
    f = Frame(np.array([1.0, 3.0]))
    losses = [float(jx_loss(jnp.asarray(x), y)), 0.25]
    return (
        preprocess(x), balance(y), balance(np.array([0, 2])), np_loss(x, y), jx_loss(x, y), jax.grad(jx_loss)(x, y),
        report(losses), bits(losses), weighted([1, 2], [0.1, 0.3]), host(jnp.array([0.1, -2.0])), f.share.data,
        (1 - f.share).log().data, type(f.share.log()).__name__, np.sqrt((x**2).sum(1)),
        jnp.log(jnp.asarray(f.share.data)),
    )
