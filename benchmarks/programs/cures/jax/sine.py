import jax
import jax.numpy as jnp


def sine(c):
    return jnp.sqrt(1.0 - jnp.square(c)).sum()


def run(c):
    c = jnp.array(c)
    return sine(c), jax.grad(sine)(c)


def ordinary():
    return run([0.25, -0.5])


def witness():
    return run([1.0, 0.5])
