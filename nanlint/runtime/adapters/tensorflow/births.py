"""Births in graphs: every op that can give one, of one function graph."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import repeat
from types import MappingProxyType
from typing import Any

import numpy as np
import tensorflow as tf

from nanlint.reaching import reached
from nanlint.runtime.adapter import Tensor, Values, Watch
from nanlint.runtime.adapters.tensorflow.alarms import Alarm, Inside, Kept, Setting, after, is_ours
from nanlint.runtime.adapters.tensorflow.gradients import Backward
from nanlint.runtime.adapters.tensorflow.ops import (
    HIDES,
    READS,
    hands_on,
    is_call,
    says_nothing,
)
from nanlint.runtime.adapters.tensorflow.places import Place, Places, framed
from nanlint.runtime.adapters.tensorflow.rows import Snapshot, is_float, sum_of
from nanlint.runtime.adapters.tensorflow.tensors import Array
from nanlint.runtime.adapters.tensorflow.variables import name_of, reads_of, written
from nanlint.runtime.health import Health, Kinds

#: what a sum says: all finite, or what it became
FINITE, NINF, PINF, NAN = range(4)


@dataclass(frozen=True)
class Watched:
    """An op of a graph: the rows of what it takes and gives; where it was made; what it is the gradient of."""

    op: str
    number: int
    inputs: tuple[int, ...]
    outputs: tuple[int, ...]
    places: tuple[Place, ...]
    gradient_of: str
    forward: tuple[Place, ...]
    layer: str


def live_ops(graph: Any, outputs: Any) -> list[Any]:
    """The ops of a graph that are executed: what its outputs and its effects need, in the order of their making."""
    roots = [one.op for one in _symbols(graph, outputs)]
    return needed([*roots, *(op for op in graph.get_operations() if op._is_stateful and not is_ours(op))])


def needed(ops: Iterable[Any], fed: Kinds = frozenset(), effects: bool = True) -> list[Any]:
    """Ops and those that they need, as they were made (``effects``: by control inputs, too; ``fed``: need none)."""

    def before(op: Any) -> list[Any]:
        return [*(one.op for one in op.inputs if one.name not in fed), *(op.control_inputs if effects else ())]

    return sorted(reached(ops, before), key=lambda op: op._id)


def _symbols(graph: Any, outputs: Any) -> list[Any]:
    flat = tf.nest.flatten(outputs, expand_composites=True)
    found = [one for one in flat if isinstance(one, tf.Tensor) and hasattr(one, "op")]
    return [one for one in found if one.op.graph is graph]


def told_by(suspects: Values, live: Values, stored: Mapping[Any, Values]) -> list[Any]:
    """The fewest tensors that are not finite if any of these is: the last of those that hand it on to each other.

    ``stored``: what variables hold after ops that compute in them.
    """
    alive = set(live)
    outputs = {op: [*(one for one in op.outputs if is_float(one)), *stored.get(op, ())] for op in live}
    needed = {one.name: one for one in suspects}
    told = []
    for op in live:
        for one in outputs[op]:
            if one.name not in needed:
                continue
            heirs = [
                consumer
                for consumer in one.consumers()
                if consumer in alive
                and outputs[consumer]
                and any(given is one and hands_on(consumer.type, i) for i, given in enumerate(consumer.inputs))
            ]
            if heirs:
                made = [outputs[heir][0] for heir in heirs]
                heir = next((heir for heir in made if heir.name in needed), made[0])
                needed[heir.name] = heir
            else:
                told.append(one)
    return told


def devices_of(ops: Values) -> Kinds:
    """Where ops were placed by the program."""
    return frozenset(op.device for op in ops if op.device)


class Rows:
    """The tensors of some ops, each once, by the row that it has among them."""

    def __init__(self) -> None:
        self.tensors: list[Any] = []
        self._known: dict[str, int] = {}

    def of(self, tensor: Any) -> int:
        """The row of a tensor, which is added if it is new."""
        row = self._known.setdefault(tensor.name, len(self.tensors))
        if row == len(self.tensors):
            self.tensors.append(tensor)
        return row


def watched_in(
    live: Values,
    stored: Mapping[Any, Values],
    rows: Rows,
    places: Places,
    backward: Backward,
    closed: Mapping[Any, Values] = MappingProxyType({}),
) -> tuple[list[Watched], list[Any]]:
    """The ops of a graph that take and give numbers, and the tensors in which something can be born.

    ``closed``: the loops, branches and functions of which nothing tells what is born inside, so that they are ops as
    others, with the tensors that have what they give.
    """
    suspects: list[Any] = []
    watched = []
    for op in live:
        given = [one for one in op.inputs if is_float(one)]
        made = [one for one in closed.get(op, op.outputs) if is_float(one)]
        if op in stored:
            given += reads_of(op)
            made += stored[op]
        silent = says_nothing(op.type) and op not in closed
        if not made or (silent and op.type not in HIDES | READS):
            continue
        span = backward.span_of(op)
        one = Watched(
            op.type,
            op._id,
            tuple(map(rows.of, given)),
            tuple(map(rows.of, made)),
            places.all_of(op),
            span.op if span is not None else "",
            span.places if span is not None else (),
            _layer_of(op),
        )
        watched.append(one)
        if not silent or op.type in READS:
            suspects += made
    return watched, suspects


class BirthProbe:
    """The sums of a graph, and the rows that are left where one is not finite."""

    def __init__(
        self,
        setting: Setting,
        watched: Sequence[Watched],
        tensors: Values,
        summed: Sequence[int] = (),
        most: int = 0,
    ) -> None:
        self._watched = watched
        self._summed = summed
        self.setting = setting
        self._names = [name_of(one) for one in tensors]
        self._tensors: Values = tensors  # until it is built
        self._numbers: dict[int, int] = {}  # of each op, in the timeline
        self._most = most
        self._state: Kept
        self._taken: Snapshot

    @classmethod
    def of(
        cls, graph: Any, outputs: Any, setting: Setting, watch: Watch, places: Places, backward: Backward
    ) -> BirthProbe | None:
        """The probe of a graph that is about to be done; None where no op can give birth."""
        rows = Rows()
        live = live_ops(graph, outputs)
        stored = written(graph, live)
        watched, suspects = watched_in(live, stored, rows, places, backward)
        summed = [rows.of(one) for one in told_by(suspects, live, stored)]
        return cls(setting, watched, rows.tensors, summed, watch.keep_elements) if summed else None

    def build(self, alarm: Alarm) -> None:
        """Add to the graph that is being built."""
        tensors, self._tensors = self._tensors, ()
        self._state = Kept(np.zeros(len(self._summed) + 1, np.int32))
        self._taken = Snapshot(tensors, self._most, self.setting.technique)
        kept = Inside(self._state)
        sums = [sum_of(tensors[i]) for i in self._summed]

        def compare() -> Any:
            codes, state = _codes(sums), kept.read()
            fresh = tf.reduce_any(tf.logical_and(codes != FINITE, codes != state[:-1]))

            def count() -> Any:
                taken = self._taken.take(tensors)
                return after([taken, kept.assign(tf.concat([codes, [1]], 0)), alarm.ring(self.setting.host)])

            return tf.cond(tf.logical_and(fresh, tf.equal(state[-1], 0)), count, lambda: tf.constant(0))

        done = tf.cond(_finite(sums), lambda: tf.constant(0), compare)
        if len(devices_of([one.op for one in tensors])) < 2 and self.setting.technique != "xla":
            _not_lowered(done)

    def read(self, watch: Watch) -> None:
        """Tell what was left, if it was, and be ready for the next."""
        state = self._state.get()
        if not state[-1]:
            return
        _, healths, elements = zip(*self._taken.read(), strict=True)
        self._state.put([*self._known(state[:-1], healths), 0])
        self.came_by(watch, healths, elements)

    def came_by(self, watch: Watch, healths: Sequence[Health], elements: Sequence[Sequence[float]]) -> None:
        """Tell of the ops in which something was born; ``healths`` and first elements of the tensors, row by row."""
        made = self._sources()
        sources = [self._numbers.get(made.get(i, -1)) for i in range(len(healths))]
        found = list(map(Tensor, self._names, healths, repeat(None), sources, elements, self._names))
        if any(health.bad for health in healths):
            watch.retained("tensorflow", found)  # first: the program may be stopped at what is born
        for one in self._watched:
            self._tell(watch, one, [found[i] for i in one.inputs], [found[i] for i in one.outputs])

    def tell(self, watch: Watch) -> None:
        """Nothing is kept back."""

    def numbers(self, watch: Watch) -> Sequence[int]:
        """The ops of the graph as the timeline knows them, each with those that its inputs come from."""
        if not self._numbers:
            made = self._sources()
            for one in self._watched:
                path, line, _ = (one.forward or one.places or (("", 0, ""),))[0]
                op, backward = one.gradient_of or one.op, bool(one.gradient_of)
                inputs = [self._numbers[made[i]] for i in one.inputs if made.get(i) in self._numbers]
                self._numbers[one.number] = watch.numbered("tensorflow", op, path, line, backward, inputs)
        return tuple(self._numbers.values())

    def _sources(self) -> dict[int, int]:
        """Which op each row came out of."""
        return {i: one.number for one in self._watched for i in one.outputs}

    def _known(self, codes: Array, healths: Sequence[Health]) -> list[int]:
        """The codes that need not be told again: not of a sum that was only too great."""
        bad = [bool(healths[i].bad) for i in self._summed]
        return [int(code) if is_bad else FINITE for code, is_bad in zip(codes, bad, strict=True)]

    def _tell(self, watch: Watch, one: Watched, given: Sequence[Tensor], made: Sequence[Tensor]) -> None:
        old = Kinds().union(*(tensor.health.bad for tensor in given))
        found = Kinds().union(*(tensor.health.bad for tensor in made))
        if "nan" in old and "nan" not in found and one.op in HIDES:
            nans = sum(tensor.health.nan for tensor in given)
            watch.alert(
                "hidden-nan",
                f"{one.op} hides {nans:,} nan: its output is finite, but its gradient may not be",
                frames=framed(one.places),
                op=one.op,
                compiled=self.setting.technique,
            )
        if "nan" in found and one.op in READS:
            health = next(tensor.health for tensor in made if tensor.health.nan)
            watch.alert(
                "nan-in-input",
                f"{health.nan:,} nan of {health.size:,} elements in the data that {one.op} reads",
                frames=framed(one.places),
                op=one.op,
                shape=health.shape,
                dtype=health.dtype,
            )
        if found <= old or (says_nothing(one.op) and not is_call(one.op)):
            return
        watch.born(
            framework="tensorflow",
            op=one.op,
            kinds=found - old,
            inputs=_named("input", given),
            outputs=_named("output", made),
            frames=framed(one.places),
            backward=bool(one.gradient_of),
            forward=framed(one.forward),
            compiled=self.setting.technique,
            note=f"gradient of {one.gradient_of}" if one.gradient_of else "",
            module=one.layer,
        )


def _layer_of(op: Any) -> str:
    """The path of the Keras layer that an op is of: a layer's scope is its name with a number, as is each around it."""
    scopes = op.name.removeprefix("gradient_tape/").split("/")[:-1]
    layers = [found[1] for scope in scopes if (found := re.fullmatch(r"(.+)_\d+", scope))]
    return "/".join(layers) if "keras" in sys.modules else ""


def _finite(sums: Values) -> Any:
    """Whether all of some sums are finite."""
    kinds = [[one for one in sums if one.dtype == dtype] for dtype in (tf.float32, tf.float64)]
    return tf.reduce_all([tf.math.is_finite(tf.add_n(alike)) for alike in kinds if alike])


def _codes(sums: Values) -> Any:
    """What each sum says, as one vector."""
    parts = []
    order: list[int] = []
    for dtype in (tf.float32, tf.float64):
        which = [i for i, one in enumerate(sums) if one.dtype == dtype]
        if which:
            order += which
            parts.append(_codes_of(tf.stack([sums[i] for i in which])))
    if len(parts) == 1:
        return parts[0]
    return tf.gather(tf.concat(parts, 0), np.argsort(order))


def _codes_of(sums: Any) -> Any:
    infinite = tf.where(sums > 0, PINF, NINF)
    return tf.where(tf.math.is_finite(sums), FINITE, tf.where(tf.math.is_nan(sums), NAN, infinite))


def _not_lowered(output: Any) -> None:
    """Let a branch be called like a function when it is taken, and not be woven into its graph: it has many inputs."""
    op = output.op
    while op.type == "Identity":
        op = op.inputs[0].op
    op._set_attr("_lower_using_switch_merge", tf.compat.v1.AttrValue(b=False))


def _named(name: str, tensors: Sequence[Tensor]) -> list[Tensor]:
    return [replace(one, name=f"{name} {i}" if len(tensors) > 1 else name) for i, one in enumerate(tensors)]
