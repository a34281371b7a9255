"""The user's filters in graphs: what each op makes is handed to them while the graph runs, or its breakdown after."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import tensorflow as tf

from nanlint.runtime.adapter import Watch, safely
from nanlint.runtime.adapters.tensorflow.alarms import Alarm, Setting
from nanlint.runtime.adapters.tensorflow.births import live_ops
from nanlint.runtime.adapters.tensorflow.kept import Inside, Kept, is_ours
from nanlint.runtime.adapters.tensorflow.places import Place, Places, framed
from nanlint.runtime.adapters.tensorflow.rows import WIDTH, health_of_row, is_float, rows_of, shape_of

#: nothing is computed by these
_GIVEN = frozenset(("Const", "Placeholder"))


@dataclass(frozen=True)
class Made:
    """An output of an op, of which no more is kept than where and what it is."""

    op: str
    places: tuple[Place, ...]
    dtype: str
    shape: tuple[int, ...]


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
