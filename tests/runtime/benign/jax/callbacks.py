"""pure_callback, io_callback, debug.callback, host data inside of jit, side effects counted, errors that are handled."""

import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental import io_callback

seen = []


@jax.jit
def mixed(x):
    y = jax.pure_callback(lambda v: np.log(v).astype(np.float32), jax.ShapeDtypeStruct(x.shape, jnp.float32), x)
    jax.debug.callback(lambda v: seen.append(("debug", float(v))), y.sum())
    count = io_callback(
        lambda v: seen.append(("io", v.shape)) or np.int32(len(seen)), jax.ShapeDtypeStruct((), jnp.int32), x
    )
    return y / (1 + count)


for i in range(3):
    print(mixed(jnp.arange(1.0, 4.0) + i))
jax.effects_barrier()
print(sorted(map(str, seen)))


@jax.jit
def failing(x):
    def fail(v):
        raise ValueError("no")

    return jax.pure_callback(fail, jax.ShapeDtypeStruct((), jnp.float32), x)


for wrong in (
    lambda: failing(1.0).block_until_ready(),
    lambda: jax.jit(lambda x: x if x > 0 else -x)(1.0),
    lambda: jnp.ones(3) + jnp.ones(2),
    lambda: jax.grad(lambda x: x)(jnp.ones(2)),
):
    try:
        wrong()
    except Exception as error:
        print(type(error).__name__)
checked = jax.experimental.checkify.checkify(lambda x: jnp.log(x)) if hasattr(jax.experimental, "checkify") else None
with jax.disable_jit():
    print(jax.jit(lambda x: jnp.log(x) * 2)(3.0))
with jax.debug_nans(True):
    print(jax.jit(lambda x: jnp.sqrt(x))(2.0))
