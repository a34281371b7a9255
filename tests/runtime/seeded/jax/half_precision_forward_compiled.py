"""Squares in half precision, whose greatest number is 65504."""

import jax
import jax.numpy as jnp


@jax.jit
def energy(x):
    half = x.astype(jnp.float16)
    return jnp.max(half * half)  # born


for scale in (1.0, 100.0, 300.0):
    print(energy(scale * jnp.ones(4)))
