"""A loop within a branch."""

import jax
import jax.numpy as jnp


@jax.jit
def solve(x):
    def newton(x):
        return jax.lax.fori_loop(0, 5, lambda _, y: y - (y * y - 2) / (2 * y), x)  # born

    return jax.lax.cond(x < 1, newton, lambda x: x, x)


print(solve(jnp.float32(0.0)))
