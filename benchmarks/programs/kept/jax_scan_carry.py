"""A scan carries statistics beside the loss; the variance of what is constant is divided by."""

import sys

import jax
import jax.numpy as jnp


@jax.jit
def run(w, xs):
    def step(carry, x):
        w, (_, kurtosis) = carry
        value, gradient = jax.value_and_grad(lambda w: jnp.mean((x @ w) ** 2))(w)
        centred = x - x.mean()
        kurtosis = jnp.mean(centred**4) / jnp.mean(centred**2) ** 2
        return (w - 0.1 * gradient, (x.mean(), kurtosis)), value

    return jax.lax.scan(step, (w, (0.0, 0.0)), xs)


xs = jnp.ones((3, 4, 2)) if "bad" in sys.argv else jax.random.normal(jax.random.PRNGKey(0), (3, 4, 2))
(w, statistics), values = run(jnp.ones(2), xs)
print(values)
