"""What JAX's primitives do with values that are not finite, and from this where to look: in as few places as can be.

A value that is not finite shows in what most ops make of it, so one look at the end of a chain tells of all of it;
what op it was is found by going through the chain again. Only before an op that can lose it must be looked.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import jax.numpy as jnp

from nanlint.runtime.adapters.jax.program import Op, Program

# fmt: off
#: whatever operand is not finite, neither is the result
TRANSPARENT = frozenset(
    (
        "abs", "add", "add_any", "asinh", "broadcast_in_dim", "cbrt", "concatenate", "copy", "copy_p", "cos",
        "cumprod", "cumsum", "dot_general", "expand_dims", "log", "log1p", "mul", "name", "neg", "psum",
        "reduce_prod", "reduce_sum", "reshape", "rev", "sharding_constraint", "sin", "sqrt", "square",
        "squeeze", "stop_gradient", "sub", "tan", "transpose",
    )
)
#: finite operands give finite results, and no operand gives a kind of value that it has not: moves and bounded ops
HARMLESS = frozenset(
    (
        "abs", "argmax", "argmin", "asinh", "atan", "atan2", "bitcast_convert_type", "broadcast_in_dim", "cbrt",
        "ceil", "clamp", "concatenate", "conj", "copy", "copy_p", "cummax", "cummin", "device_put",
        "dynamic_slice", "dynamic_update_slice", "erf", "erfc", "expand_dims", "floor", "gather", "imag",
        "iota", "is_finite", "logistic", "max", "min", "name", "neg", "optimization_barrier", "pad",
        "random_bits", "real", "reduce_max", "reduce_min", "reduce_precision", "reshape", "rev", "round",
        "scatter", "select_n", "sharding_constraint", "sign", "slice", "sort", "split", "squeeze",
        "stop_gradient", "tanh", "top_k", "transpose",
    )
)
# fmt: on
#: what a maximum goes through before it is subtracted
_CARRIED_ALONG = frozenset({"broadcast_in_dim", "stop_gradient", "max", "reshape", "expand_dims", "select_n"})
#: ops whose parts are looked into
OPENED = frozenset({"scan", "while", "cond", "checkpoint", "remat", "remat2"})


def is_opened(op: Op) -> bool:
    """Whether the parts of an op are looked into; not those of a loop that a ``vmap`` has made end at its last one."""
    if op.name == "while":
        return bool(op.eqn.params["cond_jaxpr"].out_avals[0].shape == ())
    return op.name in OPENED


def can_give_birth(op: Op) -> bool:
    """Whether the result of an op can hold a kind of non-finite value that is in no operand."""
    if op.name == "convert_element_type":
        return not _widens(op.eqn.invars[0].aval.dtype, op.eqn.outvars[0].aval.dtype)
    return op.name not in HARMLESS and not is_opened(op)


def is_inexact(aval: Any) -> bool:
    """Whether an array of this type can hold a value that is not finite, and has elements."""
    dtype = getattr(aval, "dtype", None)
    return dtype is not None and jnp.issubdtype(dtype, jnp.inexact) and aval.size > 0


def sinks(program: Program) -> Iterator[tuple[Op, int]]:
    """The results to look at: those in which a birth before them shows, and that no later one tells of."""
    carries: set[int] = set()
    shifted = set(_shifted(program))
    for op in program.ops:
        shown = (value for i, value in enumerate(op.inputs) if isinstance(value, int) and _shows(op, i, shifted))
        given = not carries.isdisjoint(shown)
        if can_give_birth(op) or given:
            carries.update(op.outputs)
    used: set[int] = {value for value in program.outputs if isinstance(value, int)}
    told: set[int] = set()
    for op in reversed(program.ops):
        if not op.eqn.effects and not used.intersection(op.outputs):
            continue  # dead code
        for i, value in enumerate(op.inputs):
            if isinstance(value, int):
                used.add(value)
                if _shows(op, i, shifted):
                    told.add(value)
    for op in program.ops:
        for i, (value, var) in enumerate(zip(op.outputs, op.eqn.outvars, strict=True)):
            if value in carries and value in used and value not in told and is_inexact(var.aval):
                yield op, i


def _shows(op: Op, operand: int, shifted: set[int]) -> bool:
    """Whether a value in an operand that is not finite always leaves one in the result."""
    if not all(is_inexact(var.aval) for var in op.eqn.outvars):
        return False
    if op.name == "div":
        return operand == 0
    if op.name == "integer_pow":
        return bool(op.eqn.params["y"] > 0)
    if op.name == "exp":
        return isinstance(op.inputs[operand], int) and op.inputs[operand] in shifted
    return op.name in TRANSPARENT or op.name == "convert_element_type"


def _shifted(program: Program) -> Iterator[int]:
    """Values less their maximum: none is -inf that was not before, so their exponential hides nothing that was born.

    That is what a softmax computes; a look between the two would keep XLA from fusing them.
    """
    maxima: set[int] = set()
    for op in program.ops:
        if op.name == "reduce_max" or (op.name in _CARRIED_ALONG and not maxima.isdisjoint(_numbered(op))):
            maxima.update(op.outputs)
        elif op.name == "sub" and isinstance(op.inputs[1], int) and op.inputs[1] in maxima:
            yield from op.outputs


def _numbered(op: Op) -> set[int]:
    return {value for value in op.inputs if isinstance(value, int)}


def _widens(old: Any, new: Any) -> bool:
    """Whether every number of one dtype is finite in another."""
    if not jnp.issubdtype(new, jnp.inexact):
        return True
    if not jnp.issubdtype(old, jnp.inexact):
        return float(jnp.finfo(new).max) > 1e20
    return bool(jnp.finfo(new).max >= jnp.finfo(old).max)
