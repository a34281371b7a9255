import jax
import jax.numpy as jnp


def axis(r):
    angle = jnp.sqrt(jnp.sum(r * r))
    small = angle < 1e-6
    return jnp.where(small, r, jnp.sin(angle) / angle * r)


def first(r):
    return axis(r)[0]


def run(r):
    r = jnp.array(r)
    return axis(r), jax.grad(first)(r)


def ordinary():
    return run([0.5, 0.25, 1.0]), axis(jnp.zeros(3))


def witness():
    return run([0.0, 0.0, 0.0])
