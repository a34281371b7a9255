"""The angle between a vector and itself, without jit: the derivative of arccos at 1 is -inf."""

import jax
import jax.numpy as jnp


def angle(cosine):
    return jnp.arccos(cosine)  # born


for cosine in (0.0, 0.5, 1.0):
    print(jax.grad(angle)(cosine))
