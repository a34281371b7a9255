"""The second moment of Adam overflows, and the parameters stand still."""

import sys

import jax
import jax.numpy as jnp
import optax


def main():
    scale = 1e22 if "bad" in sys.argv else 1.0
    w = jnp.ones(3)
    optimizer = optax.adam(1e-3)
    state = optimizer.init(w)

    @jax.jit
    def step(w, state, x):
        gradient = jax.grad(lambda w: jnp.mean(x @ w))(w)
        updates, state = optimizer.update(gradient, state)
        return optax.apply_updates(w, updates), state

    for _ in range(3):
        w, state = step(w, state, jnp.ones((4, 3)) * scale)
    return w, state


w, state = main()
print(w)
