"""A function that probes found something in is gone through again, op by op: what was born where, and of what."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Generator, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax._src import core
from jax.sharding import PartitionSpec

from nanlint.runtime.adapter import Values
from nanlint.runtime.adapters.jax.program import Op, Program, bind, is_backward, parts_of, run
from nanlint.runtime.adapters.jax.propagation import can_give_birth, is_inexact, is_opened
from nanlint.runtime.arrays import health_of_array, numbers_of
from nanlint.runtime.health import Kinds

#: seconds that one function may be gone through again
LONGEST = 60.0


class Unrepeatable(Exception):
    """The function cannot be gone through again: it does something beside computing, or takes too long."""


@dataclass(frozen=True, eq=False)
class Done:
    """An op that was done: what it read and made, in which turn of the innermost loop around it (-1: in none).

    ``inside``: the loops and branches around it, outermost first; ``programs``: those that they and it are in.
    """

    op: Op
    inputs: Values
    outputs: Values
    inside: tuple[Op, ...]
    programs: tuple[Program, ...]
    turn: int


@dataclass(frozen=True, eq=False)
class Born:
    """An op that gave birth, to what."""

    done: Done
    kinds: Kinds


@dataclass
class Replay:
    """``births`` in the order of the ops; ``hidden``: ops that took nan and gave none; ``kinds`` that were
    anywhere; ``hid``: the last op that took something and gave nothing that is not finite."""

    births: list[Born] = field(default_factory=list)
    hidden: list[Done] = field(default_factory=list)
    kinds: set[str] = field(default_factory=set)
    hid: Done | None = None

    def judge(self, done: Done) -> bool:
        """What of it is to be told; whether it is a birth."""
        after = Kinds().union(*map(kinds_of, done.outputs))
        self.kinds |= after
        before = Kinds().union(*map(kinds_of, done.inputs))
        if before and not after:
            self.hid = done
        fresh = after - before
        if fresh and can_give_birth(done.op):
            self.births += list(_on_mesh(done)) or [Born(done, fresh)]
            return True
        hiding = done.op.name in ("select_n", "max", "min", "clamp") and not is_backward(done.op, done.inside)
        if hiding and "nan" in before - after:
            self.hidden.append(done)
        return False


def _on_mesh(done: Done) -> Iterator[Born]:
    """The births inside a ``shard_map``, without values; none where they cannot be told apart."""
    if done.op.name == "shard_map":
        (part,) = parts_of(done.op)
        inside, programs = (*done.inside, done.op), (*done.programs, part)
        with suppress(Exception):  # then it is one of the whole
            for op, kinds in births_on(done.op, part, done.inputs):
                yield Born(replace(done, op=op, inputs=(), outputs=(), inside=inside, programs=programs), kinds)


def replay(program: Program, arguments: Values, recorded: Mapping[Op, Values], into: Collection[Op]) -> Replay:
    """Go through a function; into the loops and branches of ``into`` up to their first birth.

    Raises Unrepeatable.
    """
    found = Replay()
    walk(program, arguments, recorded, found.judge, into)
    return found


def walk(
    program: Program,
    arguments: Values,
    recorded: Mapping[Op, Values],
    seen: Callable[[Done], bool],
    into: Collection[Op] | None = None,
) -> None:
    """Let ``seen`` see each op of a function, and those in loops and branches: all, or ``into`` these.

    A loop or branch is left where ``seen`` says so. ``recorded``: what ops that are not to be done again gave. Raises
    Unrepeatable.
    """
    with jax.debug_nans(False), jax.debug_infs(False):
        _Walk(recorded, seen, time.monotonic() + LONGEST).through(program, arguments, (), (program,), into, -1)


def kinds_of(x: Any) -> Kinds:
    """The kinds of non-finite value in an array or number."""
    if not isinstance(x, float | complex) and not jax.numpy.issubdtype(getattr(x, "dtype", bool), jax.numpy.inexact):
        return frozenset()
    array = numbers_of(np.asarray(x))
    return frozenset() if np.isfinite(array).all() else health_of_array(array).bad


@dataclass(frozen=True)
class _Walk:
    recorded: Mapping[Op, Values]
    seen: Callable[[Done], bool]
    deadline: float

    def through(
        self,
        program: Program,
        arguments: Values,
        inside: tuple[Op, ...],
        programs: tuple[Program, ...],
        into: Collection[Op] | None,
        turn: int,
    ) -> tuple[list[Any], bool]:
        """What a program leaves, and whether it was left because of something seen."""
        left = False

        def step(op: Op, given: list[Any]) -> Values:
            nonlocal left
            if time.monotonic() > self.deadline:
                raise Unrepeatable(f"took more than {LONGEST:g} s")
            if op in self.recorded:
                return self.recorded[op]
            entered = is_opened(op) and (into is None or op in into)
            if op.eqn.effects:
                if all(not isinstance(var.aval, core.ShapedArray) for var in op.eqn.outvars):
                    return [None] * len(op.outputs)  # what it is for has been recorded
                op = replace(op, eqn=_repeatable(op.eqn))
            if entered:
                left |= self._turns(op, given, (*inside, op), programs)
            results = bind(op, given)
            if any(map(is_inexact, (var.aval for var in op.eqn.outvars))):
                left |= self.seen(Done(op, tuple(given), tuple(results), inside, programs, turn))
            return results

        return run(program, arguments, step), left

    def _turns(self, op: Op, given: list[Any], inside: tuple[Op, ...], programs: tuple[Program, ...]) -> bool:
        turns = _turns(op, given)
        now = next(turns, None)
        while now is not None:
            part, given_part, number = now
            results, left = self.through(part, given_part, inside, (*programs, part), None, number)
            if left:
                return True
            now = _next(turns, results)
        return False


def _repeatable(eqn: Any) -> Any:
    """An op without the callbacks in its parts that give nothing back. Raises Unrepeatable for one that gives some."""
    params = {name: _without_callbacks(held) for name, held in eqn.params.items()}
    if all(params[name] is eqn.params[name] for name in params):
        raise Unrepeatable(f"{eqn.primitive.name}, in a loop or branch, depends on something outside the function")
    return eqn.replace(params=params, effects=core.no_effects)


def _without_callbacks(held: Any) -> Any:
    if isinstance(held, tuple) and any(isinstance(one, core.ClosedJaxpr | core.Jaxpr) for one in held):
        return tuple(map(_without_callbacks, held))
    if isinstance(held, core.ClosedJaxpr) and held.effects:
        return held.replace(jaxpr=_without_callbacks(held.jaxpr))
    if isinstance(held, core.Jaxpr) and held.effects:
        eqns = [_repeatable(eqn) if eqn.effects else eqn for eqn in held.eqns if eqn.outvars or not eqn.effects]
        return held.replace(eqns=eqns, effects=core.no_effects)
    return held


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


# ── inside a shard_map ───────────────────────────────────────────────────────────────────────────────────────────────


KINDS = ("ninf", "pinf", "nan")


def births_on(op: Op, part: Program, given: Values) -> Iterator[tuple[Op, Kinds]]:
    """The ops of a ``shard_map`` that give birth on some device, and to what. Raises what JAX raises."""
    looked_at = [one for one in part.ops if can_give_birth(one) and any(is_inexact(v.aval) for v in one.eqn.outvars)]
    params = op.eqn.params

    def body(*arguments: Any) -> Any:
        fresh: dict[Op, Any] = {}

        def step(inner: Op, given: list[Any]) -> Values:
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


def _kinds(values: Values) -> Any:
    """Which kinds of non-finite value are in some of these, in the order of ``KINDS``."""
    found = jnp.zeros(3, bool)
    for x in values:
        x = jnp.asarray(x)
        if is_inexact(x):
            for part in (lax.real(x), lax.imag(x)) if jnp.iscomplexobj(x) else (x,):
                found |= jnp.stack([(part == -jnp.inf).any(), (part == jnp.inf).any(), (part != part).any()])
    return found
