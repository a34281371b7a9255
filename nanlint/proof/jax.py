"""JAX, and what is built on it, as the interpreter's framework."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import Any

os.environ.setdefault("JAX_PLATFORMS", "cpu")

import jax
import jax.numpy as jnp
import numpy as np

from nanlint.proof.backend import Numbers
from nanlint.proof.numpy import NumpyBackend


class JaxBackend(NumpyBackend):
    """Rows are one-dimensional arrays; traced while a gradient is taken."""

    name = "jax"
    roots = ("jax", "optax")
    batches = True
    differentiates = True
    module = jnp

    def row(self, numbers: Sequence[float], fmt: str) -> Numbers:
        return jnp.asarray(list(numbers), dtype="float32" if fmt == "float64" else fmt)

    def is_row(self, x: Numbers) -> bool:
        return isinstance(x, jax.Array)

    def cast(self, x: Numbers, fmt: str) -> Numbers:
        return x.astype("float32" if fmt == "float64" else fmt)

    def truth(self, x: Numbers) -> Numbers:
        return x if x.dtype == bool else x != 0

    def take(self, x: Numbers, places: Sequence[int]) -> Numbers:
        return x[np.asarray(list(places), dtype="int32")]

    def stop_gradient(self, x: Numbers) -> Numbers:
        return jax.lax.stop_gradient(x)

    def array(self, x: Numbers) -> Numbers:
        return x if self.is_row(x) else jnp.asarray([float(x)])

    def gradients(self, f: Callable[[list[Numbers]], Numbers], rows: list[Numbers]) -> list[tuple[float, ...] | None]:
        def total(leaves: list[Any]) -> Any:
            return jnp.sum(f(leaves))

        return [self.numbers(g) for g in jax.grad(total)(rows)]


BACKEND = JaxBackend
