"""Infinity where it is meant."""

import jax
import jax.numpy as jnp


def arrival(distance, speed):
    return distance / speed


def first(distance, speed):
    times = arrival(distance, speed)
    return jnp.argmin(times), jnp.isinf(times)


def attention(scores, mask):
    return jax.nn.softmax(scores + jnp.log(mask), axis=-1)


def viterbi(initial, transition):
    score = jnp.log(initial)
    for _ in range(3):
        score = jnp.max(score[:, None] + jnp.log(transition), axis=0)
    return score


def main():
    distance, speed = jnp.array([5.0, 2.0, 3.0]), jnp.array([1.0, 0.0, 2.0])
    transition = jnp.array([[0.5, 0.5, 0.0], [0.0, 0.5, 0.5], [0.2, 0.0, 0.8]])
    initial = jnp.array([0.5, 0.0, 0.5])
    return (
        *first(distance, speed),
        attention(distance, jnp.array([1.0, 0.0, 1.0])),
        viterbi(initial, transition),
    )
