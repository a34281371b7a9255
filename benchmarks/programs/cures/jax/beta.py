import jax
import jax.numpy as jnp


def loss(z, y):
    rate = jnp.exp(z)
    return jnp.mean(y * jnp.log(y / rate) - (y - rate))


def run(counts):
    z, y = jnp.array([0.1, 0.4, -0.3]), jnp.array(counts)
    return loss(z, y), jax.grad(loss)(z, y)


def ordinary():
    return run([1.0, 2.0, 3.0])


def witness():
    return run([1.0, 0.0, 3.0])
