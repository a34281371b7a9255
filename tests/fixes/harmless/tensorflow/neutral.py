"""Backend-neutral Keras 3."""

import keras
import numpy as np
from keras import ops


class Attention(keras.layers.Layer):
    def call(self, q, k, v, mask=None):
        scores = ops.matmul(q, ops.transpose(k)) / np.sqrt(q.shape[-1])
        if mask is not None:
            scores = ops.where(mask, scores, -1e9)
        return ops.matmul(ops.softmax(scores, axis=-1), v)


def entropy(logits):
    p = ops.softmax(logits)
    return -ops.sum(p * ops.log(p), axis=-1)


def entropy_bits(p):
    return -ops.sum(p * ops.log2(p), axis=-1)


def bits(logits):
    return ops.log2(ops.softmax(logits)), ops.log10(ops.sigmoid(logits)), ops.log(ops.softmax(logits, axis=-1))


def bce(y, logits):
    p = ops.sigmoid(logits)
    return -ops.mean(y * ops.log(p) + (1 - y) * ops.log(1 - p))


def softplus(x):
    return ops.log(1 + ops.exp(x))


def masked(x, mask):
    return ops.sum(x * mask) / ops.maximum(ops.sum(mask), 1)


def safe(x):
    return ops.where(x > 0, ops.log(ops.where(x > 0, x, 1.0)), float("-inf"))


def ratio(a, b):
    return ops.divide_no_nan(a, b), a / b


def norm(x):
    return x / ops.norm(x, axis=-1, keepdims=True), ops.sqrt(ops.sum(ops.square(x), axis=-1))


def variance(x):
    return ops.mean(x**2, axis=-1) - ops.mean(x, axis=-1) ** 2, ops.std(x, axis=-1)


def cosine(a, b):
    return ops.arccos(ops.sum(a * b, -1) / (ops.norm(a, axis=-1) * ops.norm(b, axis=-1)))


def host(x):
    e = np.exp(np.asarray(x))
    return np.log(e / e.sum(-1, keepdims=True)), np.sqrt((e**2).sum(-1))


def main():
    x = ops.convert_to_tensor([[0.5, -1.0, 2.0], [1.0, 0.25, 0.1]])
    y = ops.convert_to_tensor([[1.0, 0.0, 1.0], [0.0, 0.0, 1.0]])
    raw = np.array([[0.5, 1.0, 2.0]], "float32")
    out = (
        Attention()(x, x, y, mask=np.array([[True, False], [True, True]])), entropy(x), entropy_bits(ops.softmax(x)),
        bits(x), bce(y, x), softplus(x), masked(x, y), masked(x, y * 0), masked(x, ops.abs(x) * 0.05), safe(x),
        ratio(x, y), norm(x), variance(x), cosine(x, x + 1), host(x), entropy(raw), softplus(raw),
        masked(raw, raw * 0.1),
        safe(raw - 0.5), norm(raw), variance(raw),
    )
    return keras.tree.map_structure(np.asarray, out)
