"""Births inside a ``shard_map``: its part is computed once more on the same devices, with a look at each of its ops."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.sharding import PartitionSpec

from nanlint.runtime.adapters.jax.program import Op, Program, bind, run
from nanlint.runtime.adapters.jax.propagation import can_give_birth, is_inexact

KINDS = ("ninf", "pinf", "nan")


def births_on(op: Op, part: Program, given: Sequence[Any]) -> Iterator[tuple[Op, frozenset[str]]]:
    """The ops of a ``shard_map`` that give birth on some device, and to what. Raises what JAX raises."""
    looked_at = [one for one in part.ops if can_give_birth(one) and any(is_inexact(v.aval) for v in one.eqn.outvars)]
    params = op.eqn.params

    def body(*arguments: Any) -> Any:
        fresh: dict[Op, Any] = {}

        def step(inner: Op, given: list[Any]) -> Sequence[Any]:
            results = bind(inner, given)
            before, axes = _kinds(given), _crossed(inner)
            if axes:
                before = lax.psum(before.astype(int), axes) > 0
            fresh[inner] = _kinds(results) & ~before
            return results

        run(part, arguments, step)
        return jnp.stack([fresh[inner] for inner in looked_at])[None]

    if looked_at:
        mapped = jax.shard_map(
            body,
            mesh=params["mesh"],
            in_specs=tuple(params["in_specs"]),
            out_specs=PartitionSpec(tuple(params["mesh"].axis_names)),
            check_vma=params["check_vma"],
        )
        found = np.asarray(mapped(*given)).any(axis=0).reshape(-1, len(KINDS)).tolist()
        for inner, kinds in zip(looked_at, found, strict=True):
            if any(kinds):
                yield inner, frozenset(kind for kind, there in zip(KINDS, kinds, strict=True) if there)


def _crossed(op: Op) -> tuple[str, ...]:
    """The axes of the mesh over which an op takes what other devices have."""
    params = op.eqn.params
    axes = params.get("axes", params.get("axis_name", ()))
    return tuple(axis for axis in (axes if isinstance(axes, tuple) else (axes,)) if isinstance(axis, str))


def _kinds(values: Sequence[Any]) -> Any:
    """Which kinds of non-finite value are in some of these, in the order of ``KINDS``."""
    found = jnp.zeros(3, bool)
    for x in values:
        x = jnp.asarray(x)
        if is_inexact(x):
            for part in (lax.real(x), lax.imag(x)) if jnp.iscomplexobj(x) else (x,):
                found |= jnp.stack([(part == -jnp.inf).any(), (part == jnp.inf).any(), (part != part).any()])
    return found
