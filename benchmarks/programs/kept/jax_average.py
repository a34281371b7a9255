"""The average of parameters is corrected by 1 - decay ** 0."""

import sys

import jax
import jax.numpy as jnp


def loss(w, x):
    return jnp.mean((x @ w) ** 2)


@jax.jit
def step(w, x):
    value, gradient = jax.value_and_grad(loss)(w, x)
    return w - 0.1 * gradient, value


w, average = jnp.ones(3), jnp.zeros(3)
first = 0 if "bad" in sys.argv else 1
for i in range(3):
    w, value = step(w, jnp.ones((4, 3)))
    average = 0.9 * average + 0.1 * w
    corrected = average / (1 - 0.9 ** (i + first)) if i == 0 else corrected
print("loss", float(value))
