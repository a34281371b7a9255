"""A derivative of one's own."""

import jax
import jax.numpy as jnp


@jax.custom_vjp
def root(x):
    return jnp.sqrt(x)


def forward(x):
    y = jnp.sqrt(x)
    return y, y


def backward(y, gradient):
    return (gradient / (2 * y),)  # born


root.defvjp(forward, backward)
print(jax.jit(jax.grad(lambda x: root(x).sum()))(jnp.array([4.0, 0.0])))
