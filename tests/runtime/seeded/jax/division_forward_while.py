"""Newton's method in a while loop, from where the slope is 0."""

import jax
import jax.numpy as jnp


def goes_on(state):
    x, turns = state
    return (jnp.abs(x**2 - 2) > 1e-4) & (turns < 20)


def turn(state):
    x, turns = state
    slope = 2 * x
    return x - (x**2 - 2) / slope, turns + 1  # born


root = jax.jit(lambda start: jax.lax.while_loop(goes_on, turn, (start, 0)))
for start in (1.0, 3.0, 0.0):
    print(root(start)[0])
