"""scan, while_loop, fori_loop, cond, switch, map, associative_scan, checkpoint, and their gradients, under vmap."""

import jax
import jax.numpy as jnp
from jax import lax


def rnn(w, xs):
    def cell(h, x):
        h = jnp.tanh(w @ h + x)
        return h, jnp.log1p(h * h)

    return lax.scan(jax.checkpoint(cell), jnp.zeros(2), xs)


w = jnp.array([[0.1, 0.2], [-0.3, 0.4]])
xs = jnp.arange(6.0).reshape(3, 2) / 5
print(
    rnn(w, xs), jax.grad(lambda w: rnn(w, xs)[1].sum())(w), jax.jit(jax.hessian(lambda s: rnn(w * s, xs)[1].sum()))(1.0)
)


@jax.jit
def root(a):
    return lax.while_loop(lambda x: jnp.abs(x * x - a) > 1e-4 * a, lambda x: 0.5 * (x + a / x), a)


print(jax.vmap(root)(jnp.array([1.0, 2.0, 9.0])), root(5.0))
branches = (jnp.sin, jnp.exp, lambda x: jnp.log(x + 1))
print([jax.jit(lambda i, x: lax.switch(i, branches, x))(i, 0.5) for i in range(3)])
print(jax.grad(lambda x: lax.cond(x > 0, lambda v: jnp.log(v), lambda v: v, x))(jnp.float32(2.0)))
print(lax.fori_loop(0, 5, lambda i, x: x + jnp.sqrt(i + 1.0), 0.0), lax.map(lambda x: x / (x + 1), jnp.arange(3.0)))
print(lax.associative_scan(jnp.maximum, jnp.array([1.0, 3.0, 2.0])), jnp.cumsum(jnp.ones(3)))
print(jax.vmap(lambda x: lax.cond(x > 1, jnp.log, jnp.exp, x))(jnp.array([0.5, 2.0])))


@jax.jit
def power(m):
    def body(state):
        v, old, _ = state
        u = m @ v
        return u / jnp.linalg.norm(u), jnp.vdot(v, u), old

    return lax.while_loop(lambda s: jnp.abs(s[1] - s[2]) > 1e-5, body, (jnp.array([1.0, 0.0]), 0.0, 1.0))[1]


print(power(jnp.array([[2.0, 1.0], [1.0, 3.0]])))
print(jax.jit(lambda x: lax.scan(lambda c, _: (c * 0.5 + 1, None), x, None, length=4)[0])(jnp.float32(3)))
