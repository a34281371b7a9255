"""A classifier of digits: 784-512-512-10, batches of 64, AdamW."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import optax

SIZES = (784, 512, 512, 10)


def logits(layers: list[Any], x: jax.Array) -> jax.Array:
    """What the network says."""
    for weights, bias in layers[:-1]:
        x = jax.nn.relu(x @ weights + bias)
    weights, bias = layers[-1]
    return x @ weights + bias


def loss_of(layers: list[Any], x: jax.Array, labels: jax.Array) -> jax.Array:
    """The cross-entropy, from probabilities: what nanlint flags."""
    probabilities = jax.nn.softmax(logits(layers, x))
    chosen = jnp.take_along_axis(probabilities, labels[:, None], axis=1)
    return -jnp.mean(jnp.log(chosen))


def build() -> tuple[Any, tuple[Any, Any], tuple[jax.Array, jax.Array]]:
    """The step, its state, and a batch: ``state, loss = step(state, batch)``."""
    key = jax.random.key(0)
    keys = jax.random.split(key, len(SIZES))
    shapes = zip(keys, SIZES[:-1], SIZES[1:], strict=False)
    layers = [
        (jax.random.normal(one, (rows, columns)) * rows**-0.5, jnp.zeros(columns)) for one, rows, columns in shapes
    ]
    optimizer = optax.adamw(1e-3)

    @jax.jit
    def step(state: tuple[Any, Any], batch: tuple[jax.Array, jax.Array]) -> tuple[tuple[Any, Any], jax.Array]:
        layers, moments = state
        loss, gradients = jax.value_and_grad(loss_of)(layers, *batch)
        updates, moments = optimizer.update(gradients, moments, layers)
        return (optax.apply_updates(layers, updates), moments), loss

    batch = jax.random.normal(keys[-1], (64, SIZES[0])), jax.random.randint(key, (64,), 0, SIZES[-1])
    return step, (layers, optimizer.init(layers)), batch
