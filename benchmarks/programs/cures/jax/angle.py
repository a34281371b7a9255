import jax
import jax.numpy as jnp


def geodesic(a, b):
    inner = jnp.sum(a * b, axis=-1)
    return jnp.arccos(jnp.clip(inner, -1.0, 1.0)).mean()


def run(a, b):
    a = jnp.array(a)
    return geodesic(a, jnp.array(b)), jax.grad(geodesic)(a, jnp.array(b))


def ordinary():
    return run([[0.6, 0.8]], [[0.0, 1.0]])


def witness():
    return run([[0.0, 1.0]], [[0.0, 1.0]])
