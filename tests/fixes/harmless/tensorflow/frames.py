"""Data frames of one's own beside TensorFlow; python numbers; closures."""

import math

import numpy as np
import tensorflow as tf


class Column:
    def __init__(self, values):
        self.values = np.asarray(values, dtype=np.float64)

    def __array__(self, dtype=None, copy=None):
        return self.values if dtype is None else self.values.astype(dtype)

    def __sub__(self, other):
        return Column(self.values - np.asarray(other))

    def __rsub__(self, other):
        return Column(np.asarray(other) - self.values)

    def __mul__(self, other):
        return Column(self.values * np.asarray(other))

    def __truediv__(self, other):
        return Column(self.values / np.asarray(other))

    def mean(self):
        return float(self.values.mean())

    def std(self):
        return float(self.values.std())

    def sum(self):
        return float(self.values.sum())

    def log(self):
        return Column(np.log(self.values))

    def sqrt(self):
        return Column(np.sqrt(self.values))


def zscore(c):
    return (c - c.mean()) / c.std()


def entropy(c):
    p = c / c.sum()
    return -(p * p.log()).sum()


def complement(p):
    return (1 - p).log()


def to_logits(c):
    p = tf.convert_to_tensor(c.values)
    return tf.math.log(p / (1 - p))


def schedule(warm: int, peak: float = 1.0):
    def rate(step: int) -> float:
        if step < warm:
            return peak * step / warm
        return peak * 0.5 * (1 + math.cos(math.pi * (step - warm) / 100))

    return rate


def perplexity(losses):
    return math.exp(sum(losses) / len(losses)), 2 ** (sum(losses) / len(losses) / math.log(2))


def geometric(values):
    return math.exp(sum(math.log(v) for v in values) / len(values)), math.prod(values) ** (1 / len(values))


def spread(values):
    n = len(values)
    return math.sqrt(sum(v * v for v in values) / n - (sum(values) / n) ** 2)


def weighted(c, w):
    return (c * w).sum() / max(w.sum(), 1)


def softmax(values):
    e = [math.exp(v) for v in values]
    return [v / sum(e) for v in e]


def main():
    c = Column([0.2, 0.5, 0.9])
    rate = schedule(5)
    return (
        zscore(c).values, entropy(c), complement(c).values, to_logits(c), [rate(s) for s in (1, 5, 50)],
        perplexity([0.5, 1.0]), geometric([1.0, 2.0, 4.0]), spread([1.0, 2.0, 4.0]),
        weighted(c, Column([0.1, 0.2, 0.1])),
        softmax([0.1, 1.0]), c.sqrt().values, [math.log(p) for p in softmax([0.1, 1.0])], math.sqrt(c.sum()),
        [-math.log2(p) for p in softmax([1, 2])], tf.math.log(tf.nn.softmax(c.values)), type(c.log()).__name__,
    )
