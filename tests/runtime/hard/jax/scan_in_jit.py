"""The state of a scan reaches 0 in its seventh turn."""

import jax
import jax.numpy as jnp


@jax.jit
def run(x):
    def turn(state, _):
        return state - 1.0, jnp.log(state)  # born

    return jax.lax.scan(turn, x, None, length=8)[1]


print(run(jnp.float32(6.0)))
