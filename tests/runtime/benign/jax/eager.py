"""No jit at all: eager gradients, in-place updates by .at, Python control flow, generators, NumPy in between."""

import jax
import jax.numpy as jnp
import numpy as np


def batches(n):
    rng = np.random.default_rng(0)
    for _ in range(n):
        x = rng.normal(size=(4, 2)).astype(np.float32)
        yield x, (x.sum(1) > 0).astype(np.float32)


def loss(w, x, y):
    p = jax.nn.sigmoid(x @ w)
    return -jnp.mean(y * jnp.log(p + 1e-7) + (1 - y) * jnp.log(1 - p + 1e-7))


w = jnp.zeros(2)
for x, y in batches(3):
    value, gradient = jax.value_and_grad(loss)(w, x, y)
    w = w.at[:].add(-0.5 * gradient)
    if value > 0.5:
        print("high", value)
    print(w, np.asarray(gradient).round(6))
speed = lambda v: jnp.linalg.norm(v) * jnp.tanh(v).sum()
print(jax.grad(speed)(jnp.array([0.3, -0.1])), jax.jacfwd(lambda v: v / v.sum())(jnp.array([1.0, 2.0])))
table = jnp.zeros((2, 3)).at[0, 1].set(5.0).at[1].multiply(2).at[:, 2].max(1.0)
print(table, table.sum(0), jnp.where(table > 0, jnp.log(jnp.maximum(table, 1e-6)), 0.0))
try:
    table[0, 0] = 1
except TypeError as error:
    print(type(error).__name__)
print(jnp.max(jnp.array([-jnp.inf, 1.0])), jnp.minimum(jnp.inf, 2.0), jax.nn.softmax(jnp.array([1e4, 0.0])))
