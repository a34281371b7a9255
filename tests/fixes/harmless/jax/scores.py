"""Metrics and calibration."""

import jax
import jax.numpy as jnp
import numpy as np


def counts(guess, truth, n):
    table = jnp.zeros((n, n), int).at[truth, guess].add(1)
    return jnp.diag(table), table.sum(0), table.sum(1)


def f1(guess, truth, n):
    hit, said, were = counts(guess, truth, n)
    precision, recall = hit / said, hit / were
    return precision, recall, 2 * precision * recall / (precision + recall)


def fill(x, value=-1.0):
    return jnp.where(jnp.isnan(x), value, x)


def r2(y, f):
    total = jnp.sum((y - y.mean()) ** 2)
    return jnp.where(total > 0, 1 - jnp.sum((y - f) ** 2) / jnp.where(total > 0, total, 1.0), 0.0)


def pearson(x, y):
    x, y = x - x.mean(), y - y.mean()
    return jnp.sum(x * y) / jnp.sqrt(jnp.sum(x**2) * jnp.sum(y**2))


def r_by_moments(x, y):
    cov = jnp.mean(x * y) - jnp.mean(x) * jnp.mean(y)
    vx, vy = jnp.mean(x**2) - jnp.mean(x) ** 2, jnp.mean(y**2) - jnp.mean(y) ** 2
    return cov / jnp.sqrt(vx * vy)


def ece(p, y, bins=4):
    ids = jnp.clip((p * bins).astype(int), 0, bins - 1)
    n = jnp.zeros(bins).at[ids].add(1.0)
    acc = jnp.zeros(bins).at[ids].add(y) / jnp.maximum(n, 1)
    conf = jnp.zeros(bins).at[ids].add(p) / jnp.maximum(n, 1)
    return jnp.sum(n * jnp.abs(acc - conf)) / n.sum()


def soft_bins(p, y, centres, width=0.2):
    k = jnp.exp(-(((p[:, None] - centres) / width) ** 2))
    return (k * y[:, None]).sum(0) / jnp.maximum(k.sum(0), 1.0)


def log_loss(p, y):
    return -jnp.mean(y * jnp.log(p) + (1 - y) * jnp.log(1 - p))


def perplexity(logits, y):
    p = jax.nn.softmax(logits)
    return jnp.exp(-jnp.mean(jnp.log(p[jnp.arange(len(y)), y]))), 2 ** -jnp.mean(jnp.log2(p[np.arange(len(y)), y]))


def kappa(table):
    n = table.sum()
    seen, chance = jnp.trace(table) / n, (table.sum(0) @ table.sum(1)) / n**2
    return (seen - chance) / (1 - chance)


def main():
    p, y = jnp.array([0.1, 0.4, 0.7, 0.9]), jnp.array([0, 0, 1, 1])
    scores = f1(jnp.array([0, 1, 1]), jnp.array([0, 1, 0]), 3)
    return (
        scores, [fill(s) for s in scores], jnp.nanmean(scores[1]), r2(y, p), r2(jnp.ones(4), p), pearson(p, y),
        r_by_moments(p, y), ece(p, y), soft_bins(p, y, jnp.array([0.0, 0.5, 3.0])), log_loss(p, y),
        jax.grad(log_loss)(p, y), jax.grad(soft_bins_sum)(p, y), perplexity(p.reshape(2, 2), jnp.array([0, 1])),
        kappa(jnp.array([[3, 1], [0, 2]])), jax.grad(r_by_moments)(p, y),
    )


def soft_bins_sum(p, y):
    return soft_bins(p, y, jnp.array([0.2, 3.0])).sum()
