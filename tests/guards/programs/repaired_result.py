"""What came out as NaN is replaced, and no gradient is taken."""

# --- numpy: nan_to_num
import numpy as np


def row_means(x, mask):
    means = (x * mask).sum(axis=1) / mask.sum(axis=1)
    return np.nan_to_num(means)  # guard: else return means


# runs: row_means(np.ones((2, 3)), np.zeros((2, 3)))

# --- torch: nan_to_num, some lines below
import torch


@torch.no_grad()
def means(x, mask, bias):
    result = (x * mask).sum(1) / mask.sum(1)
    result = result * 2 + bias
    result = result.nan_to_num(0.0)  # guard
    return result


# runs: means(torch.ones(2, 3), torch.zeros(2, 3), 1.0)

# --- tf: where is_nan, some lines below
import tensorflow as tf


@tf.function
def stretched(images):
    low = tf.reduce_min(images, axis=(1, 2), keepdims=True)
    high = tf.reduce_max(images, axis=(1, 2), keepdims=True)
    scale = 255.0 / (high - low)
    result = tf.clip_by_value(images * scale - low * scale, 0.0, 255.0)
    result = tf.where(tf.math.is_nan(result), images, result)  # guard
    return tf.stop_gradient(result)


# runs: stretched(tf.ones((1, 2, 2, 1)))

# --- numpy: stored where isnan
import numpy as np


def row_means(x, mask):
    means = (x * mask).sum(axis=1) / mask.sum(axis=1)
    means[np.isnan(means)] = 0.0  # guard
    return means


# runs: row_means(np.ones((2, 3)), np.zeros((2, 3)))

# --- numpy: the finite ones are taken
import numpy as np


def row_means(x, mask):
    means = (x * mask).sum(axis=1) / mask.sum(axis=1)
    return means[np.isfinite(means)]  # guard: else return means


# runs: row_means(np.ones((2, 3)), np.zeros((2, 3)))

# --- numpy: a mean that skips them
import numpy as np


def mean_of_means(x, mask):
    means = (x * mask).sum(axis=1) / mask.sum(axis=1)
    return np.nanmean(means)  # guard: else return np.mean(means)


# runs: mean_of_means(np.ones((2, 3)), np.array([[0.0, 0, 0], [1, 1, 1]]))

# --- numpy: a number that is tested
import math

import numpy as np


def mean_of_valid(x, mask):
    mean = (x * mask).sum() / mask.sum()
    if np.isnan(mean):  # guard
        mean = 0.0  # guard
    return mean


# runs: mean_of_valid(np.ones(3), np.zeros(3))

# --- torch: a number that is tested
import torch


@torch.no_grad()
def mean_of_valid(x, mask):
    mean = (x * mask).sum() / mask.sum()
    if not torch.isfinite(mean):  # guard
        return torch.zeros(())  # guard
    return mean


# runs: mean_of_valid(torch.ones(3), torch.zeros(3))

# --- numpy: stored where it differs from itself
import numpy as np


def row_means(x, mask):
    means = (x * mask).sum(axis=1) / mask.sum(axis=1)
    means[means != means] = 0.0  # guard
    return means


# runs: row_means(np.ones((2, 3)), np.zeros((2, 3)))

# --- torch: where it equals itself
import torch


@torch.no_grad()
def means(x, mask):
    result = (x * mask).sum(1) / mask.sum(1)
    return torch.where(result == result, result, 0.0)  # guard: else return result


# runs: means(torch.ones(2, 3), torch.zeros(2, 3))

# --- torch: stored where isnan, after the diagonal was set
import torch


@torch.no_grad()
def averaging(mask):
    weights = mask / mask.sum(1, keepdim=True)
    torch.diagonal(weights)[:] = 1.0
    weights[torch.isnan(weights)] = 0.0  # guard
    return weights


# runs: averaging(torch.zeros(2, 2))

# --- numpy: stored where isnan, after a row was set
import numpy as np


def averaging(mask):
    weights = mask / mask.sum(axis=1, keepdims=True)
    weights[0] = 1.0
    weights[np.isnan(weights)] = 0.0  # guard
    return weights


# runs: averaging(np.zeros((2, 2)))
