"""A framework's own conditional runs one of two functions."""

# --- jax: cond
import jax
import jax.numpy as jnp


def masked_mean(x, mask):
    n = mask.sum()
    total = (x * mask).sum()
    return jax.lax.cond(n > 0, lambda: total / n, lambda: 0.0)  # guard: else return total / n


# runs: masked_mean(jnp.ones(3), jnp.zeros(3))

# --- jax: cond with operands
import jax
import jax.numpy as jnp


def masked_mean(x, mask):
    n = mask.sum()
    total = (x * mask).sum()
    return jax.lax.cond(n == 0, lambda t, c: t, lambda t, c: t / c, total, n)  # guard: else return total / n


# runs: masked_mean(jnp.ones(3), jnp.zeros(3))

# --- tf: cond
import tensorflow as tf


def masked_mean(x, mask):
    n = tf.reduce_sum(mask)
    total = tf.reduce_sum(x * mask)
    return tf.cond(n > 0, lambda: total / n, lambda: total)  # guard: else return total / n


# runs: masked_mean(tf.ones(3), tf.zeros(3))

# --- tf: named functions
import tensorflow as tf


def masked_mean(x, mask):
    n = tf.reduce_sum(mask)
    total = tf.reduce_sum(x * mask)

    def mean():
        return total / n

    return tf.cond(tf.greater(n, 0.0), true_fn=mean, false_fn=lambda: total)  # guard: else return mean()


# runs: masked_mean(tf.ones(3), tf.zeros(3))
