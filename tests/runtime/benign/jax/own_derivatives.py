"""custom_vjp and custom_jvp with static arguments, closures, symbolic zeros; implicit differentiation; stop_gradient."""

import functools

import jax
import jax.numpy as jnp
from jax import lax


@jax.custom_jvp
def log1pexp(x):
    return jnp.log(1.0 + jnp.exp(x))


@log1pexp.defjvp
def _(primals, tangents):
    (x,), (t,) = primals, tangents
    return log1pexp(x), (1 - 1 / (1 + jnp.exp(x))) * t


@functools.partial(jax.custom_vjp, nondiff_argnums=(1,))
def clipped(x, bound):
    return x


clipped.defvjp(lambda x, bound: (x, None), lambda bound, _, g: (jnp.clip(g, -bound, bound),))


@jax.custom_vjp
def norm(x):
    return jnp.sqrt(jnp.sum(x * x))


def forward(x):
    n = norm(x)
    return n, (x, n)


def backward(kept, g):
    x, n = kept
    return (jnp.where(n > 0, g * x / jnp.where(n > 0, n, 1.0), 0.0),)


norm.defvjp(forward, backward)


@functools.partial(jax.custom_vjp, nondiff_argnums=(0,))
def fixed_point(f, a, x):
    return lax.while_loop(lambda s: jnp.abs(s[0] - s[1]) > 1e-5, lambda s: (s[1], f(a, s[1])), (x, f(a, x)))[1]


def fixed_forward(f, a, x):
    found = fixed_point(f, a, x)
    return found, (a, found)


def fixed_backward(f, kept, g):
    a, found = kept
    (_, pull) = jax.vjp(lambda v: f(a, v), found)
    total = lax.while_loop(
        lambda s: jnp.abs(s[0] - s[1]) > 1e-6, lambda s: (s[1], g + pull(s[1])[0]), (g, g + pull(g)[0])
    )[1]
    return jax.vjp(lambda b: f(b, found), a)[1](total)[0], jnp.zeros_like(found)


fixed_point.defvjp(fixed_forward, fixed_backward)
x = jnp.array([0.5, -2.0, 30.0])
for wrap in (lambda f: f, jax.jit):
    print(wrap(jax.vmap(jax.grad(log1pexp)))(x), wrap(jax.grad(lambda v: (clipped(v, 0.5) ** 2).sum()))(x))
    print(wrap(jax.grad(norm))(jnp.zeros(3)), wrap(jax.grad(norm))(x), wrap(jax.jacfwd(jax.vmap(log1pexp)))(x))
    newton = lambda a, v: 0.5 * (v + a / v)
    print(
        wrap(jax.grad(lambda a: fixed_point(newton, a, a)))(3.0),
        wrap(jax.grad(lambda v: lax.stop_gradient(v) * v))(2.0),
    )
    print(wrap(jax.grad(jax.grad(lambda v: jnp.log(v) * v)))(2.0), wrap(jax.value_and_grad(jnp.prod))(x))
print(jax.vjp(lambda a, b: {"s": a / b}, 1.0, 2.0)[1]({"s": 1.0}), jax.jvp(jnp.log, (2.0,), (1.0,)))
print(jax.linearize(lambda v: jnp.sin(v) / v, 2.0)[1](1.0), jax.jacrev(lambda v: v / v.sum())(jnp.ones(2)))
