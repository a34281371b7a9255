"""Traced functions with probes in them: the same function with more results, in which the probes are stacked.

What a probe measures is added up over the turns of a loop, and is nothing for a branch that was not taken.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import jax.numpy as jnp
from jax import lax
from jax._src import core
from jax._src.core import ClosedJaxpr
from jax._src.interpreters import partial_eval as pe
from jax._src.lax.lax import _convert_element_type

from nanlint.runtime.adapter import AnyFunction, Values
from nanlint.runtime.adapters.jax.arrivals import Kind
from nanlint.runtime.adapters.jax.program import Op, Program, bind, parts_of, program_of, rebind, run, traced
from nanlint.runtime.adapters.jax.propagation import is_opened
from nanlint.runtime.events import Death, Frames

#: elements of an array whose breakdown is a matter of kernels and not of memory
SMALL = 1 << 16


@dataclass(frozen=True, eq=False)
class Probe:
    """Looks at an operand or a result of an op; ``inside``: the loops and branches around it, outermost first.

    ``beside``: the number of a value that some op before this one read, and that is looked at together with it.
    """

    op: Op
    position: int
    result: bool = True
    beside: int | None = None
    inside: tuple[Op, ...] = ()

    @property
    def outer(self) -> Op:
        """The op of the whole function that this one is in, or is itself."""
        return self.inside[0] if self.inside else self.op


class Measure(ABC):
    """What is measured of an array: a vector of float32 of a known size."""

    size: int

    @abstractmethod
    def of(self, x: Any, beside: Any) -> Any:
        """The vector of an array, and of what the probe looks at beside it (or None)."""

    def nothing(self) -> Any:
        """The vector of no array."""
        return jnp.zeros(self.size, jnp.float32)

    def both(self, a: Any, b: Any) -> Any:
        """The vectors (…, size) of two arrays together: added up. Inf less inf is nan, and still tells."""
        return a + b


class NonFinite(Measure):
    """0 where all is finite; else nan, inf or -inf, of which nan hides the others.

    A sum can overflow, which is a false alarm that the replay sees through.
    """

    size = 1

    def of(self, x: Any, beside: Any) -> Any:
        """One sum."""
        if jnp.issubdtype(x.dtype, jnp.complexfloating):
            x = lax.real(x) + lax.imag(x)
        if jnp.finfo(x.dtype).bits < 32:
            x = x.astype(jnp.float32)
        total = lax.reduce_sum(x, tuple(range(x.ndim)))
        return lax.select(lax.is_finite(total), lax.full_like(total, 0), total).astype(jnp.float32).reshape(1)


class Breakdown(Measure):
    """The six counts, then the least of the finite numbers, of their negatives, and of their magnitudes."""

    size = 9

    def of(self, x: Any, beside: Any) -> Any:
        """Nine reductions; of a small array in two kernels, as it is kernels that cost there."""
        if jnp.issubdtype(x.dtype, jnp.complexfloating):
            x = jnp.where(jnp.isfinite(lax.real(x)), lax.imag(x), lax.real(x))
        if jnp.finfo(x.dtype).bits < 32:
            x = x.astype(jnp.float32)
        finite = lax.is_finite(x)
        classes = (x == -jnp.inf, finite & (x < 0), x == 0, finite & (x > 0), x == jnp.inf, x != x)
        ranges = (jnp.where(finite, x, jnp.inf), jnp.where(finite, -x, jnp.inf), jnp.where(finite, jnp.abs(x), jnp.inf))
        if x.size <= SMALL:
            axes = tuple(range(x.ndim))
            counts = jnp.stack(classes, -1).astype(jnp.float32).sum(axes)
            least = jnp.stack(ranges, -1).min(axes)
        else:
            counts = jnp.stack([jnp.sum(one, dtype=jnp.float32) for one in classes])
            least = jnp.stack([one.min() for one in ranges])
        return jnp.concatenate([counts, least.astype(jnp.float32)])

    def nothing(self) -> Any:
        """No counts, and an empty range."""
        return jnp.array([0, 0, 0, 0, 0, 0, jnp.inf, jnp.inf, jnp.inf], jnp.float32)

    def both(self, a: Any, b: Any) -> Any:
        """Counts add up, ranges widen."""
        return jnp.concatenate([a[..., :6] + b[..., :6], jnp.minimum(a[..., 6:], b[..., 6:])], axis=-1)


class Probing(ABC):
    """A kind of probe: where to look in a program, what is measured there, and whether calls are gone through again."""

    measure: Measure
    again = False

    @abstractmethod
    def probes(self, program: Program) -> Iterable[Probe]:
        """Where to look in a function, or in a part of one: a loop's body, a branch."""


@dataclass(frozen=True, eq=False)
class Probed:
    """A function with probes of one kind, whose results are among those that ``probed`` adds."""

    program: Program
    probes: tuple[Probe, ...]


@dataclass(frozen=True, eq=False)
class Whole:
    """A function with probes: ``kinds`` has those of each kind, None for one that finds nothing to look at.

    For each other one ``closed`` has one result more, an array (probes, size of the measure). Behind them come the
    results of ``recorded`` ops, which are not to be done again when a call is gone through again.
    """

    closed: ClosedJaxpr
    kinds: tuple[Probed | None, ...]
    recorded: tuple[Op, ...] = ()

    @property
    def more(self) -> int:
        """How many results it has beside its own."""
        return sum(one is not None for one in self.kinds) + sum(len(op.outputs) for op in self.recorded)


def probed(closed: ClosedJaxpr, wanted: Sequence[Probing]) -> Whole:
    """Put probes into a traced function. Raises whatever JAX raises, if it cannot trace the function anew."""
    program = program_of(closed)
    part = _Part(program, wanted, ())
    kinds = tuple(Probed(program, tuple(probes)) if probes else None for probes in part.probes)
    if not any(kinds):
        return Whole(closed, kinds)
    again = any(kind.again for kind, probes in zip(wanted, kinds, strict=True) if probes)
    recorded = tuple(filter(_is_recorded, program.ops)) if again else ()
    outputs = [var.aval for var in closed.jaxpr.outvars]

    def whole(*arguments: Any) -> list[Any]:
        part.recorded = {}
        results, seen = part(arguments)
        kept = [x for op in recorded for x in part.recorded[op]]
        return [*map(_typed, results, outputs), *(one for one, kind in zip(seen, kinds, strict=True) if kind), *kept]

    made = traced(whole, closed.in_avals, closed.jaxpr)
    kept = made.out_avals[: len(outputs)]
    if [aval.strip_weak_type() for aval in kept] != [aval.strip_weak_type() for aval in outputs]:
        raise TypeError("with probes, the function has results of a different type")
    return Whole(made, kinds, recorded)


def _is_recorded(op: Op) -> bool:
    """Whether the results of an op are of the outside: a callback's, or read from a reference."""
    arrays = all(isinstance(var.aval, core.ShapedArray) for var in op.eqn.outvars)
    return bool(op.eqn.effects) and bool(op.outputs) and arrays and not parts_of(op)


def _typed(x: Any, aval: Any) -> Any:
    """The same with the weak type that it has without probes."""
    known = core.typeof(x)
    if getattr(known, "weak_type", False) != getattr(aval, "weak_type", False):
        return _convert_element_type(x, aval.dtype, aval.weak_type)
    return x


#: what each kind of probe has seen, stacked
Seen = list[Any]


class _Part:
    """A program with probes, and those of the programs inside it.

    ``probes``: of each kind. ``recorded``: what ops that are to be recorded gave.
    """

    def __init__(self, program: Program, wanted: Sequence[Probing], inside: tuple[Op, ...]) -> None:
        self._program, self._measures = program, [kind.measure for kind in wanted]
        self.recorded: dict[Op, Values] = {}
        self._chosen: dict[Op, list[tuple[int, Probe]]] = {}
        self._parts: dict[Op, list[_Part]] = {}
        for kind, one in enumerate(wanted):
            for probe in one.probes(program):
                self._chosen.setdefault(probe.op, []).append((kind, replace(probe, inside=inside)))
        self._beside = {probe.beside for chosen in self._chosen.values() for _, probe in chosen} - {None}
        self.probes: list[list[Probe]] = [[] for _ in wanted]
        for op in program.ops:
            if is_opened(op):
                parts = parts_of(op)[-1:] if op.name == "while" else parts_of(op)
                opened = [_Part(part, wanted, (*inside, op)) for part in parts]
                if any(any(part.probes) for part in opened):
                    self._parts[op] = opened
                    for part in opened:
                        for known, more in zip(self.probes, part.probes, strict=True):
                            known += more
            for kind, probe in self._chosen.get(op, ()):
                self.probes[kind].append(probe)

    def __call__(self, arguments: Values) -> tuple[list[Any], Seen]:
        """Results, and what was measured."""
        seen: list[list[Any]] = [[] for _ in self._measures]
        held: dict[int | None, Any] = {None: None}

        def step(op: Op, given: list[Any]) -> Values:
            if self._beside:
                read = zip(op.inputs, given, strict=True)
                held.update((value, x) for value, x in read if isinstance(value, int) and value in self._beside)
            parts = self._parts.get(op)
            if parts is None:
                results = bind(op, given)
                if op.eqn.effects:
                    self.recorded[op] = results
            else:
                results, inner = rebind(op, _THROUGH[op.name], op, given, parts)
                for known, more in zip(seen, inner, strict=True):
                    known.append(more)
            for kind, probe in self._chosen.get(op, ()):
                x = (results if probe.result else given)[probe.position]
                seen[kind].append(self._measures[kind].of(x, held[probe.beside])[None])
            return results

        results = run(self._program, arguments, step)
        return results, [jnp.concatenate(one) if one else none for one, none in zip(seen, self.nothing(), strict=True)]

    def nothing(self) -> Seen:
        """What the probes have measured before they saw anything."""
        return [
            jnp.tile(measure.nothing(), (len(probes), 1))
            for measure, probes in zip(self._measures, self.probes, strict=True)
        ]

    def both(self, a: Seen, b: Seen) -> Seen:
        """What was measured at two turns."""
        return [measure.both(*two) for measure, *two in zip(self._measures, a, b, strict=True)]


def _through_scan(op: Op, given: list[Any], parts: list[_Part]) -> tuple[Values, Seen]:
    (part,), params = parts, op.eqn.params
    first, last = params["num_consts"], params["num_consts"] + params["num_carry"]
    consts, init, xs = given[:first], given[first:last], given[last:]

    def body(state: Any, x: Any) -> Any:
        carry, seen = state
        results, now = part([*consts, *carry, *x])
        count = params["num_carry"]
        carried = [_typed(new, core.typeof(old)) for new, old in zip(results[:count], carry, strict=True)]
        return (carried, part.both(seen, now)), results[count:]

    (carry, seen), ys = lax.scan(
        body, (init, part.nothing()), xs, params["length"], reverse=params["reverse"], unroll=params["unroll"]
    )
    return [*carry, *ys], seen


def _through_while(op: Op, given: list[Any], parts: list[_Part]) -> tuple[Values, Seen]:
    (part,), params = parts, op.eqn.params
    first, last = params["cond_nconsts"], params["cond_nconsts"] + params["body_nconsts"]
    holds = core.jaxpr_as_fun(params["cond_jaxpr"])

    def body(state: Any) -> Any:
        carry, seen = state
        results, now = part([*given[first:last], *carry])
        return [_typed(new, core.typeof(old)) for new, old in zip(results, carry, strict=True)], part.both(seen, now)

    def goes_on(state: Any) -> Any:
        return holds(*given[:first], *state[0])[0]

    carry, seen = lax.while_loop(goes_on, body, (given[last:], part.nothing()))
    return carry, seen


def _through_cond(op: Op, given: list[Any], parts: list[_Part]) -> tuple[Values, Seen]:
    wanted = [var.aval for var in op.eqn.outvars]

    def branch(number: int) -> AnyFunction:
        def taken(*arguments: Any) -> Any:
            results, now = parts[number](arguments)
            seen = (now if i == number else part.nothing() for i, part in enumerate(parts))
            return list(map(_typed, results, wanted)), [jnp.concatenate(one) for one in zip(*seen, strict=True)]

        return taken

    results, seen = lax.switch(given[0], [branch(i) for i in range(len(parts))], *given[1:])
    return results, seen


def _through_checkpoint(op: Op, given: list[Any], parts: list[_Part]) -> tuple[Values, Seen]:
    (part,), jaxpr = parts, op.eqn.params["jaxpr"]

    def whole(*arguments: Any) -> list[Any]:
        results, seen = part(arguments)
        return [*results, *seen]

    closed = traced(whole, [var.aval for var in jaxpr.invars], jaxpr)
    lifted = pe.convert_constvars_jaxpr(closed.jaxpr)
    made = op.eqn.primitive.bind(*closed.consts, *given, **{**op.eqn.params, "jaxpr": lifted})
    return made[: len(op.outputs)], made[len(op.outputs) :]


_THROUGH: dict[str, Callable[[Op, list[Any], list[_Part]], tuple[Values, Seen]]] = {
    "scan": _through_scan,
    "while": _through_while,
    "cond": _through_cond,
    "checkpoint": _through_checkpoint,
    "remat": _through_checkpoint,
    "remat2": _through_checkpoint,
}


# ── functions, their calls, and who reads what probes measured ───────────────────────────────────────────────────────


#: the arguments of ``Watch.born``
Birth = dict[str, Any]


@dataclass(eq=False)
class Function:
    """A function as JAX compiles it, with the probes of each reader that has some; ``closed`` has them all.

    ``users``: it has lines of the user's; ``counts``: its calls may be steps, as it is none of JAX's own. ``loss``:
    which result tells how training goes. ``again``: a reader goes through calls again, for which it needs what they
    were given. ``same``: with probes its results are bit for bit the
    same, as far as was seen at its first calls; None up to then, of which ``compared`` numbers took ``spent`` seconds.
    ``recorded``: see ``probes.Whole``; ``more``: how many
    results ``closed`` has beside its own. ``rare``: the same with probes that are too dear for every call, of
    which ``asked`` were made; that one's ``plain`` is this. ``kind``: by which its results are judged.
    """

    name: str
    users: bool
    closed: Any = None
    probed: tuple[tuple[Reader, Probed], ...] = ()
    recorded: tuple[Op, ...] = ()
    more: int = 0
    arguments: tuple[str, ...] = ()
    loss: int | None = None
    same: bool | None = None
    compared: int = 0
    spent: float = 0.0
    again: bool = False
    calls: int = 0
    counts: bool = False
    asked: int = 0
    rare: Function | None = None
    plain: Function | None = None
    kind: Kind | None = None

    @property
    def rests(self) -> bool:
        """Whether its next call does not come by here, once JAX has an entry for it in C++."""
        return bool(self.same) and not self.again and self.plain is None


@dataclass(frozen=True, eq=False)
class Call:
    """One call: what was given (if it may be gone through again), its loss, what the probes of each reader measured.

    ``frames``: of an eager op, which may be of a ``backward`` pass, or ``trained``, of one that such a pass follows.
    ``donated``: what of ``arguments`` the program gave away. ``results``: what it gave, as far as that is still there.
    """

    function: Function
    arguments: Values
    donated: Values
    loss: Any
    measured: Values
    frames: Frames
    backward: bool
    trained: bool
    results: Sequence[Callable[[], Any]] = ()

    @property
    def recorded(self) -> dict[Op, Values]:
        """What ops that are not to be done again gave."""
        rest = iter(self.measured[len(self.function.probed) :])
        return {op: [next(rest) for _ in op.outputs] for op in self.function.recorded}

    @property
    def done(self) -> bool:
        """Whether all is computed."""
        last = self.measured[-1] if self.measured else self.loss
        return last is None or last.is_deleted() or bool(last.is_ready())


class Reader(Probing):
    """What is done with functions and their calls.

    ``measure``: what its probes measure. ``again``: a call may be gone through again. ``eager``: it looks at eager
    ops, too. ``rare``: what it measures is too dear for every call. ``spare``: a function is watched without it, where
    its probes make XLA round in another way.
    """

    eager = False
    rare = False
    spare = False
    #: the last op in a call that took away what was not finite, in words, and where
    hid: Death | None = None

    @abstractmethod
    def read(self, function: Probed, measured: Any, call: Call) -> Iterable[Birth]:
        """A call was made, and what its probes measured is there: its births, to be told."""
