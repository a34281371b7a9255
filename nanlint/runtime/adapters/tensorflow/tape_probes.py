"""Gradients that are computed in graphs, counted and summed up there; variables that no gradient reaches."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import tensorflow as tf
from tensorflow.python.eager import context as _context
from tensorflow.python.framework import errors as _errors

from nanlint.runtime.adapter import Watch
from nanlint.runtime.adapters.tensorflow.alarms import SCOPE, Alarm, Inside, Kept, Setting, after
from nanlint.runtime.adapters.tensorflow.places import Places


class Probe(Protocol):
    """What was added to a graph."""

    @property
    def setting(self) -> Setting:
        """Of the graph."""


_NUMBERED = re.compile(rf"(?:^|/){SCOPE}/(\d+)(?:_\d+)?/")
_CALLS = frozenset(("PartitionedCall", "StatefulPartitionedCall"))


@dataclass(frozen=True)
class Held:
    """The probes that a call executes: these once, and these never, once or often (in loops and branches)."""

    once: tuple[Probe, ...] = ()
    loose: tuple[Probe, ...] = ()

    @property
    def all(self) -> tuple[Probe, ...]:
        """Both."""
        return self.once + self.loose


class Contents:
    """Numbers probes, and finds them again in functions."""

    def __init__(self) -> None:
        self._probes: list[Probe] = []
        self._known: dict[str, tuple[list[int], set[int]]] = {}

    def scope_of(self, probe: Probe) -> str:
        """The name of the scope that a probe's ops are to be made in."""
        self._probes.append(probe)
        return f"{SCOPE}/{len(self._probes) - 1}"

    def of(self, name: bytes) -> Held:
        """The probes that a call of a function executes."""
        once, loose = self._numbers(name.decode())
        loose |= {number for number in once if once.count(number) > 1}
        single = sorted(number for number in once if number not in loose)
        return Held(*(tuple(self._probes[i] for i in some) for some in (single, sorted(loose))))

    def writes_nan(self, name: str) -> bool:
        """Whether a nan stands in a function as a constant: it means it."""
        return any(
            (node.op == "Const" and _is_nan(node.attr["value"].tensor)) or any(map(self.writes_nan, _functions(node)))
            for node in _nodes(name)
        )

    def _numbers(self, name: str) -> tuple[list[int], set[int]]:
        known = self._known.get(name)
        if known is None:
            known = self._known[name] = ([], set())
            once: dict[int, None] = {}
            for node in _nodes(name):
                numbered = _NUMBERED.search(node.name)
                if numbered is not None:
                    once[int(numbered[1])] = None
                    continue
                for function in _functions(node):
                    inner_once, inner_loose = self._numbers(function)
                    if node.op in _CALLS:
                        known[0].extend(inner_once)
                        known[1].update(inner_loose)
                    else:
                        known[1].update(inner_once, inner_loose)
            known[0].extend(once)
        return list(known[0]), set(known[1])


def _nodes(name: str) -> Iterator[Any]:
    try:
        yield from _context.context().get_function_def(name).node_def
    except _errors.NotFoundError:
        return


def _is_nan(constant: Any) -> bool:
    array = tf.make_ndarray(constant)
    return array.dtype.kind == "f" and bool(np.isnan(array).any())


def _functions(node: Any) -> Iterator[str]:
    for attribute in node.attr.values():
        if attribute.func.name:
            yield attribute.func.name
        yield from (function.name for function in attribute.list.func)


#: a variable whose gradient is only zeros is told of when a run has at least so many steps
ENOUGH = 2
#: executions whose numbers wait in the graph's own memory before they are read
WAITING = 64


class Waiting:
    """A variable whose gradient has only been zeros up to now."""

    def __init__(self, name: str, places: Places) -> None:
        self._name = name
        self._frames = places.frames()
        self._alive = False
        self._steps = 0

    def seen(self, alive: bool) -> None:
        """One more gradient."""
        self._alive = self._alive or alive
        self._steps += 1

    def tell(self, watch: Watch) -> None:
        """Of one that stayed dead."""
        if not self._alive and self._steps >= ENOUGH:
            message = f"{self._name} got only zeros as its gradient in {self._steps:,} steps: it is not trained"
            watch.alert("dead-gradient", message, frames=self._frames, variable=self._name)


@dataclass
class Awaited:
    """The loss of an execution and the square of its gradient, when they have been read."""

    probe: TapeProbe
    known: tuple[float | None, float] | None = None


@dataclass(frozen=True)
class Steps:
    """The gradients that a call of a function computes; ``one``: each once, and what is bad in them rings at once."""

    probes: tuple[TapeProbe, ...]
    one: bool

    @classmethod
    def of(cls, held: Held) -> Steps:
        """What the contents of a function say."""
        once, loose = (tuple(one for one in some if isinstance(one, TapeProbe)) for some in (held.once, held.loose))
        return cls(once + loose, not loose and all(probe.setting.host for probe in once))


def numbers_when_read(awaited: Sequence[Awaited]) -> Mapping[str, float]:
    """The numbers of a step that are read when they are asked for, or earlier."""
    found: dict[str, float] = {}
    for one in awaited:
        if one.known is None:
            one.probe.read()
        if one.known is not None:
            found |= numbers_of(*one.known)
    return found


class TapeProbe:
    """How often a gradient was computed in a graph; the loss, and the square of each gradient, the last times."""

    def __init__(
        self, setting: Setting, waiting: Sequence[Waiting], at_rest: Callable[[], AbstractContextManager[None]]
    ) -> None:
        self.setting = setting
        self._waiting = waiting
        self._at_rest = at_rest
        self._count = Kept(np.zeros((), np.int64))
        self._rows = Kept(np.zeros((WAITING, len(waiting) + 1)))
        self._read = 0
        self._awaited: list[Awaited] = []

    def build(self, alarm: Alarm, target: Any, gradients: Sequence[Any]) -> None:
        """Add to the graph that is being built."""
        loss = next(iter(tf.nest.flatten(target)), None)
        self._scalar = isinstance(loss, tf.Tensor) and loss.dtype.is_floating and loss.shape.num_elements() == 1
        halves = [tf.nn.l2_loss(one) for one in gradients]
        numbers = [tf.reshape(loss, []) if self._scalar else tf.zeros(()), *halves]
        alike = len({one.dtype for one in numbers}) == 1
        row = tf.cast(tf.stack(numbers if alike else [tf.cast(one, tf.float64) for one in numbers]), tf.float64)
        count = Inside(self._count)
        before = count.read()
        kept = Inside(self._rows).assign_row(before % WAITING, row)
        with tf.control_dependencies([kept]):
            counted = count.add(1)
        with tf.control_dependencies([counted]):
            finite = tf.math.is_finite(tf.reduce_sum(row))
        tf.cond(finite, lambda: tf.constant(0), lambda: after([alarm.ring(self.setting.host)]))

    def awaited(self) -> Awaited:
        """The numbers of the execution that is just over."""
        one = Awaited(self)
        self._awaited.append(one)
        if len(self._awaited) == WAITING:
            self.read()
        return one

    def read(self) -> tuple[int, tuple[float | None, float]]:
        """New executions that nobody awaits; the loss of the last, if there was one, and the square of its gradient."""
        with self._at_rest():
            count = int(self._count.get())
            executions, self._read = count - self._read, count
            rows: Any = self._rows.get() if executions else ()
        awaited, self._awaited = self._awaited, []
        new = max(executions - len(awaited), 0)
        last: tuple[float | None, float] = (None, 0.0)
        for i in range(min(executions, len(rows))):
            loss, *halves = rows[(count - 1 - i) % WAITING].tolist()
            for waiting, half in zip(self._waiting, halves, strict=True):
                waiting.seen(half != 0)
            numbers = (loss if self._scalar else None, 2.0 * sum(halves))
            last = numbers if i == 0 else last
            if i >= new:
                awaited[new - 1 - i].known = numbers
        return new, last


def numbers_of(loss: float | None, squares: float) -> dict[str, float]:
    """What is told of a step: its loss, if there is one, and the norm of a gradient of this square."""
    norm = math.sqrt(squares) if squares >= 0 else math.nan
    return {"gradient_norm": norm} | ({} if loss is None else {"loss": loss})
