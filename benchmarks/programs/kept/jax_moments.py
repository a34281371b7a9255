"""An optimizer by hand: its second moment overflows, the weights stand still."""

import sys

import jax
import jax.numpy as jnp


def loss(w, x):
    return jnp.sum(w * x)


@jax.jit
def step(w, state, x):
    value, g = jax.value_and_grad(loss)(w, x)
    state = {"m": 0.9 * state["m"] + 0.1 * g, "v": 0.999 * state["v"] + 0.001 * g * g}
    return w - 0.01 * state["m"] / (jnp.sqrt(state["v"]) + 1e-8), state, value


w = jnp.ones(3)
state = {"m": jnp.zeros(3), "v": jnp.zeros(3)}
for i in range(4):
    w, state, value = step(w, state, jnp.ones(3) * (1e22 if "bad" in sys.argv and i == 1 else 1.0))
print(w)
