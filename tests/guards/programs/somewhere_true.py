"""A mask that is true for one element at least, whatever the data is."""

# --- numpy: what equals the largest
import numpy as np


def greedy(q):
    best = (q == q.max(axis=1, keepdims=True)).astype(q.dtype)  # guard: else best = (q > 0).astype(q.dtype)
    best /= best.sum(axis=1, keepdims=True)
    return best


# runs: greedy(np.zeros((2, 3)))

# --- torch: the first of some, at least one
import torch


def mean_of_first(x, lengths):
    lengths = lengths.clamp(min=1)  # guard
    mask = torch.arange(x.shape[1]) < lengths[:, None]
    return (x * mask).sum(1) / mask.sum(1)


# runs: mean_of_first(torch.ones(2, 3), torch.zeros(2))

# --- jax: the first of some, counted from 1
import jax.numpy as jnp


def mean_of_first(x, lengths):
    lengths = jnp.maximum(lengths, 1)  # guard
    mask = jnp.arange(1, x.shape[1] + 1) <= lengths[:, None]
    return (x * mask).sum(1) / mask.sum(1)


# runs: mean_of_first(jnp.ones((2, 3)), jnp.zeros(2))

# --- torch: a number of random places, at least one
import torch


def masked_loss(loss, share):
    order = torch.rand(loss.shape).argsort(dim=-1)
    many = (share * loss.shape[-1]).clamp(min=1)  # guard: else many = share * loss.shape[-1]
    mask = order < many[:, None]
    return loss[mask].mean()


# runs: masked_loss(torch.ones(2, 3), torch.zeros(2))

# --- numpy: the support of a projection onto the simplex
import numpy as np


def threshold(scores):
    ordered = -np.partition(-scores, scores.shape[0] - 1)
    sums = ordered.cumsum() - 1  # guard: else sums = ordered.cumsum()
    k = np.arange(1, scores.shape[0] + 1)
    support = k * ordered > sums
    return sums[support].mean()


# runs: threshold(np.zeros(3))

# --- tensorflow: the nucleus: what comes before is less than p
import tensorflow as tf


def nucleus(probs):
    before = tf.cumsum(probs, axis=-1) - probs  # guard: else before = tf.cumsum(probs, axis=-1)
    keep = tf.cast(before < 0.9, tf.float32)
    return tf.reduce_sum(probs * keep) / tf.reduce_sum(keep)


# runs: nucleus(tf.constant([1.0, 0.0]))
