"""A derivative of one's own that divides by what is 0."""

import jax
import jax.numpy as jnp


@jax.custom_jvp
def safe(x):
    return jnp.where(x > 0, jnp.log(jnp.where(x > 0, x, 1.0)), 0.0)


@safe.defjvp
def _(p, t):
    (x,), (dx,) = p, t
    return safe(x), dx / x  # born


print(jax.grad(lambda x: safe(x).sum())(jnp.array([0.0, 1.0])))
