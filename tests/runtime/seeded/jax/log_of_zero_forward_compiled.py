"""The cross-entropy of a softmax by hand: once the weights are large, a probability is 0."""

import jax
import jax.numpy as jnp


@jax.jit
def loss(weights, x):
    probabilities = jax.nn.softmax(x @ weights)
    return -jnp.log(probabilities)[:, 0].mean()  # born


weights, x = jnp.array([[0.0, 1.0, 2.0], [0.5, 1.0, 1.5]]), jnp.array([[1.0, 2.0], [0.5, 1.0]])
for scale in (1.0, 1000.0):
    print(loss(scale * weights, x))
