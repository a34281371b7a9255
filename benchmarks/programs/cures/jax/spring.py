import jax
import jax.numpy as jnp


def energy(x, rest):
    d = x[1:] - x[:-1]
    r = jnp.sqrt(jnp.sum(d * d, axis=-1))
    u = d / r[:, None]
    return 0.5 * jnp.sum((r - rest) ** 2) + 0.1 * jnp.sum(u[:, 0])


def run(rows):
    x = jnp.array(rows)
    return energy(x, 1.0), jax.grad(energy)(x, 1.0)


def ordinary():
    return run([[0.0, 0.0], [3.0, 4.0], [3.0, 5.0]])


def witness():
    return run([[0.0, 0.0], [0.0, 0.0], [3.0, 5.0]])
