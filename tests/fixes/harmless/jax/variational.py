"""Terms of variational inference."""

import jax
import jax.numpy as jnp
from jax.scipy.stats import norm


def divergence(mean, log_variance):
    return -0.5 * jnp.sum(1 + log_variance - mean**2 - jnp.exp(log_variance), axis=-1)


def bernoulli(logits, x):
    p = jax.nn.sigmoid(logits)
    return -jnp.sum(x * jnp.log(p) + (1 - x) * jnp.log(1 - p), axis=-1)


def log_cdf(x):
    return jnp.log(norm.cdf(x))


def bound(log_weights):
    return jnp.mean(jnp.log(jnp.mean(jnp.exp(log_weights), axis=0)))


def main():
    keys = jax.random.split(jax.random.PRNGKey(6), 2)
    mean, logits = (jax.random.normal(k, (4, 3)) for k in keys)
    x = (mean > 0) * 1.0
    f = lambda m, z: (
        (divergence(m, z) + bernoulli(z, x) + log_cdf(m).sum(-1)).sum() + bound(z)
    )  # noqa: E731
    return (
        divergence(mean, logits),
        bernoulli(logits, x),
        log_cdf(mean),
        *jax.grad(f, argnums=(0, 1))(mean, logits),
    )
