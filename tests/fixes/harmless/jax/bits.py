"""Information in bits, ratios in decibel."""

import jax
import jax.numpy as jnp


def entropy_in_bits(logits):
    p = jax.nn.softmax(logits, axis=-1)
    return -jnp.sum(p * jnp.log2(p), axis=-1)


def surprise(logits):
    return -jnp.log2(jax.nn.sigmoid(logits))


def decibel(logits):
    return 10 * jnp.log10(jax.nn.softmax(logits))


def loudness(levels):
    return 10 * jnp.log10(jnp.sum(10 ** (levels / 10), axis=0))


def main():
    logits = jax.random.normal(jax.random.PRNGKey(0), (4, 5))
    return (
        entropy_in_bits(logits),
        surprise(logits),
        decibel(logits),
        loudness(logits * 10),
    )
