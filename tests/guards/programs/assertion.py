"""The bad value is asserted away."""

# --- torch: assert
import torch


def masked_mean(x, mask):
    n = mask.sum()
    assert n > 0, "an empty mask"  # guard
    return (x * mask).sum() / n


# runs: masked_mean(torch.ones(3), torch.zeros(3))

# --- torch: of all rows
import torch


def pooled(x, mask):
    n = mask.sum(1)
    assert (n > 0).all()  # guard
    return (x * mask).sum(1) / n


# runs: pooled(torch.ones(2, 3), torch.zeros(2, 3))

# --- numpy: of an index
import numpy as np


def mean_of_positives(x):
    chosen = x[x > 0]
    assert len(chosen)  # guard
    return chosen.mean()


# runs: mean_of_positives(-np.ones(3))

# --- tf: an assertion of the framework
import tensorflow as tf


def pooled(x, mask):
    n = tf.reduce_sum(mask, 1)
    tf.debugging.assert_positive(n)  # guard
    return tf.reduce_sum(x * mask, 1) / n


# runs: pooled(tf.ones((2, 3)), tf.zeros((2, 3)))

# --- numpy: of any
import numpy as np


def masked_mean(x, mask):
    assert np.any(mask)  # guard
    return x[mask].mean()


# runs: masked_mean(np.ones(3), np.zeros(3).astype(bool))

# --- torch: a check of the framework
import torch


def masked_mean(x, mask):
    n = mask.sum()
    torch._assert(n > 0, "an empty mask")  # guard
    return (x * mask).sum() / n


# runs: masked_mean(torch.ones(3), torch.zeros(3))
