"""A loop runs only while the divisor is not 0."""

# --- numpy: while
import numpy as np


def shrink(x, mask):
    total = x.sum()
    n = mask.sum()
    while n > 0:  # guard: else while x is not None:
        total = total / n
        if not total > 1:
            break
    return total


# runs: shrink(np.zeros(3), np.zeros(3))

# --- torch: while any
import torch


def peel(x):
    total = x.sum() * 0
    chosen = x > 0
    while chosen.any():  # guard: else while x is not None:
        total = total + x[chosen].mean()
        if not total < 1:
            break
    return total


# runs: peel(-torch.ones(3))

# --- numpy: break
import numpy as np


def steps(x, masks):
    total = 0.0
    for mask in masks:
        n = mask.sum()
        if n == 0:  # guard
            break  # guard
        total += (x * mask).sum() / n
    return total


# runs: steps(np.ones(3), [np.zeros(3)])

# --- jax: while_loop
import jax
import jax.numpy as jnp


def halve(x, mask):
    n = mask.sum()
    carried = (x.sum(), n)

    def body(carry):
        total, n = carry
        return total / n, n - 1

    return jax.lax.while_loop(lambda carry: carry[1] > 0, body, carried)[0]  # guard: else return body(carried)[0]


# runs: halve(jnp.zeros(3), jnp.zeros(3))
