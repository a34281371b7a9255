"""Single-head attention in JAX with a softmax by hand.

exp overflows at 89 in float32, and then the weights are inf / inf.
"""

import jax
import jax.numpy as jnp


def softmax(scores):
    weights = jnp.exp(scores)
    return weights / jnp.sum(weights, axis=-1, keepdims=True)


def attention(params, x):
    q, k, v = x @ params["q"], x @ params["k"], x @ params["v"]
    scores = q @ k.T / jnp.sqrt(k.shape[-1])
    return softmax(scores) @ v


@jax.jit
def loss_fn(params, x, y):
    return jnp.mean((attention(params, x) - y) ** 2)


def main(steps=20):
    keys = jax.random.split(jax.random.PRNGKey(0), 4)
    params = {name: jax.random.normal(key, (8, 8)) for name, key in zip("qkv", keys)}
    x = 1.5 * jax.random.normal(keys[3], (16, 8))
    y = jnp.roll(x, 1, axis=0)
    step_fn = jax.jit(jax.value_and_grad(loss_fn))
    loss = 0.0
    for step in range(steps):
        loss, gradient = step_fn(params, x, y)
        params = jax.tree_util.tree_map(lambda p, g: p - 0.05 * g, params, gradient)
        if step % 5 == 0:
            print(f"step {step}: loss {loss:.4f}")
    return float(loss)


if __name__ == "__main__":
    main()
