"""Clips in graphs that hold every element at a bound, so that no gradient goes through."""

from __future__ import annotations

import functools
import weakref
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import tensorflow as tf

from nanlint.runtime.adapter import Values, Watch, safely
from nanlint.runtime.adapters.tensorflow.alarms import Alarm, Inside, Kept, Setting, after, is_ours
from nanlint.runtime.adapters.tensorflow.births import live_ops
from nanlint.runtime.adapters.tensorflow.gradients import Backward
from nanlint.runtime.adapters.tensorflow.ops import CLAMPS
from nanlint.runtime.adapters.tensorflow.places import Place, Places, framed
from nanlint.runtime.adapters.tensorflow.rows import WIDTH, health_of_row, is_float, rows_of, shape_of
from nanlint.runtime.health import Shape


class ClampProbe:
    """Of each clip of a graph, how many elements it had when it first held them all."""

    def __init__(
        self, setting: Setting, graph: Any, clips: Sequence[Values], places: Places, backward: Backward
    ) -> None:
        self.setting = setting
        self._graph = weakref.ref(graph)
        self._ops = [(clip[-1].type, [op._id for op in clip], places.all_of(clip[-1])) for clip in clips]
        self._clips = clips  # until it is built
        self._held = Kept(np.zeros(len(clips), np.int64))
        self._told: set[int] = set()
        self._backward = backward

    @classmethod
    def of(
        cls, graph: Any, outputs: Any, setting: Setting, watch: Watch, places: Places, backward: Backward
    ) -> ClampProbe | None:
        """The probe of a graph that is about to be done; None where nothing is clipped."""
        clips: dict[str, list[Any]] = {}  # by the output of the last op of each
        ops = live_ops(graph, outputs) if watch.mode == "all" else ()
        for op in (op for op in ops if op.type in CLAMPS and is_float(op.inputs[0]) and has_bounds(op.inputs)):
            if backward.span_of(op) is None and places.all_of(op):
                clips[op.outputs[0].name] = [*clips.pop(op.inputs[0].name, ()), op]
        return cls(setting, graph, list(clips.values()), places, backward) if clips else None

    def build(self, alarm: Alarm) -> None:
        """Add to the graph that is being built."""
        clips, self._clips = self._clips, ()
        sizes = tf.stack([tf.size(clip[0].inputs[0], tf.int64) for clip in clips])
        free = tf.stack([tf.reduce_any(_free(clip)) for clip in clips])
        before = Inside(self._held).read()
        fresh = tf.logical_and(tf.logical_not(free), tf.logical_and(tf.equal(before, 0), sizes > 1))

        def leave() -> Any:
            return after([Inside(self._held).assign(tf.where(fresh, sizes, before)), alarm.ring(self.setting.host)])

        tf.cond(tf.reduce_any(fresh), leave, lambda: tf.constant(0))

    def read(self, watch: Watch) -> None:
        """Tell of those that a gradient is asked of."""
        graph = self._graph()
        differentiated = self._backward.differentiated(graph) if graph is not None else ()
        for i, size in enumerate(self._held.get().tolist()):
            op, numbers, places = self._ops[i]
            if size and i not in self._told and any(number in differentiated for number in numbers):
                self._told.add(i)
                watch.alert(
                    "clip-holds-all",
                    f"{op} sets all {size:,} elements to a bound: no gradient flows",
                    frames=framed(places),
                    op=op,
                    compiled=self.setting.technique,
                )

    def tell(self, watch: Watch) -> None:
        """Of those of which a gradient was asked for only later, too."""
        self.read(watch)


def _free(clip: Values) -> Any:
    """Which elements no op of a clip changes."""
    same = [tf.equal(op.inputs[0], op.outputs[0]) for op in clip]
    return same[0] if len(same) == 1 else tf.reduce_all(tf.stack(same), axis=0)


def has_bounds(inputs: Values) -> bool:
    """Whether the first input of an op is held by others that are smaller; else it is one of several alike."""
    x, *bounds = inputs
    if x.shape.rank is None:
        return False
    return all(one.shape.num_elements() == 1 or (one.shape.rank or 0) < x.shape.rank for one in bounds)


# ── filters ──────────────────────────────────────────────────────────────────────────────────────────────────────────


#: nothing is computed by these
_GIVEN = frozenset(("Const", "Placeholder"))


@dataclass(frozen=True)
class Made:
    """An output of an op, of which no more is kept than where and what it is."""

    op: str
    places: tuple[Place, ...]
    dtype: str
    shape: Shape


class FilterProbe:
    """Hands on the tensors of a graph; of one that cannot call the host, the breakdowns of its last execution."""

    def __init__(self, setting: Setting, found: Sequence[tuple[Made, Any]], watch: Watch) -> None:
        self.setting = setting
        self._made = [made for made, _ in found]
        self._tensors = [tensor for _, tensor in found]  # until it is built
        self._watch = watch
        self._rows: Kept | None = None

    @classmethod
    def of(cls, graph: Any, outputs: Any, setting: Setting, watch: Watch, places: Places) -> FilterProbe | None:
        """The probe of a graph that is about to be done: of all ops, or with ``--watch sites`` of flagged lines."""
        found = []
        for op in live_ops(graph, outputs) if watch.filtering else ():
            there = places.all_of(op) if op.type not in _GIVEN and not is_ours(op) else ()
            if there and (watch.mode == "all" or watch.sites_on(there[0][0], there[0][1])):
                floats = (one for one in op.outputs if is_float(one))
                found += [(Made(op.type, there, one.dtype.name, shape_of(one)), one) for one in floats]
        return cls(setting, found, watch) if found else None

    def build(self, alarm: Alarm) -> None:
        """Add to the graph that is being built."""
        tensors, self._tensors = self._tensors, []
        if self.setting.host:
            for made, tensor in zip(self._made, tensors, strict=True):
                hand_on = functools.partial(safely, self._watch, "a tensor for the filters", self._want, made)
                tf.py_function(hand_on, [tensor], [])
        else:
            self._rows = Kept(np.full((len(tensors), WIDTH), np.nan))
            Inside(self._rows).assign(rows_of(tensors))

    def _want(self, made: Made, tensor: Any) -> None:
        self._watch.wants(made.op, "tensorflow", tensor, framed(made.places))

    def read(self, watch: Watch) -> None:
        """Hand on what was left, where there was no other way."""
        if self._rows is None:
            return
        rows = self._rows.get()
        self._rows.put(np.full_like(rows, np.nan))
        for made, row in zip(self._made, rows, strict=True):
            if not np.isnan(row).any():
                health = health_of_row(row, made.dtype, made.shape)
                watch.wants(made.op, "tensorflow", None, framed(made.places), health)

    def tell(self, watch: Watch) -> None:
        """Nothing is kept back."""
