"""Powers of 2: softmaxes, softplus, sums."""

import jax
import jax.numpy as jnp


def softmax2(x):
    return jnp.exp2(x) / jnp.sum(jnp.exp2(x), axis=-1, keepdims=True)


def log_sum2(x):
    return jnp.log2(jnp.sum(jnp.exp2(x), axis=-1))


def softplus2(x):
    return jnp.log2(1 + jnp.exp2(x))


def sigmoid2(x):
    return 1 / (1 + jnp.exp2(-x))


def main():
    x = jax.random.normal(jax.random.PRNGKey(1), (3, 4))
    return (
        softmax2(x),
        log_sum2(x),
        softplus2(x),
        sigmoid2(x),
        jax.grad(lambda v: log_sum2(v).sum())(x),
    )
