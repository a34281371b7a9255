"""Flagged expressions in graphs: the ops that a line with a finding became, of one function graph."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import tensorflow as tf

from nanlint.runtime.adapter import Tensor, Values, Watch
from nanlint.runtime.adapters.tensorflow.alarms import Alarm, Inside, Kept, Setting, after
from nanlint.runtime.adapters.tensorflow.births import live_ops
from nanlint.runtime.adapters.tensorflow.gradients import Backward, Span
from nanlint.runtime.adapters.tensorflow.ops import named, says_nothing, spells
from nanlint.runtime.adapters.tensorflow.places import Place, Places, framed
from nanlint.runtime.adapters.tensorflow.rows import (
    COUNTS,
    WIDTH,
    Snapshot,
    health_of_row,
    is_bad,
    is_float,
    rows_of,
    shape_of,
    sum_of,
)
from nanlint.runtime.adapters.tensorflow.tensors import Array
from nanlint.runtime.adapters.tensorflow.variables import name_of
from nanlint.runtime.health import Health
from nanlint.runtime.sites import Site

RESULT = "result"

#: executions that are looked at whole; after them every so many, and those in which a sum is not finite
WHOLE = 16
EVERY = 8

#: what may stand between the operand and the op that breaks, where one call is several ops
_BETWEEN = named("Sum Mean Square SquaredDifference Sub Mul Abs Real Conj Identity Reshape Squeeze Cast")
_SEVERAL = frozenset(("norm", "normalize", "std", "distance", "cosine"))


@dataclass(frozen=True)
class Seen:
    """A tensor at a site: its role there, and the op, at its places, that the site became."""

    site: Site
    role: str
    op: str
    places: tuple[Place, ...]
    tensor: Any


def seen_in(graph: Any, live: Values, watch: Watch, places: Places, backward: Backward) -> list[Seen]:
    """The tensors at the flagged lines of a graph, of those ops that are executed."""
    forward: dict[tuple[str, int], list[Any]] = {}
    for op in live:
        there = places.all_of(op)[:1] if backward.span_of(op) is None and op.outputs else ()
        for path, line, _ in there:
            if watch.sites_on(path, line):
                forward.setdefault((path, line), []).append(op)
    spans: dict[tuple[str, int], list[Span]] = {}
    for span in backward.spans_in(graph):
        for path, line, _ in span.places[:1]:
            if watch.sites_on(path, line):
                spans.setdefault((path, line), []).append(span)
    seen: list[Seen] = []
    for where, ops in forward.items():
        seen += _forward(watch.sites_on(*where), ops, places)
    alive = {one.name: one for op in live for one in op.outputs}
    for where, gradients in spans.items():
        seen += _backward(watch.sites_on(*where), gradients, alive)
    return seen


class SiteProbe:
    """The rows of what came by at the flagged expressions of a graph, added up until they are read."""

    def __init__(self, setting: Setting, seen: Sequence[Seen], most: int) -> None:
        self.setting = setting
        self._tensors = [one.tensor for one in seen]  # until it is built
        self._seen = [replace(one, tensor=None) for one in seen]
        self._shapes = [(one.tensor.dtype.name, shape_of(one.tensor)) for one in seen]
        self._names = [name_of(one.tensor) for one in seen]
        self._executions = Kept(np.zeros((), np.int64))
        self._totals = Kept(np.zeros((len(seen), COUNTS)))
        self._extremes = Kept(np.full((len(seen), WIDTH - COUNTS), -np.inf))
        self._first = Snapshot(self._tensors, most, setting.technique)
        self._pending = Kept(np.zeros((), np.int32))
        self._told = 0

    @classmethod
    def of(
        cls, graph: Any, outputs: Any, setting: Setting, watch: Watch, places: Places, backward: Backward
    ) -> SiteProbe | None:
        """The probe of a graph that is about to be done; None where no line is flagged."""
        seen = seen_in(graph, live_ops(graph, outputs), watch, places, backward)
        return cls(setting, seen, watch.keep_elements) if seen else None

    def build(self, alarm: Alarm) -> None:
        """Add to the graph that is being built."""
        tensors, self._tensors = self._tensors, []
        executions, pending = Inside(self._executions), Inside(self._pending)
        before = executions.read()
        sums = tf.stack([tf.cast(sum_of(one), tf.float64) for one in tensors])
        bad = tf.logical_not(tf.math.is_finite(tf.reduce_sum(sums)))
        due = tf.logical_or(before < WHOLE, tf.equal(before % EVERY, 0))

        def look() -> Any:
            totals, extremes = Inside(self._totals), Inside(self._extremes)
            rows = rows_of(tensors)
            counts, ends = rows[:, :COUNTS], rows[:, COUNTS:]
            furthest = tf.maximum(extremes.read(), ends * tf.constant([-1.0, 1.0, -1.0], tf.float64))

            def leave() -> Any:
                return after([self._first.take(tensors), pending.assign(1), alarm.ring(self.setting.host)])

            fresh = tf.logical_and(is_bad(rows), tf.equal(pending.read(), 0))
            left = tf.cond(fresh, leave, lambda: tf.constant(0))
            return after([totals.add(counts), extremes.assign(furthest), left])

        looked = tf.cond(tf.logical_or(bad, due), look, lambda: tf.constant(0))
        with tf.control_dependencies([before, looked]):
            executions.add(tf.constant(1, tf.int64))

    def read(self, watch: Watch) -> None:
        """Tell what went bad, as it was the first time since it was last read, and what came by before."""
        if not self._pending.get():
            return
        self._pending.put(np.int32(0))
        rows, healths, elements = zip(*self._first.read(), strict=True)
        tell(watch, self._seen, healths, elements, self._names, self.setting.technique)
        self._tell_totals(watch, np.stack(rows))

    def tell(self, watch: Watch) -> None:
        """Tell what came by and was not told."""
        self._tell_totals(watch, np.zeros((len(self._seen), WIDTH)))

    def _tell_totals(self, watch: Watch, told: Array) -> None:
        totals, extremes = self._totals.get(), self._extremes.get() * [-1.0, 1.0, -1.0]
        executed = int(self._executions.get())
        executions, self._told = executed - self._told - int(told.any()), executed
        self._totals.put(np.zeros_like(totals))
        self._extremes.put(np.full_like(extremes, -np.inf))
        for i, one in enumerate(self._seen):
            if executions > 0:
                row = np.concatenate([totals[i, :COUNTS] - told[i, :COUNTS], extremes[i]])
                watch.observed(one.site, one.role, health_of_row(row, *self._shapes[i], executions), executions)


def tell(
    watch: Watch,
    seen: Sequence[Seen],
    healths: Sequence[Health],
    elements: Sequence[Sequence[float]],
    names: Sequence[str],
    compiled: str,
) -> None:
    """Tell what came by at flagged lines; and of ops that gave another kind of value than they were given."""
    for one, health in zip(seen, healths, strict=True):
        watch.observed(one.site, one.role, health)
    given: list[Tensor] = []
    for i, one in enumerate(seen if watch.mode != "all" else ()):
        if i and (seen[i - 1].site is not one.site or seen[i - 1].role == RESULT):
            given = []
        made = Tensor(one.role, healths[i], elements=elements[i], graph_name=names[i])
        kinds = made.health.bad.difference(*(other.health.bad for other in given))
        if one.role == RESULT and kinds:
            watch.born(
                framework="tensorflow",
                op=one.op,
                kinds=kinds,
                inputs=given,
                outputs=[made],
                frames=framed(one.places),
                compiled=compiled,
            )
        given = [*given, made]


def _forward(sites: Sequence[Site], ops: Values, places: Places) -> Iterator[Seen]:
    """The operands and results of the ops at a line, by the site they belong to."""
    for site, op in _paired(sites, ops, lambda op: op.type):
        given = [one for one in op.inputs if is_float(one)]
        if site.op in _SEVERAL and given:
            given = [_operand(given[0], set(ops))]
        where = places.all_of(op)
        for name, tensor in zip(_operands(site, len(given)), given, strict=True):
            yield Seen(site, name, op.type, where, tensor)
        for tensor in op.outputs[:1]:
            if is_float(tensor):
                yield Seen(site, RESULT, op.type, where, tensor)


def _backward(sites: Sequence[Site], spans: Sequence[Span], alive: dict[str, Any]) -> Iterator[Seen]:
    """The gradients that come in and go out at the ops of a line."""
    for site, span in _paired(sites, spans, lambda span: span.op):
        names = _operands(site, len(span.outgoing))
        for role, name in ((RESULT, name) for name in span.incoming[:1]):
            if name in alive and is_float(alive[name]):
                yield Seen(site, f"gradient of {role}", span.op, span.places, alive[name])
        for role, name in zip(names, span.outgoing, strict=True):
            if name in alive and is_float(alive[name]):
                yield Seen(site, f"gradient of {role}", span.op, span.places, alive[name])


def _paired(sites: Sequence[Site], ops: Values, kind: Any) -> Iterator[tuple[Site, Any]]:
    """Each site of a line with the ops it became: a graph knows lines, and the order in which ops were made."""
    ordered = sorted(ops, key=lambda op: op.number if isinstance(op, Span) else op._id)
    for neutral in dict.fromkeys(site.op for site in sites):
        alike = sorted((site for site in sites if site.op == neutral), key=lambda site: site.span)
        matching = [op for op in ordered if spells(neutral, kind(op))]
        if not matching:  # a call that is several ops
            matching = [op for op in ordered if not says_nothing(kind(op))][-1:]
        for i, op in enumerate(matching):
            yield alike[i % len(alike)], op


def _operands(site: Site, count: int) -> list[str]:
    names = [name for name, _ in site.operands] or ([site.operand] if site.operand else [])
    return [names[i] if i < len(names) else f"input {i}" for i in range(count)]


def _operand(tensor: Any, line: set[Any]) -> Any:
    """What a call on this line was given, from what the last of its ops is given."""
    while tensor.op in line and tensor.op.type in _BETWEEN and is_float(tensor.op.inputs[0]):
        tensor = tensor.op.inputs[0]
    return tensor
