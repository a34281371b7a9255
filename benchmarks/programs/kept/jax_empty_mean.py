"""A metric over a mask that holds nothing is printed."""

import sys

import jax.numpy as jnp

values, mask = jnp.arange(4.0), jnp.zeros(4) if "bad" in sys.argv else jnp.ones(4)
print("error of the selected:", jnp.sum(values * mask) / jnp.sum(mask))
