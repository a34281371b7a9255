"""Under vmap a cond becomes a select, which computes both branches; what is not selected dies; clean."""

import jax
import jax.numpy as jnp


def safe(x):
    return jax.lax.cond(x > 0, jnp.log, lambda x: x, x)


print(jax.jit(jax.vmap(safe))(jnp.array([0.0, 2.0])))
