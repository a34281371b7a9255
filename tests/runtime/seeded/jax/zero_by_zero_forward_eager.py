"""The precision of a class that is never predicted."""

import jax.numpy as jnp

predicted = jnp.array([0, 0, 1])
actual = jnp.array([0, 1, 1])
for label in range(3):
    chosen = predicted == label
    hits = jnp.sum(chosen & (actual == label))
    precision = hits / jnp.sum(chosen)  # born
    print(label, precision)
