"""An epsilon that float32 loses beside 1: under vmap, in jit."""

import jax
import jax.numpy as jnp


def entropy(p):
    return -p * jnp.log(p) - (1 - p) * jnp.log(1 - p + 1e-10)


def surprise(p):
    return jnp.log(1 + 1e-10 - p)  # born


scores = jax.jit(jax.vmap(surprise))
for p in (0.25, 0.5, 1.0):
    print(entropy(0.5) > 0, scores(jnp.array([p, 0.5]))[1])
