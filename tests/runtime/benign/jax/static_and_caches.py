"""jit with static and named arguments, retracing, weak types, donated arrays, ahead-of-time compiling, inner jits."""

import functools

import jax
import jax.numpy as jnp
import numpy as np

traced = []


@functools.partial(jax.jit, static_argnums=1, static_argnames=("mode",))
def scaled(x, power, *, mode="mean"):
    traced.append((x.shape, power, mode))
    y = jnp.log(jnp.abs(x) + 1) ** power
    return y.mean() if mode == "mean" else y.sum()


x = jnp.arange(4.0)
print(
    scaled(x, 2),
    scaled(x + 1, 2),
    scaled(x, 3),
    scaled(x, 2, mode="sum"),
    scaled(np.ones(3, np.float32), 2),
    scaled(x, 2),
)
print(traced)


@functools.partial(jax.jit, donate_argnums=0)
def moved(x, y):
    return x / (y + 1), y


for _ in range(3):
    x, y = moved(x, jnp.ones(4))
print(x, y, jax.jit(lambda v: v * 2)(3), (jax.jit(lambda v: v * 2)(jnp.float32(3)) + jnp.int32(1)).dtype)
compiled = jax.jit(lambda v: jnp.sqrt(v).sum()).lower(jnp.ones(3)).compile()
print(compiled(jnp.full(3, 4.0)), jax.eval_shape(lambda v: jnp.log(v), jnp.ones(3)).shape)
print(jax.make_jaxpr(lambda v: jnp.log(v) / v)(1.0))


class Model:
    def __init__(self, scale):
        self.scale = scale

    @functools.partial(jax.jit, static_argnums=0)
    def __call__(self, x):
        return jax.nn.relu(self.inner(x) * self.scale)

    @functools.partial(jax.jit, static_argnums=0)
    def inner(self, x):
        return jnp.tanh(x) / self.scale


model = Model(3.0)
print(model(jnp.array([1.0, -1.0])), jax.grad(lambda v: model(v).sum())(jnp.array([1.0, 2.0])))
table = np.zeros(3)
table[1] = jnp.float32(2.5)
print(
    table,
    float(jnp.log(2.0)),
    int(jnp.int32(3)),
    bool(jnp.array(True)),
    [float(v) for v in jnp.arange(2.0)],
    jnp.ones(2).tolist(),
)
