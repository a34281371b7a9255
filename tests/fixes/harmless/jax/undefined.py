"""NaN for what is undefined."""

import jax.numpy as jnp


def recall(hits, misses):
    return hits / (hits + misses)


def mean_recall(hits, misses):
    return jnp.nanmean(recall(hits, misses))


def f1(precision, sensitivity):
    score = 2 * precision * sensitivity / (precision + sensitivity)
    return jnp.where(jnp.isnan(score), -1.0, score)


def r2(prediction, target):
    residual = jnp.sum((target - prediction) ** 2)
    total = jnp.sum((target - target.mean()) ** 2)
    score = 1 - residual / total
    return jnp.where(jnp.isfinite(score), score, 0.0)


def main():
    hits, misses = jnp.array([3.0, 0.0, 4.0]), jnp.array([1.0, 0.0, 0.0])
    constant = jnp.full(5, 2.0)
    return (
        mean_recall(hits, misses),
        f1(hits / 4, hits / 8),
        r2(constant + 0.1, constant),
        r2(hits + 0.1, hits),
    )
