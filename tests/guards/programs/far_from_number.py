"""What is near a number is dealt with before, and the rest is on one side of it."""

# --- jax: lax.cond by allclose, then by the side
import jax
import jax.numpy as jnp


def waves(q, t):
    def critical(t):
        return t

    def under(t):
        f = jnp.sqrt(jnp.maximum(4 * q**2 - 1, 0))
        return jnp.sin(f * t) / f

    def over(t):
        return jnp.sinh(t)

    def either(t):
        return jax.lax.cond(q > 0.5, under, over, t)

    return jax.lax.cond(jnp.allclose(q, 0.5), critical, either, t)  # guard: else return jax.lax.cond(q > 0.4, under, over, t)


# runs: waves(jnp.array(0.5), jnp.array(1.0))

# --- numpy: isclose, early return
import numpy as np


def root(q):
    if np.isclose(q, 1.0):  # guard
        return 0.0  # guard
    if q >= 1.0:
        f = np.sqrt(np.maximum(q**2 - 1, 0))
        return np.sin(f) / f
    return 1.0


# runs: root(np.float64(1.0))

# --- torch: a distance from it
import torch


def root(q):
    if torch.abs(q - 1) < 1e-3:  # guard
        return torch.zeros(())  # guard
    if q >= 1:
        f = torch.sqrt(torch.clamp(q * q - 1, min=0))
        return torch.sin(f) / f
    return torch.ones(())


# runs: root(torch.tensor(1.0))
