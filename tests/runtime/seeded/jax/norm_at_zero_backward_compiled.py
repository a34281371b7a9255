"""A penalty on the length of a bias that starts at 0."""

import jax
import jax.numpy as jnp


def loss(bias, x):
    penalty = jnp.linalg.norm(bias)  # born
    return jnp.mean((x + bias) ** 2) + 0.1 * penalty


@jax.jit
def step(bias, x):
    return bias - 0.1 * jax.grad(loss)(bias, x)


bias = jnp.zeros(3)
for _ in range(3):
    bias = step(bias, jnp.ones(3))
print(bias)
