"""A distance between two points that are the same: its gradient divides by it."""

import jax
import jax.numpy as jnp


@jax.jit
def distance(a, b):
    return jnp.sqrt(jnp.sum((a - b) ** 2))  # born


a, b = jnp.array([1.0, 2.0]), jnp.array([1.0, 2.5])
for _ in range(3):
    a = a - 0.5 * jax.grad(distance)(a, b)
print(a)
