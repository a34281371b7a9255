"""vmap over axes and pytrees, per-sample gradients, named axes, shard_map on one device, pmap of one, ensembles."""

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, NamedSharding
from jax.sharding import PartitionSpec as P


def loss(p, x, y):
    return jnp.sum((jnp.tanh(x @ p["w"]) + p["b"] - y) ** 2)


p = {"w": jnp.linspace(-1, 1, 3), "b": jnp.float32(0.1)}
xs, ys = jnp.arange(12.0).reshape(4, 3) / 10, jnp.arange(4.0)
print(jax.jit(jax.vmap(jax.grad(loss), (None, 0, 0)))(p, xs, ys))
print(jax.vmap(lambda a, b: a / (jnp.linalg.norm(a) + b), in_axes=(1, None), out_axes=1)(xs, 1e-6))
print(jax.vmap(lambda x: x - jax.lax.pmean(x, "batch"), axis_name="batch")(xs))
stacked = jax.vmap(lambda k: {"w": jax.random.normal(k, (3,)), "b": 0.0})(jax.random.split(jax.random.key(0), 5))
print(jax.vmap(loss, (0, None, None))(stacked, xs, ys))
mesh = Mesh(np.array(jax.devices()[:1]), ("d",))
total = jax.jit(
    jax.shard_map(lambda x: jax.lax.psum(jnp.log(x + 1).sum(), "d"), mesh=mesh, in_specs=P("d"), out_specs=P())
)
print(total(xs), jax.device_put(xs, NamedSharding(mesh, P("d"))).sharding.is_fully_replicated)
print(jax.pmap(lambda x: x / x.sum())(jnp.ones((1, 3))))
print(
    jax.jit(jax.vmap(jax.jit(lambda x: jnp.where(x > 0, jnp.log(jnp.where(x > 0, x, 1.0)), 0.0))))(
        jnp.array([0.0, 2.0])
    )
)
print(
    jnp.vectorize(lambda a, b: a @ b, signature="(n),(n)->()")(xs, xs),
    jax.jit(jnp.einsum, static_argnums=0)("ij,kj->ik", xs, xs),
)
