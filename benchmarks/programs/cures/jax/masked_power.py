import jax
import jax.numpy as jnp


def tone(x, knee=0.04):
    return jnp.where(x > knee, 1.055 * x ** (1 / 2.4) - 0.055, 12.92 * x)


def run(values):
    x = jnp.array(values)
    return tone(x), jax.grad(lambda v: tone(v).sum())(x)


def ordinary():
    return run([0.2, 0.5, 0.9])


def witness():
    return run([0.0, 0.5, 0.9])
