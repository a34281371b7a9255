"""Similarity and retrieval."""

import jax
import jax.numpy as jnp
from jax import vmap
from jax.numpy.linalg import norm


def cosine(a, b):
    return jnp.dot(a, b) / (norm(a) * norm(b))


def angle(a, b):
    return jnp.arccos(cosine(a, b))


def matrix(x, y):
    return vmap(lambda a: vmap(lambda b: cosine(a, b))(y))(x)


def euclid(a, b):
    return jnp.sqrt(jnp.sum((a - b) ** 2, axis=-1))


def pairwise(x):
    sq = jnp.sum(x * x, 1)
    d2 = sq[:, None] + sq[None] - 2 * x @ x.T
    return jnp.sqrt(jnp.maximum(d2, 1e-9))


def info_nce(z, t=0.5):
    z = z / norm(z, axis=1, keepdims=True)
    sim = jnp.exp(z @ z.T / t)
    sim = sim * (1 - jnp.eye(len(z)))
    return -jnp.mean(jnp.log(sim[0::2, 1::2].diagonal() / sim[0::2].sum(1)))


def siglip(z, b=-1.0):
    logits = z @ z.T * 2 + b
    labels = 2 * jnp.eye(len(z)) - 1
    return -jnp.mean(jnp.log(jax.nn.sigmoid(labels * logits)))


def hyperbolic(u, v):
    uu, vv = jnp.sum(u**2), jnp.sum(v**2)
    return jnp.arccosh(1 + 2 * jnp.sum((u - v) ** 2) / ((1 - uu) * (1 - vv)))


def hellinger(p, q):
    return jnp.sqrt(1 - jnp.sum(jnp.sqrt(p * q)))


def bhattacharyya(p, q):
    return -jnp.log(jnp.sum(jnp.sqrt(p * q)))


def mahalanobis(x, mean, cov):
    d = x - mean
    return jnp.sqrt(d @ jnp.linalg.solve(cov, d))


def main():
    x = jnp.array([[1.0, 2.0, 0.5], [0.3, -1.0, 2.0], [1.5, 0.2, 0.1], [0.9, 1.8, 0.6]])
    p, q = jnp.array([0.2, 0.3, 0.5]), jnp.array([0.4, 0.4, 0.2])
    pairs = (cosine, angle, euclid)
    return (
        [f(x[0], x[1]) for f in pairs], [jax.grad(f)(x[0], x[1]) for f in pairs], matrix(x, x[:2]), pairwise(x),
        info_nce(x), jax.grad(info_nce)(x), siglip(x), jax.grad(siglip)(x), hyperbolic(x[0] / 5, x[1] / 5),
        jax.grad(hyperbolic)(x[0] / 5, x[1] / 5), hellinger(p, q), bhattacharyya(p, q), jax.grad(hellinger)(p, q),
        mahalanobis(x[0], x.mean(0), jnp.eye(3) * 2), jax.grad(lambda t: pairwise(t).sum())(x),
    )
