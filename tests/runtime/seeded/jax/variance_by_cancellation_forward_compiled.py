"""A variance as the mean square less the squared mean, of a large constant: negative by rounding."""

import jax
import jax.numpy as jnp


@jax.jit
def deviation(mean_square, mean):
    return jnp.sqrt(mean_square - mean**2)  # born


x = jnp.full(3, 4097.1)
for k in range(1, 30):
    scaled = x * (1 + 0.01 * k)
    print(deviation(jnp.mean(scaled**2), jnp.mean(scaled) * jnp.float32(1 + 1e-7)) >= 0)
