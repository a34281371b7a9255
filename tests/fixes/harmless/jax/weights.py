"""Averages with weights whose sum is far below 1."""

import jax
import jax.numpy as jnp


def attended(values, mask):
    return jnp.sum(values * mask, axis=1) / jnp.sum(mask, axis=1)


def importance(log_weights, values):
    weights = jnp.exp(log_weights)
    return jnp.sum(weights * values) / jnp.sum(weights)


def projected(kernel, v, target):
    return target / (kernel @ v)


def main():
    keys = jax.random.split(jax.random.PRNGKey(2), 3)
    values = jax.random.normal(keys[0], (3, 6))
    mask = jax.nn.sigmoid(jax.random.normal(keys[1], (3, 6)) - 5)
    kernel = jax.random.uniform(keys[2], (6, 6)) * 0.1
    return (
        attended(values, mask),
        importance(values[0] - 9, values[1]),
        projected(kernel, mask[0], values[2]),
    )
