"""A mean over shards of which one counts nothing."""

import os

os.environ["XLA_FLAGS"] = "--xla_force_host_platform_device_count=2"
import jax
import jax.numpy as jnp
from jax.sharding import PartitionSpec as P

mesh = jax.make_mesh((2,), ("i",), axis_types=(jax.sharding.AxisType.Auto,))


def mean(x, mask):
    local = jnp.sum(x * mask) / jnp.sum(mask)  # born
    return jax.lax.psum(local, "i")


run = jax.jit(jax.shard_map(mean, mesh=mesh, in_specs=(P("i"), P("i")), out_specs=P()))
print(run(jnp.ones(4), jnp.array([1.0, 1.0, 0.0, 0.0])))
