import jax
import jax.numpy as jnp


def entropy(p):
    return -jnp.where(p > 0, p * jnp.log(p), 0.0).sum()


def run(p):
    p = jnp.array(p)
    return entropy(p), jax.grad(entropy)(p)


def ordinary():
    return run([0.25, 0.75]), entropy(jnp.array([0.0, 1.0]))


def witness():
    return run([0.0, 1.0])
