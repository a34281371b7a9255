"""A number times its sign is not negative."""

# --- torch: sign
import torch


def log_cosh(x):
    x = x * torch.sign(x)  # guard
    return x + torch.log1p(torch.exp(-2 * x))


# runs: log_cosh(torch.tensor([-200.0, 0.0, 200.0]))

# --- jax: from the bit of the sign
import jax.numpy as jnp


def log_cosh(x):
    sign = -2 * jnp.signbit(x) + 1
    x = x * sign  # guard
    return x + jnp.log1p(jnp.exp(-2.0 * x)) - jnp.log(2.0)


# runs: log_cosh(jnp.array([-200.0, 0.0, 200.0]))

# --- numpy: where
import numpy as np


def log_cosh(x):
    s = np.where(x < 0, -1.0, 1.0)
    x = s * x  # guard
    return x + np.log1p(np.exp(-2 * x))


# runs: log_cosh(np.array([-2000.0, 0.0, 2000.0]))

# --- tf: abs
import tensorflow as tf


def log_cosh(x):
    x = tf.abs(x)  # guard
    return x + tf.math.log1p(tf.exp(-2 * x))


# runs: log_cosh(tf.constant([-200.0, 0.0, 200.0]))

# --- numpy: copysign
import numpy as np


def log_cosh(x):
    x = x * np.copysign(1.0, x)  # guard
    return x + np.log1p(np.exp(-2 * x))


# runs: log_cosh(np.array([-2000.0, 0.0, 2000.0]))

# --- torch: the larger of it and its negative
import torch


def log_cosh(x):
    x = torch.maximum(x, -x)  # guard
    return x + torch.log1p(torch.exp(-2 * x))


# runs: log_cosh(torch.tensor([-200.0, 0.0, 200.0]))
