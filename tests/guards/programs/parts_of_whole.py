"""A sum holds something, whatever its parts are."""

# --- torch: right and wrong are all there are
import torch


def accuracy(scores, labels):
    predictions = scores > 0.5
    truths = labels > 0.5
    tp = (predictions & truths).sum()
    tn = (~predictions & ~truths).sum()
    fp = (predictions & ~truths).sum()
    fn = (~predictions & truths).sum()
    total = tp + tn + fp + fn  # guard: else total = tp + tn
    return (tp + tn) / total


# runs: accuracy(torch.ones(3), torch.zeros(3))

# --- tf: hits and misses
import tensorflow as tf


def accuracy(predictions, labels):
    hits = tf.reduce_sum(tf.cast(tf.equal(predictions, labels), tf.float32))
    misses = tf.reduce_sum(tf.cast(tf.not_equal(predictions, labels), tf.float32))
    total = hits + misses  # guard: else total = hits
    return hits / total


# runs: accuracy(tf.ones(3), tf.zeros(3))

# --- jax: masks multiplied
import jax.numpy as jnp


def accuracy(scores, labels):
    p = (scores > 0).astype(jnp.float32)
    t = (labels > 0).astype(jnp.float32)
    right = (p * t).sum() + ((1 - p) * (1 - t)).sum()
    wrong = (p * (1 - t)).sum() + ((1 - p) * t).sum()
    return right / (right + wrong)  # guard: else return right / (p * t).sum()


# runs: accuracy(jnp.ones(3), jnp.zeros(3))

# --- numpy: two exclusive answers
import numpy as np


def accuracy(predictions, labels):
    tp = np.sum((predictions == 1) & (labels == 1))
    tn = np.sum((predictions == 0) & (labels == 0))
    fp = np.sum((predictions == 1) & (labels == 0))
    fn = np.sum((predictions == 0) & (labels == 1))
    total = tp + tn + fp + fn  # guard: else total = tp + tn
    return (tp + tn) / total


# runs: accuracy(np.ones(3), np.zeros(3))

# --- torch: a union is no less than either
import torch


def overlap(mask, other_mask):
    n = mask.sum()
    if n == 0:  # guard
        return torch.zeros(())  # guard
    shared = (mask * other_mask).sum()
    return shared / (n + other_mask.sum() - shared)


# runs: overlap(torch.zeros(3), torch.zeros(3))
