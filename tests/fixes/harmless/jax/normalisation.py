"""Layers that normalise, written out."""

import jax
import jax.numpy as jnp


def layer_norm(x):
    return (x - x.mean(axis=-1, keepdims=True)) / x.std(axis=-1, keepdims=True)


def rms(x):
    return x / jnp.sqrt(jnp.mean(x**2, axis=-1, keepdims=True))


def min_max(x):
    return (x - x.min()) / (x.max() - x.min())


def variance(x):
    return jnp.mean(x**2, axis=0) - jnp.mean(x, axis=0) ** 2


def softmax(x):
    e = jnp.exp(x)
    return e / e.sum(axis=-1, keepdims=True)


def main():
    x = jax.random.normal(jax.random.PRNGKey(7), (4, 5))
    f = lambda v: (
        (layer_norm(v) ** 3).sum()
        + rms(v).sum()
        + (min_max(v) ** 2).sum()
        + variance(v).sum()
    )  # noqa: E731
    return layer_norm(x), rms(x), min_max(x), variance(x), softmax(x), jax.grad(f)(x)
