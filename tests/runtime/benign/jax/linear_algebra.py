"""Decompositions and solvers, FFTs, conjugate gradients, ODEs, complex numbers, sorted and segmented reductions."""

import jax
import jax.numpy as jnp
from jax.experimental.ode import odeint

m = jnp.array([[4.0, 1.0, 0.5], [1.0, 3.0, 0.2], [0.5, 0.2, 2.0]])
print(jnp.linalg.cholesky(m), jnp.linalg.eigvalsh(m), jnp.linalg.slogdet(m), jnp.linalg.inv(m) @ m)
print(jax.grad(lambda a: jnp.linalg.slogdet(a)[1])(m), jax.jit(jnp.linalg.solve)(m, jnp.ones(3)), jnp.linalg.cond(m))
u, s, vt = jnp.linalg.svd(m)
print(jnp.abs(u * s @ vt), jnp.linalg.qr(m)[1].diagonal(), jax.scipy.linalg.expm(m / 10), jnp.linalg.pinv(m))
print(jax.scipy.sparse.linalg.cg(m, jnp.ones(3))[0], jax.grad(lambda v: jnp.linalg.norm(v))(jnp.array([3.0, 4.0])))
print(jnp.abs(jnp.fft.fft(jnp.arange(4.0))), jnp.log(jnp.array([1 + 1j, 2 - 1j])), jnp.angle(jnp.array([1j, -1j])))
print(odeint(lambda y, t: -y * jnp.log1p(t), jnp.array([1.0]), jnp.linspace(0.0, 1.0, 4)))
print(jax.ops.segment_sum(jnp.arange(4.0), jnp.array([0, 0, 1, 2]), 3), jnp.sort(jnp.array([3.0, 1.0, 2.0])))
print(
    jnp.histogram(jnp.arange(5.0), 2),
    jnp.interp(0.5, jnp.arange(2.0), jnp.arange(2.0)),
    jnp.unique(jnp.array([1, 1, 2])),
)
print(
    jnp.arange(3, dtype=jnp.int8) // 2,
    jnp.float16(1) / 3,
    jnp.bfloat16(2).dtype,
    jnp.array([True]).sum(),
    jnp.zeros((0, 2)).sum(),
)
print(jnp.isfinite(jnp.array([3.0, 1.0])), jnp.nan_to_num(jnp.array([-1.0])), jnp.inf > jnp.float32(3))
