"""A floor under the operand: a clamp, a clip, a maximum."""

# --- torch: clamp
import torch


def pooled(x, mask):
    n = mask.sum(1, keepdim=True)
    n = n.clamp(min=1)  # guard
    return (x * mask).sum(1, keepdim=True) / n


# runs: pooled(torch.ones(2, 3), torch.zeros(2, 3))

# --- torch: clamp in place
import torch


def pooled(x, mask):
    n = mask.sum(1)
    n.clamp_(min=1.0)  # guard
    return (x * mask).sum(1) / n


# runs: pooled(torch.ones(2, 3), torch.zeros(2, 3))

# --- tf: maximum
import tensorflow as tf


def pooled(x, mask):
    n = tf.reduce_sum(mask, 1)
    n = tf.maximum(n, 1.0)  # guard
    return tf.reduce_sum(x * mask, 1) / n


# runs: pooled(tf.ones((2, 3)), tf.zeros((2, 3)))

# --- jax: maximum
import jax.numpy as jnp


def pooled(x, mask):
    n = jnp.maximum(mask.sum(1), 1)  # guard: else n = mask.sum(1)
    return (x * mask).sum(1) / n


# runs: pooled(jnp.ones((2, 3)), jnp.zeros((2, 3)))

# --- jax: clip from below
import jax.numpy as jnp


def pooled(x, mask):
    n = mask.sum(1)
    n = jnp.clip(n, 1)  # guard
    return (x * mask).sum(1) / n


# runs: pooled(jnp.ones((2, 3)), jnp.zeros((2, 3)))

# --- numpy: clip into a given array
import numpy as np


def row_means(x, mask):
    n = mask.sum(axis=1)
    np.clip(n, 1, None, out=n)  # guard
    return (x * mask).sum(axis=1) / n


# runs: row_means(np.ones((2, 3)), np.zeros((2, 3)))

# --- numpy: whole numbers of a quotient, bounded by how many there are
import numpy as np


def steps(x, y):
    size = np.exp(np.clip(y, -5.0, 5.0))
    count = np.trunc(size / np.abs(x - x.mean()).max())
    return np.minimum(count, len(x))  # guard: else return count


# runs: steps(np.ones(3), np.ones(3))

# --- jax: what an inverse function is of
import jax.numpy as jnp


def share(y):
    y = jnp.clip(y, -0.999, 0.999)  # guard
    odds = jnp.exp(2 * jnp.arctanh(y))
    return odds / (odds + 1)


# runs: share(jnp.array([1.0, 0.5]))

# --- torch: the root of what rounding leaves, without its sign
import torch


def deviation(x, weights):
    with torch.no_grad():
        mean = (weights * x).sum(1)
        square = (weights * x**2).sum(1) - mean**2
        square = square.abs()  # guard
        return square.sqrt()

# --- torch: what a name says holds only behind the function that makes it so
import torch


def scaled(head, points):
    sigma = head(points)
    sigma = torch.sigmoid(sigma)
    sigma = sigma.clamp(min=1e-6)  # guard
    return (points / sigma).sum()


# runs: scaled(lambda points: -200 * points, torch.ones(3))

# --- jax: what is called a probability before it is one
import jax
import jax.numpy as jnp


def weighted(head, points):
    probs = head(points)
    probs = jax.nn.softmax(probs, -1)
    probs = jnp.clip(probs, 1e-9, 1.0)  # guard
    return jnp.sum(points / probs)


# runs: weighted(lambda points: 200 * points, jnp.arange(3.0))

# --- numpy: a term of a divergence
import numpy as np


def divergence(p, q):
    q = min(max(q, 1e-6), 1 - 1e-6)
    p = max(p, 1e-12)  # guard
    return p * np.log(p / q)


# runs: divergence(np.float64(0.0), 0.5)
