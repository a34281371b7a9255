"""The flagged expressions of a jitted function: what came by at their operands, results and gradients.

JAX remembers of every op which columns of which line it stands in, and so does a finding of its expression.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from nanlint.diagnostic import Span
from nanlint.runtime.adapter import Tensor, Watch
from nanlint.runtime.adapters.jax.functions import Birth, Call, Reader
from nanlint.runtime.adapters.jax.places import frames_of, spans_of
from nanlint.runtime.adapters.jax.probes import Breakdown, Probe, Probed
from nanlint.runtime.adapters.jax.program import Op, Program
from nanlint.runtime.adapters.jax.propagation import is_inexact, is_opened
from nanlint.runtime.health import CLASSES, Health
from nanlint.runtime.sites import Site


@dataclass
class _Ops:
    """The ops of one flagged expression in one program, in their order."""

    forward: list[Op] = field(default_factory=list)
    backward: list[Op] = field(default_factory=list)


@dataclass(frozen=True)
class _Role:
    """What a probe sees: a role of a site; ``aval`` is the array's type."""

    site: Site
    role: str
    aval: Any


class Flagged(Reader):
    """Reads calls for what came by at flagged expressions; eager ones are probed in the program's own code."""

    measure = Breakdown()

    def __init__(self, watch: Watch) -> None:
        self._watch = watch
        self._roles: dict[tuple[Op, int, bool], list[_Role]] = {}

    def read(self, function: Probed, measured: Any, call: Call) -> Iterable[Birth]:
        """Tell what came by, operands first; births are what an expression gave that it was not given."""
        seen: dict[Site, dict[str, Health]] = {}
        births: dict[Site, tuple[str, Probe]] = {}
        for probe, vector in zip(function.probes, np.asarray(measured, np.float64), strict=True):
            if not vector[:6].any():
                continue  # in a branch that was not taken
            for one in self._roles[probe.op, probe.position, probe.result]:
                health = _health(vector, one.aval)
                seen.setdefault(one.site, {})[one.role] = health
                turns = max(1, round(health.size / max(1, math.prod(one.aval.shape))))
                if self._watch.observed(one.site, one.role, health, turns):
                    births[one.site] = one.role, probe
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
        given, made = _edges(ops.forward, program)
        for name, (op, position) in zip(_named(names, len(given), site.operand), given, strict=True):
            yield self._role(site, name, op, position, False)
        for op, position in made[-1:]:
            yield self._role(site, "result", op, position, True)
        if not ops.backward:
            return
        known = {value for op in ops.forward for value in (*op.inputs, *op.outputs) if isinstance(value, int)}
        came, went = _edges(ops.backward, program)
        for op, position in [one for one in came if one[0].inputs[one[1]] not in known][:1]:
            yield self._role(site, "gradient of result", op, position, False)
        sent = [one for one in went if not one[0].derivative] or went
        for name, (op, position) in zip(_named(names, len(sent), site.operand), sent, strict=True):
            yield self._role(site, f"gradient of {name}", op, position, True)

    def _role(self, site: Site, role: str, op: Op, position: int, result: bool) -> Probe:
        var = (op.eqn.outvars if result else op.eqn.invars)[position]
        self._roles.setdefault((op, position, result), []).append(_Role(site, role, var.aval))
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
            ops = by_span.setdefault(place, _Ops())
            (ops.backward if op.backward else ops.forward).append(op)
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
