"""A multilayer perceptron trained with value_and_grad under jit, donated buffers, Adam by hand, a pytree of dataclasses."""

import functools
from dataclasses import dataclass

import jax
import jax.numpy as jnp


@functools.partial(jax.tree_util.register_dataclass, data_fields=["w", "b"], meta_fields=["name"])
@dataclass
class Layer:
    w: jax.Array
    b: jax.Array
    name: str = "layer"


def init(key, sizes):
    for key, n, m in zip(jax.random.split(key, len(sizes) - 1), sizes, sizes[1:]):
        yield Layer(jax.random.normal(key, (n, m)) / jnp.sqrt(n), jnp.zeros(m), f"{n}x{m}")


def apply(layers, x):
    for layer in layers[:-1]:
        x = jax.nn.gelu(x @ layer.w + layer.b)
    return x @ layers[-1].w + layers[-1].b


def loss(layers, x, y):
    scores = jax.nn.log_softmax(apply(layers, x))
    return -jnp.mean(jnp.take_along_axis(scores, y[:, None], 1)), jnp.mean(jnp.argmax(scores, 1) == y)


@functools.partial(jax.jit, donate_argnums=(0, 1), static_argnames="rate")
def step(layers, state, x, y, rate=1e-2):
    (value, right), gradients = jax.value_and_grad(loss, has_aux=True)(layers, x, y)
    norm = jnp.sqrt(sum(jnp.sum(jnp.square(g)) for g in jax.tree.leaves(gradients)))
    gradients = jax.tree.map(lambda g: g * jnp.minimum(1.0, 1.0 / (norm + 1e-9)), gradients)
    m, v, t = state
    m = jax.tree.map(lambda a, g: 0.9 * a + 0.1 * g, m, gradients)
    v = jax.tree.map(lambda a, g: 0.99 * a + 0.01 * g * g, v, gradients)
    t = t + 1
    update = jax.tree.map(lambda a, b: rate * (a / (1 - 0.9**t)) / (jnp.sqrt(b / (1 - 0.99**t)) + 1e-8), m, v)
    return jax.tree.map(jnp.subtract, layers, update), (m, v, t), value, right, norm


key = jax.random.key(0)
layers = list(init(key, (4, 16, 3)))
zeros = jax.tree.map(jnp.zeros_like, layers)
state = (zeros, jax.tree.map(jnp.copy, zeros), jnp.zeros(()))
x = jax.random.normal(jax.random.key(1), (32, 4))
y = jnp.argmax(x[:, :3], 1)
for i in range(5):
    layers, state, *told = step(layers, state, x, y)
    print(i, told)
print(layers[0].name, [float(jnp.abs(leaf).sum()) for leaf in jax.tree.leaves(layers)])
