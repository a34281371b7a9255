"""Terms of a policy gradient: ratios, entropies, advantages."""

import jax
import jax.numpy as jnp


def log_policy(logits, actions):
    return jnp.log(jax.nn.softmax(logits))[jnp.arange(len(actions)), actions]


def entropy(logits):
    p = jax.nn.softmax(logits)
    return -jnp.sum(p * jnp.log(p), axis=-1)


def ratio(new, old):
    return jnp.exp(new - old)


def advantages(rewards):
    return (rewards - rewards.mean()) / rewards.std()


def objective(logits, old, actions, rewards):
    r = ratio(log_policy(logits, actions), old)
    a = advantages(rewards)
    return (
        jnp.minimum(r * a, jnp.clip(r, 0.8, 1.2) * a).mean()
        + 0.01 * entropy(logits).mean()
    )


def main():
    keys = jax.random.split(jax.random.PRNGKey(8), 3)
    logits = jax.random.normal(keys[0], (6, 3))
    actions = jax.random.randint(keys[1], (6,), 0, 3)
    rewards = jax.random.normal(keys[2], (6,))
    old = log_policy(logits * 0.9, actions)
    return objective(logits, old, actions, rewards), jax.grad(objective)(
        logits, old, actions, rewards
    )
