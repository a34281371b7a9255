"""A mask that multiplies what it should have replaced."""

import jax
import jax.numpy as jnp


@jax.jit
def masked_mean(losses, mask):
    return jnp.sum(losses * mask) / jnp.sum(mask)  # born


losses = jnp.array([0.5, 0.25, jnp.inf])
for mask in ([0.0, 1.0, 0.0],):
    print(masked_mean(losses, jnp.array(mask)))
