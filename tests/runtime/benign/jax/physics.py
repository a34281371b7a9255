"""A network for a differential equation and particles that repel: derivatives inside of losses, masks before divisions."""

import jax
import jax.numpy as jnp


def u(p, x):
    h = jnp.tanh(p["a"] * x + p["b"])
    return jnp.dot(p["c"], h)


def loss(p, xs):
    first = jax.vmap(jax.grad(u, 1), (None, 0))(p, xs)
    second = jax.vmap(jax.grad(jax.grad(u, 1), 1), (None, 0))(p, xs)
    return jnp.mean((second + first / xs) ** 2) + (u(p, 1.0) - 1) ** 2


@jax.jit
def step(p, xs):
    value, gradient = jax.value_and_grad(loss)(p, xs)
    return jax.tree.map(lambda a, g: a - 0.01 * g, p, gradient), value


p = {name: jnp.linspace(-1, 1, 5) * (i + 1) for i, name in enumerate("abc")}
for _ in range(4):
    p, value = step(p, jnp.linspace(0.1, 1.0, 7))
    print(value)


def energy(x):
    delta = x[:, None] - x[None]
    square = jnp.sum(delta**2, -1)
    other = ~jnp.eye(len(x), dtype=bool)
    distance = jnp.sqrt(jnp.where(other, square, 1.0))
    return 0.5 * jnp.sum(jnp.where(other, 1.0 / distance, 0.0))


@jax.jit
def leap(state, _):
    x, v = state
    v = v - 0.005 * jax.grad(energy)(x)
    x = x + 0.01 * v
    return (x, v - 0.005 * jax.grad(energy)(x)), energy(x)


x = jnp.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.5]])
(x, v), trace = jax.lax.scan(leap, (x, jnp.zeros_like(x)), None, length=20)
print(x, v, trace[::5], jax.hessian(energy)(x).shape)
