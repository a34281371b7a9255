"""The flagged expressions of a jitted function: what came by at their operands, results and gradients.

JAX remembers of every op which columns of which line it stands in, and so does a finding of its expression.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from nanlint.diagnostic import Span
from nanlint.runtime.adapter import Tensor, Watch
from nanlint.runtime.adapters.jax.probes import Birth, Breakdown, Call, Measure, Probe, Probed, Reader
from nanlint.runtime.adapters.jax.program import Op, Program, frames_of, spans_of
from nanlint.runtime.adapters.jax.propagation import is_inexact, is_opened
from nanlint.runtime.adapters.jax.replay import Done, Unrepeatable, walk
from nanlint.runtime.health import CLASSES, Health
from nanlint.runtime.sites import Site

#: the ops of one flagged expression in one program, in their order: forward and backward
_Ops = tuple[list[Op], list[Op]]


class Flagged(Reader):
    """Reads calls for what came by at flagged expressions; eager ones are probed in the program's own code."""

    measure = Breakdown()

    def __init__(self, watch: Watch) -> None:
        self._watch = watch
        #: what a probe sees: roles of sites, and the type of the array
        self._roles: dict[tuple[Op, int, bool], list[tuple[Site, str, Any]]] = {}

    def read(self, function: Probed, measured: Any, call: Call) -> Iterable[Birth]:
        """Tell what came by, operands first; births are what an expression gave that it was not given."""
        seen: dict[Site, dict[str, Health]] = {}
        births: dict[Site, tuple[str, Probe]] = {}
        for probe, vector in zip(function.probes, np.asarray(measured, np.float64), strict=True):
            if not vector[:6].any():
                continue  # in a branch that was not taken
            for site, role, aval in self._roles[probe.op, probe.position, probe.result]:
                health = _health(vector, aval)
                seen.setdefault(site, {})[role] = health
                turns = max(1, round(health.size / max(1, math.prod(aval.shape))))
                if self._watch.observed(site, role, health, turns):
                    births[site] = role, probe
        for site, (role, probe) in births.items():
            yield self._birth(site, role, seen[site], probe)

    def _birth(self, site: Site, role: str, seen: dict[str, Health], probe: Probe) -> Birth:
        backward = role != "result"
        given = {
            name: health
            for name, health in seen.items()
            if name == "gradient of result" or not (name == "result" or name.startswith("gradient of "))
        }
        frames = frames_of(probe.op, probe.inside, self._watch.owns_file)
        bad = seen[role].bad
        return {
            "framework": "jax",
            "op": site.op,
            "kinds": bad.difference(*(health.bad for health in given.values())) or bad,
            "inputs": [Tensor(name, health) for name, health in given.items()],
            "outputs": [Tensor(role, seen[role])],
            "frames": frames,
            "backward": backward,
            "forward": frames if backward else (),
            "compiled": "jit",
        }

    def probes(self, program: Program) -> Iterator[Probe]:
        """At flagged expressions."""
        for site, ops in _flagged(program, self._watch):
            yield from self._roles_of(site, ops, program)

    def _roles_of(self, site: Site, ops: _Ops, program: Program) -> Iterator[Probe]:
        """The operands, the result and the gradients of an expression among what its ops read and make."""
        names = [name for name, _ in sorted(site.operands, key=lambda one: (one[1].row, one[1].column))]
        forward, backward = ops
        given, made = _edges(forward, program)
        for name, (op, position) in zip(_named(names, len(given), site.operand), given, strict=True):
            yield self._role(site, name, op, position, False)
        for op, position in made[-1:]:
            yield self._role(site, "result", op, position, True)
        if not backward:
            return
        known = {value for op in forward for value in (*op.inputs, *op.outputs) if isinstance(value, int)}
        came, went = _edges(backward, program)
        for op, position in [one for one in came if one[0].inputs[one[1]] not in known][:1]:
            yield self._role(site, "gradient of result", op, position, False)
        sent = [one for one in went if not one[0].derivative] or went
        for name, (op, position) in zip(_named(names, len(sent), site.operand), sent, strict=True):
            yield self._role(site, f"gradient of {name}", op, position, True)

    def _role(self, site: Site, role: str, op: Op, position: int, result: bool) -> Probe:
        var = (op.eqn.outvars if result else op.eqn.invars)[position]
        self._roles.setdefault((op, position, result), []).append((site, role, var.aval))
        return Probe(op, position, result)


class Unwatched(Reader):
    """Tells which flagged expressions are in functions that run without probes: the sentinel's, and exported ones."""

    measure = Breakdown()

    def __init__(self, watch: Watch) -> None:
        self._watch = watch

    def probes(self, program: Program) -> Iterator[Probe]:
        """None."""
        for site, _ in _flagged(program, self._watch):
            self._watch.unwatched(site)
        return iter(())

    def read(self, function: Probed, measured: Any, call: Call) -> Iterable[Birth]:
        """Nothing is measured."""
        return ()


def _flagged(program: Program, watch: Watch) -> Iterator[tuple[Site, _Ops]]:
    """The flagged expressions of a program, with the ops that they became."""
    by_span: dict[tuple[str, Span], _Ops] = {}
    for op in program.ops:
        place = next(spans_of(op, watch.owns_file), None)
        if place is not None and not is_opened(op):
            by_span.setdefault(place, ([], []))[op.backward].append(op)
    for (path, span), ops in by_span.items():
        for site in watch.sites_on(path, span.row):
            if site.span == span:
                yield site, ops


def _edges(ops: Sequence[Op], program: Program) -> tuple[list[tuple[Op, int]], list[tuple[Op, int]]]:
    """Where ops read what others made, and where they make what others read: arrays that can be non-finite."""
    inside = {value for op in ops for value in op.outputs}
    mine = set(ops)
    read = {value for op in program.ops if op not in mine for value in op.inputs if isinstance(value, int)}
    read.update(value for value in program.outputs if isinstance(value, int))
    given: dict[int, tuple[Op, int]] = {}
    made: list[tuple[Op, int]] = []
    for op in ops:
        for i, (value, var) in enumerate(zip(op.inputs, op.eqn.invars, strict=True)):
            if isinstance(value, int) and value not in inside and is_inexact(var.aval):
                given.setdefault(value, (op, i))
        for i, (value, var) in enumerate(zip(op.outputs, op.eqn.outvars, strict=True)):
            if value in read and is_inexact(var.aval):
                made.append((op, i))
    return list(given.values()), made


def _named(names: Sequence[str], count: int, pole: str) -> list[str]:
    """Names for so many operands: those of the finding where they can be told apart."""
    if count == len(names):
        return list(names)
    if count == 1:
        return [pole or "input"]
    return [f"input {i}" for i in range(count)]


def _health(vector: Any, aval: Any) -> Health:
    counts = dict(zip(CLASSES, map(int, vector[:6]), strict=True))
    low, minus_high, near = (float(x) if math.isfinite(x) else None for x in vector[6:])
    high = None if minus_high is None else -minus_high
    return Health(**counts, low=low, high=high, near=near, dtype=str(aval.dtype), shape=tuple(aval.shape))


# ── the user's filters ───────────────────────────────────────────────────────────────────────────────────────────────


class Ready(Measure):
    """Nothing, which is there when the call is done."""

    size = 1

    def of(self, x: Any, beside: Any) -> Any:
        """Zero."""
        return self.nothing()


class Filters(Reader):
    """Reads calls for tensors for which filters hold: of all ops, or with ``--watch sites`` of those at findings."""

    measure = Ready()
    again = True

    def __init__(self, watch: Watch) -> None:
        self._watch = watch
        self.eager = watch.mode == "all"

    def probes(self, program: Program) -> Iterator[Probe]:
        """Anywhere, if there is something to look at."""
        ops = (op for op in program.ops if any(is_inexact(var.aval) for var in op.eqn.outvars))
        return (Probe(op, 0) for op in ops if self._watch.mode == "all" or self._is_flagged(op))

    def read(self, function: Probed, measured: Any, call: Call) -> Iterable[Birth]:
        """Go through a call, and hand on what its ops make."""

        def seen(done: Done) -> bool:
            frames = frames_of(done.op, done.inside, self._watch.owns_file) or call.frames
            if self._watch.mode == "all" or self._is_flagged(done.op):
                for i, x in enumerate(done.outputs):
                    if x is not None and is_inexact(x):
                        self._watch.wants(f"{done.op.name}:{i}", "jax", x, frames)
            return False

        try:
            walk(function.program, call.arguments, call.recorded, seen)
        except Unrepeatable as error:
            self._watch.alert("unwatched", f"jit({call.function.name}) is not filtered: {error}")
        return ()

    def _is_flagged(self, op: Op) -> bool:
        frames = frames_of(op, (), self._watch.owns_file)
        return bool(frames) and bool(self._watch.sites_on(frames[0].path, frames[0].line))
