"""Functions that others compose: softplus, log-sum-exp, log of 1 - exp, with their gradients."""

import jax
import jax.numpy as jnp


def softplus(x):
    return jnp.log(1 + jnp.exp(x))


def log_sum(x):
    return jnp.log(jnp.sum(jnp.exp(x), axis=-1))


def log_one_minus_exp(x):
    return jnp.log(1 - jnp.exp(x))


def log_mean(x):
    return jnp.log(jnp.mean(jnp.exp(x), axis=0))


def squash(x):
    return jnp.log(1 - jnp.tanh(x) ** 2)


def main():
    x = -jnp.abs(jax.random.normal(jax.random.PRNGKey(3), (3, 4))) - 0.1
    total = lambda v: sum(
        f(v).sum() for f in (softplus, log_sum, log_one_minus_exp, log_mean, squash)
    )  # noqa: E731
    return (
        softplus(x),
        log_sum(x),
        log_one_minus_exp(x),
        log_mean(x),
        squash(x),
        jax.grad(total)(x),
    )
