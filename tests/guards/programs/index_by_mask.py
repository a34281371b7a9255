"""A mask says where a count is above 0, and takes those elements alone."""

# --- torch: both are taken
import torch


def means(x, mask):
    n = mask.sum(1)
    total = (x * mask).sum(1)
    keep = n > 0  # guard
    total, n = total[keep], n[keep]  # guard
    return total / n


# runs: means(torch.ones(2, 3), torch.zeros(2, 3))

# --- torch: above a threshold that is given
import torch


def scores(predicted, strides):
    masks = predicted.sigmoid() > 0.5
    area = masks.sum((1, 2)).float()
    keep = area > strides  # guard
    masks, predicted, area = masks[keep], predicted[keep], area[keep]  # guard
    return (predicted * masks).sum((1, 2)) / area


# runs: scores(-torch.ones(2, 3, 3), torch.ones(2))

# --- torch: masked_select
import torch


def shares(counts, labels):
    n = (labels == 1).sum(1).float()
    counts, n = counts.masked_select(n > 0), n.masked_select(n > 0)  # guard
    return counts / n


# runs: shares(torch.ones(2), torch.zeros(2, 3))

# --- tf: boolean_mask
import tensorflow as tf


def means(x, mask):
    n = tf.reduce_sum(mask, 1)
    total = tf.reduce_sum(x * mask, 1)
    keep = n > 0  # guard
    total, n = tf.boolean_mask(total, keep), tf.boolean_mask(n, keep)  # guard
    return total / n


# runs: means(tf.ones((2, 3)), tf.zeros((2, 3)))

# --- numpy: not equal to 0
import numpy as np


def entropy(labels):
    p = np.bincount(labels, minlength=5) / len(labels)
    p = p[p != 0]  # guard
    return -np.sum(p * np.log(p))


# runs: entropy(np.zeros(3, int))

# --- numpy: compress
import numpy as np


def row_means(x, mask):
    n = mask.sum(axis=1)
    total = (x * mask).sum(axis=1)
    total, n = np.compress(n > 0, total), np.compress(n > 0, n)  # guard
    return total / n


# runs: row_means(np.ones((2, 3)), np.zeros((2, 3)))

# --- numpy: the negated mask
import numpy as np


def row_means(x, mask):
    n = mask.sum(axis=1)
    empty = n == 0
    return (x * mask).sum(axis=1)[~empty] / n[~empty]  # guard: else return (x * mask).sum(axis=1) / n


# runs: row_means(np.ones((2, 3)), np.zeros((2, 3)))

# --- jax: another array, with other elements there
import jax.numpy as jnp


def row_means(x, mask):
    n = mask.sum(axis=1)
    n = n.at[n == 0].set(1)  # guard
    return (x * mask).sum(axis=1) / n


# runs: row_means(jnp.ones((2, 3)), jnp.zeros((2, 3)))

# --- jax: what is added where the mask says so
import jax.numpy as jnp


def row_means(x, mask):
    n = mask.sum(axis=1)
    n = n.at[n == 0].add(1)  # guard
    return (x * mask).sum(axis=1) / n


# runs: row_means(jnp.ones((2, 3)), jnp.zeros((2, 3)))
