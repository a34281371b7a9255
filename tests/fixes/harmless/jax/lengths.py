"""Lengths with a number inside of the root, and selections that keep the slope finite."""

import jax
import jax.numpy as jnp


def smooth(x, y):
    return jnp.sqrt(x**2 + y**2 + 1e-6)


def guarded(x):
    square = jnp.sum(x**2, axis=-1)
    positive = square > 0
    return jnp.where(positive, jnp.sqrt(jnp.where(positive, square, 1.0)), 0.0)


def angle(y, x):
    return jnp.arctan2(y, x)


def clipped(x, y):
    return jnp.sqrt(jnp.maximum(x * x + y * y, 1e-6))


def main():
    x, y = jnp.array([0.0, 3.0, -1.0]), jnp.array([0.0, 4.0, 2.0])
    points = jnp.stack([x, y], axis=-1)
    f = lambda v, w: smooth(v, w).sum() + clipped(v, w).sum()  # noqa: E731
    return (
        smooth(x, y),
        jax.grad(f, argnums=(0, 1))(x, y),
        jax.grad(lambda v: guarded(v).sum())(points),
        angle(y[1:], x[1:]),
    )
