import jax.numpy as jnp


def weights(scores):
    e = jnp.exp(scores)
    return e / e.sum()


def gate(scores):
    return 1 / (1 + jnp.exp(-scores))


def main():
    return weights(jnp.array([1, 2, 3])), gate(jnp.array([1, -2, 3])), weights(jnp.array([0.5, 1.0]))
