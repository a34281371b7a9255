"""A logarithm behind a where: the branch that is not taken still sends back 0 · inf."""

import jax
import jax.numpy as jnp


def loss(x):
    return jnp.sum(jnp.where(x > 0, x * jnp.maximum(x, 0) ** 0.5, 0.0))  # born


step = jax.jit(lambda x: x - 0.1 * jax.grad(loss)(x))
x = jnp.array([0.5, 0.25])
for _ in range(2):
    x = step(x)
print(step(jnp.array([1.0, 0.0])))
