"""A function of the framework has the epsilon inside."""

# --- torch: normalize
import torch
import torch.nn.functional as F


def unit(x, mask):
    x = (x * mask).relu()
    return F.normalize(x, dim=-1)  # guard: else return x / x.norm(dim=-1, keepdim=True)


# runs: unit(torch.ones(2, 3), torch.zeros(2, 3))

# --- tf: l2_normalize
import tensorflow as tf


def unit(x):
    x = tf.nn.relu(x)
    return tf.math.l2_normalize(x, -1)  # guard: else return x / tf.norm(x, axis=-1, keepdims=True)


# runs: unit(-tf.ones((2, 3)))

# --- torch: cosine_similarity
import torch
import torch.nn.functional as F


def similarity(x, y):
    x, y = x.relu(), y.relu()
    return F.cosine_similarity(x, y, dim=-1)  # guard: else return (x * y).sum(-1) / (x.norm(dim=-1) * y.norm(dim=-1))


# runs: similarity(-torch.ones(2, 3), -torch.ones(2, 3))

# --- keras: normalize
from keras import ops


def unit(x):
    x = ops.relu(x)
    return ops.normalize(x, axis=-1)  # guard: else return x / ops.norm(x, axis=-1, keepdims=True)


# runs: unit(-ops.ones((2, 3)))
