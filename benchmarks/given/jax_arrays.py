import jax
import jax.numpy as jnp
import numpy as np


def average(x, mask):
    return (x * mask).sum() / mask.sum()


def loss(w):
    return average(w**2, w > 0)


def main():
    report = average(np.ones(3, np.float64), np.array([True, False, True]))
    return report, jax.grad(loss)(jnp.ones(3))
