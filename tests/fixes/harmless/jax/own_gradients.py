"""Own derivatives and hand-written activations."""

from functools import partial

import jax
import jax.numpy as jnp


@jax.custom_jvp
def log1pexp(x):
    return jnp.log(1 + jnp.exp(x))


@log1pexp.defjvp
def _(primals, tangents):
    (x,), (t,) = primals, tangents
    return log1pexp(x), (1 - 1 / (1 + jnp.exp(x))) * t


@partial(jax.custom_vjp, nondiff_argnums=(1,))
def clipped(x, limit):
    return x


clipped.defvjp(lambda x, limit: (x, None), lambda limit, _, g: (jnp.clip(g, -limit, limit),))


@jax.custom_vjp
def norm(x):
    return jnp.sqrt(jnp.sum(x**2))


def norm_fwd(x):
    n = norm(x)
    return n, (x, n)


def norm_bwd(res, g):
    x, n = res
    return (g * jnp.where(n == 0, 0.0, x / jnp.where(n == 0, 1.0, n)),)


norm.defvjp(norm_fwd, norm_bwd)


def sigmoid(x):
    return 1.0 / (1.0 + jnp.exp(-x))


def sigmoid_up(x):
    return jnp.exp(x) / (1 + jnp.exp(x))


def tanh(x):
    return (jnp.exp(2 * x) - 1) / (jnp.exp(2 * x) + 1)


def silu(x):
    return x * sigmoid(x)


def selu(x, a=1.67, s=1.05):
    return s * jnp.where(x > 0, x, a * jnp.exp(x) - a)


def logit(p):
    return jnp.log(p) - jnp.log(1 - p)


def versine(x):
    return 1 - jnp.cos(x)


def main():
    x = jnp.array([-1.0, 0.25, 2.0])
    out = []
    for f in (log1pexp, partial(clipped, limit=0.5), norm, sigmoid, sigmoid_up, tanh, silu, selu, versine):
        out += [f(x), jax.grad(lambda t, f=f: jnp.sum(f(t) * 3))(x), jax.jit(f)(x)]
    out += [norm(x * 0), jax.grad(norm)(x * 0), logit(sigmoid(x)), versine(jnp.array([1, 2])), sigmoid(1), tanh(0.5)]
    return out
