"""The phase of a signal that is silent for a moment: the angle of (0, 0) has no gradient."""

import jax
import jax.numpy as jnp


@jax.jit
def loss(signal):
    phase = jnp.arctan2(signal[:, 1], signal[:, 0])  # born
    return jnp.sum(phase**2)


signal = jnp.array([[1.0, 0.5], [0.0, 0.0]])
print(loss(signal))
print(jax.grad(loss)(signal))
