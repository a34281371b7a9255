"""A batch whose values are all the same: the derivative of the deviation divides by it."""

import jax
import jax.numpy as jnp


@jax.jit
def standardized(x):
    deviation = jnp.std(x)  # born
    return jnp.sum((x - jnp.mean(x)) / (deviation + 1e-6))


for batch in ([1.0, 2.0, 4.0], [2.0, 2.0, 2.0]):
    print(jax.grad(standardized)(jnp.array(batch))[0])
