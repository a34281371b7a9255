"""A compiled step returns a running variance that overflows beside a finite loss."""

import sys

import jax
import jax.numpy as jnp


@jax.jit
def step(w, variance, x):
    def loss(w):
        h = x @ w
        return jnp.mean(jnp.tanh(h) ** 2), h

    (value, h), gradient = jax.value_and_grad(loss, has_aux=True)(w)
    return w - 0.1 * gradient, 0.9 * variance + 0.1 * h.var(0), value


key = jax.random.PRNGKey(0)
w, variance = jax.random.normal(key, (3, 2)), jnp.ones(2)
best = float("inf")
for i in range(4):
    key, sub = jax.random.split(key)
    x = jax.random.normal(sub, (8, 3))
    w, variance, value = step(w, variance, x * 1e25 if "bad" in sys.argv and i == 2 else x)
    best = min(best, float(value))
print("best", best)
