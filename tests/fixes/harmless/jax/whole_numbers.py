"""Whole numbers as logits, and counts."""

import jax
import jax.numpy as jnp


def of_steps(steps):
    return jnp.log(1 + jnp.exp(-steps))


def softplus(counts):
    return jnp.log(1 + jnp.exp(counts))


def shares(counts):
    return counts / counts.sum()


def per_group(values, groups):
    total = jax.ops.segment_sum(values, groups, 3)
    count = jax.ops.segment_sum(jnp.ones_like(values), groups, 3)
    return jnp.where(count > 0, total / jnp.where(count > 0, count, 1), 0.0)


def main():
    steps = jnp.arange(-2, 3)
    values, groups = jnp.array([1.0, 2.0, 5.0]), jnp.array([0, 0, 2])
    return (
        of_steps(steps),
        softplus(steps),
        shares(jnp.array([2, 3, 0])),
        per_group(values, groups),
    )
