"""A function that probes found something in is gone through again, op by op: what was born where, and of what."""

from __future__ import annotations

import time
from collections.abc import Generator, Sequence
from dataclasses import dataclass, field
from typing import Any

import jax
import numpy as np
from jax import lax
from jax._src import core

from nanlint.runtime.adapters.jax.program import Op, Program, bind, parts_of, run
from nanlint.runtime.adapters.jax.propagation import can_give_birth, is_inexact, is_opened
from nanlint.runtime.arrays import numbers_of

#: seconds that one function may be gone through again
LONGEST = 60.0


class Unrepeatable(Exception):
    """The function cannot be gone through again: it does something beside computing, or takes too long."""


@dataclass(frozen=True, eq=False)
class Born:
    """An op that gave birth: what it read and made, in which turn of the innermost loop around it (-1: in none)."""

    op: Op
    inside: tuple[Op, ...]
    kinds: frozenset[str]
    inputs: tuple[Any, ...]
    outputs: tuple[Any, ...]
    turn: int = -1


@dataclass
class Replay:
    """``births`` in the order of the ops; ``hidden``: ops that took nan and gave none; ``kinds`` that were anywhere."""

    births: list[Born] = field(default_factory=list)
    hidden: list[Born] = field(default_factory=list)
    kinds: set[str] = field(default_factory=set)


def replay(program: Program, arguments: Sequence[Any], into: set[Op]) -> Replay:
    """Go through a function; into the loops and branches of ``into`` up to their first birth.

    Raises Unrepeatable.
    """
    found = Replay()
    with jax.debug_nans(False), jax.debug_infs(False):
        _through(program, arguments, (), into, found, time.monotonic() + LONGEST, -1)
    return found


def kinds_of(x: Any) -> frozenset[str]:
    """The kinds of non-finite value in an array or number."""
    dtype = getattr(x, "dtype", None)
    if isinstance(x, float | complex):
        array = np.asarray(x)
    elif dtype is None or not jax.numpy.issubdtype(dtype, jax.numpy.inexact):
        return frozenset()
    else:
        array = numbers_of(np.asarray(x))
    if np.isfinite(array).all():
        return frozenset()
    parts = (array.real, array.imag) if array.dtype.kind == "c" else (array,)
    tests: tuple[tuple[str, Any], ...] = (("nan", np.isnan), ("pinf", np.isposinf), ("ninf", np.isneginf))
    return frozenset(kind for kind, test in tests if any(test(part).any() for part in parts))


def _through(
    program: Program,
    arguments: Sequence[Any],
    inside: tuple[Op, ...],
    into: set[Op] | None,
    found: Replay,
    deadline: float,
    turn: int,
) -> list[Any]:
    def step(op: Op, given: list[Any]) -> Sequence[Any]:
        if time.monotonic() > deadline:
            raise Unrepeatable(f"took more than {LONGEST:g} s")
        if op.eqn.effects:
            if op.outputs:
                raise Unrepeatable(f"{op.name} does something beside computing")
            return ()
        if is_opened(op) and (into is None or op in into):
            count = len(found.births)
            turns = _turns(op, given)
            now = next(turns, None)
            while now is not None and len(found.births) == count:
                part, given_part, number = now
                left = _through(part, given_part, (*inside, op), None, found, deadline, number)
                now = _next(turns, left)
        results = bind(op, given)
        if any(map(is_inexact, (var.aval for var in op.eqn.outvars))):
            _judge(op, given, results, inside, found, turn)
        return results

    return run(program, arguments, step)


def _judge(
    op: Op, given: Sequence[Any], results: Sequence[Any], inside: tuple[Op, ...], found: Replay, turn: int
) -> None:
    after = frozenset[str]().union(*map(kinds_of, results))
    found.kinds |= after
    before = frozenset[str]().union(*map(kinds_of, given))
    fresh = after - before
    if fresh and can_give_birth(op):
        found.births.append(Born(op, inside, fresh, tuple(given), tuple(results), turn))
    elif "nan" in before - after and op.name in ("select_n", "max", "min", "clamp"):
        found.hidden.append(Born(op, inside, frozenset({"nan"}), tuple(given), tuple(results), turn))


#: one of the programs that an op runs, what it is given, and the number of the turn (-1: it is no loop)
_Turn = tuple[Program, list[Any], int]


def _next(turns: Generator[_Turn, list[Any], None], left: list[Any]) -> _Turn | None:
    try:
        return turns.send(left)
    except StopIteration:
        return None


def _turns(op: Op, given: list[Any]) -> Generator[_Turn, list[Any], None]:
    """The programs that an op runs, with what each is given; is sent what each has left."""
    parts, params = parts_of(op), op.eqn.params
    if op.name == "cond":
        yield parts[int(given[0])], given[1:], -1
    elif op.name == "scan":
        first, last = params["num_consts"], params["num_consts"] + params["num_carry"]
        carry = given[first:last]
        turns = range(params["length"])
        for i in reversed(turns) if params["reverse"] else turns:
            xs = [lax.index_in_dim(x, i, keepdims=False) for x in given[last:]]
            left = yield parts[0], [*given[:first], *carry, *xs], i
            carry = left[: params["num_carry"]]
    elif op.name == "while":
        first, last = params["cond_nconsts"], params["cond_nconsts"] + params["body_nconsts"]
        carry, i = given[last:], 0
        while bool(core.jaxpr_as_fun(params["cond_jaxpr"])(*given[:first], *carry)[0]):
            carry = yield parts[-1], [*given[first:last], *carry], i
            i += 1
    else:
        yield parts[0], given, -1
