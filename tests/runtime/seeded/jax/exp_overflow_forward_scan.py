"""A state that grows at every turn of a scan, until its exponential overflows."""

import jax
import jax.numpy as jnp


def turn(state, x):
    state = 2 * state + x
    energy = jnp.exp(state)  # born
    return state, energy


@jax.jit
def simulate(start):
    return jax.lax.scan(turn, start, jnp.arange(8.0))


state, energies = simulate(1.0)
print(state, energies[0])
