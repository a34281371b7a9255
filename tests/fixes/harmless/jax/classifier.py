"""A classifier and its training steps under jit."""

import jax
import jax.numpy as jnp


def forward(params, x):
    hidden = jnp.tanh(x @ params["w"] + params["b"])
    return jax.nn.softmax(hidden @ params["v"], axis=-1)


def loss(params, x, labels):
    p = forward(params, x)
    return -jnp.mean(jnp.log(p[jnp.arange(len(labels)), labels]))


@jax.jit
def step(params, x, labels):
    value, gradients = jax.value_and_grad(loss)(params, x, labels)
    return jax.tree_util.tree_map(lambda p, g: p - 0.1 * g, params, gradients), value


def main():
    keys = jax.random.split(jax.random.PRNGKey(4), 4)
    params = {
        "w": jax.random.normal(keys[0], (4, 8)),
        "b": jnp.zeros(8),
        "v": jax.random.normal(keys[1], (8, 3)),
    }
    x, labels = (
        jax.random.normal(keys[2], (16, 4)),
        jax.random.randint(keys[3], (16,), 0, 3),
    )
    values = []
    for _ in range(4):
        params, value = step(params, x, labels)
        values.append(value)
    return jnp.stack(values), params["w"]
