"""A small transformer of characters: 4 blocks of width 128, 4 heads, 32 sequences of 64, AdamW."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import optax

VOCABULARY, WIDTH, HEADS, BLOCKS, LENGTH, SEQUENCES = 64, 128, 4, 4, 64, 32


def normalized(x: jax.Array, scale: jax.Array) -> jax.Array:
    """Layer normalization."""
    centred = x - x.mean(-1, keepdims=True)
    return scale * centred / jnp.sqrt((centred**2).mean(-1, keepdims=True) + 1e-5)


def attention(block: dict[str, Any], x: jax.Array) -> jax.Array:
    """Causal attention; what is to come is masked with -inf."""
    split = (*x.shape[:2], HEADS, WIDTH // HEADS)
    q, k, v = ((x @ block[name]).reshape(split) for name in ("query", "key", "value"))
    scores = jnp.einsum("blhd,bmhd->bhlm", q, k) / jnp.sqrt(WIDTH / HEADS)
    seen = jnp.tril(jnp.ones(scores.shape[-2:], bool))
    weights = jax.nn.softmax(jnp.where(seen, scores, -jnp.inf))
    return jnp.einsum("bhlm,bmhd->blhd", weights, v).reshape(x.shape) @ block["out"]


def loss_of(model: dict[str, Any], tokens: jax.Array) -> jax.Array:
    """The mean cross-entropy of the next character."""
    x = model["embedding"][tokens[:, :-1]] + model["position"]
    for block in model["blocks"]:
        x = x + attention(block, normalized(x, block["scale1"]))
        x = x + jax.nn.gelu(normalized(x, block["scale2"]) @ block["wide"]) @ block["narrow"]
    losses = optax.softmax_cross_entropy_with_integer_labels(x @ model["embedding"].T, tokens[:, 1:])
    return losses.mean()


def build() -> tuple[Any, tuple[Any, Any], tuple[jax.Array]]:
    """The step, its state, and a batch: ``state, loss = step(state, batch)``."""
    keys = iter(jax.random.split(jax.random.key(0), 64))

    def weights(*shape: int) -> jax.Array:
        return jax.random.normal(next(keys), shape) * shape[0] ** -0.5

    square = ("query", "key", "value", "out")
    blocks = [
        {
            **{name: weights(WIDTH, WIDTH) for name in square},
            "wide": weights(WIDTH, 4 * WIDTH),
            "narrow": weights(4 * WIDTH, WIDTH),
            "scale1": jnp.ones(WIDTH),
            "scale2": jnp.ones(WIDTH),
        }
        for _ in range(BLOCKS)
    ]
    model = {"embedding": weights(VOCABULARY, WIDTH), "position": weights(LENGTH, WIDTH), "blocks": blocks}
    optimizer = optax.adamw(1e-3)

    @jax.jit
    def step(state: tuple[Any, Any], batch: tuple[jax.Array]) -> tuple[tuple[Any, Any], jax.Array]:
        model, moments = state
        loss, gradients = jax.value_and_grad(loss_of)(model, *batch)
        updates, moments = optimizer.update(gradients, moments, model)
        return (optax.apply_updates(model, updates), moments), loss

    tokens = jax.random.randint(next(keys), (SEQUENCES, LENGTH + 1), 0, VOCABULARY)
    return step, (model, optimizer.init(model)), (tokens,)
