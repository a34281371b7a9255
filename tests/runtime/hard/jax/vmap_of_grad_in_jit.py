"""Gradients for each sample: that of a norm at 0."""

import jax
import jax.numpy as jnp


def energy(x):
    return jnp.sqrt(jnp.sum(x * x))  # born


print(jax.jit(jax.vmap(jax.grad(energy)))(jnp.array([[1.0, 2.0], [0.0, 0.0]])))
