"""A contrastive loss, distances, cosines."""

import jax
import jax.numpy as jnp


def unit(x):
    return x / jnp.linalg.norm(x, axis=-1, keepdims=True)


def info_nce(a, b):
    s = unit(a) @ unit(b).T / 0.5
    return jnp.mean(jnp.log(jnp.sum(jnp.exp(s), axis=1)) - jnp.diagonal(s))


def distances(a, b):
    return jnp.sqrt(jnp.sum((a[:, None] - b[None]) ** 2, axis=-1))


def triplet(a, p, n):
    return jnp.maximum(
        jnp.linalg.norm(a - p, axis=1) - jnp.linalg.norm(a - n, axis=1) + 1.0, 0.0
    ).mean()


def main():
    keys = jax.random.split(jax.random.PRNGKey(5), 3)
    a, p, n = (jax.random.normal(k, (4, 3)) for k in keys)
    f = lambda v: info_nce(v, p) + distances(v, p).sum() + triplet(v, p, n)  # noqa: E731
    return f(a), jax.grad(f)(a), distances(a, p)
