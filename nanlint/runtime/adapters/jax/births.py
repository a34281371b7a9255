"""Every birth in jitted functions and eager ops: probes say that there is one, a replay which op's and of what."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import jax
import numpy as np

from nanlint.runtime.adapter import AnyFunction, Tensor, Watch, forgotten
from nanlint.runtime.adapters.jax.probes import Birth, Call, NonFinite, Probe, Probed, Reader
from nanlint.runtime.adapters.jax.program import Op, Program, Value, frames_of, is_backward, parts_of
from nanlint.runtime.adapters.jax.propagation import can_give_birth, is_inexact, sinks
from nanlint.runtime.adapters.jax.replay import Born, Replay, Unrepeatable, kinds_of, replay
from nanlint.runtime.events import Death
from nanlint.runtime.health import Health, Kinds


@dataclass
class _Pattern:
    """Which probes of a function were not finite, and how, and what of its arguments was: what a replay found.

    ``hid``: as a reader's.
    ``times``: how often it came. ``due``: when it is replayed again, and ``apart`` how many times after the last one.
    """

    births: list[Birth]
    hid: Death | None = None
    times: int = 1
    due: int = 2
    apart: int = 1


@dataclass(frozen=True)
class _Graph:
    """The numbers of ops as the timeline knows them, and those that each value came out of."""

    numbers: dict[Op, int]
    made: dict[int, tuple[int, ...]]

    def of(self, value: Value) -> tuple[int, ...]:
        """What a value came out of; nothing, of an argument or a constant."""
        return self.made.get(value, ()) if isinstance(value, int) else ()


@dataclass
class _Known:
    """What is known of a function with probes."""

    graph: _Graph
    patterns: dict[bytes, _Pattern] = field(default_factory=dict)


class Births(Reader):
    """Reads calls for births."""

    measure = NonFinite()
    again = eager = True

    def __init__(self, watch: Watch, health: Callable[[Any], Health]) -> None:
        self._watch, self._health = watch, health
        self._known: dict[Probed, _Known] = {}
        self._any = False

    def probes(self, program: Program) -> Iterator[Probe]:
        """Where chains of ops end."""
        return (Probe(op, i) for op, i in sinks(program))

    def read(self, function: Probed, measured: Any, call: Call) -> Iterable[Birth]:
        """The births of a call; those of a pattern that is known are told without a replay, most of the time.

        It is replayed after 1, 2, 4, … calls more, and from 1 on again when something else was found.
        """
        known = self._known.get(function)
        if known is None:
            known = self._known[function] = _Known(self._graph(function.program, ()))
        for number in known.graph.numbers.values():
            self._watch.executed(number)
        measured = np.asarray(measured).ravel()
        if not measured.any():
            return ()
        key = _signs(measured) + _signs(_looked_at(call.arguments))
        seen = known.patterns.get(key)
        if seen is None:
            births = self._births(function, call, measured, known.graph)
            known.patterns[key] = _Pattern([forgotten(one) for one in births], self.hid)
            return births
        seen.times, self.hid = seen.times + 1, seen.hid
        if seen.times >= seen.due:
            births = self._births(function, call, measured, known.graph)
            again = [forgotten(one) for one in births]
            seen.apart = seen.apart * 2 if list(map(_identity, again)) == list(map(_identity, seen.births)) else 1
            seen.births, seen.due = again, seen.times + seen.apart
            return births
        return seen.births if call.function.users else [_moved(one, call) for one in seen.births]

    def _graph(self, program: Program, inside: Sequence[Op], around: _Graph | None = None) -> _Graph:
        """The numbers of the ops of a program; ``around``: of that around the loop or branch that it is in."""
        graph = _Graph({}, {})
        if around is not None:  # a part is given the last of what the op around it is given
            given = inside[-1].inputs[-len(program.inputs) :] if program.inputs else ()
            graph.made.update((value, around.of(x)) for value, x in zip(program.inputs, given, strict=True))
        for op in program.ops:
            inputs = tuple(dict.fromkeys(number for value in op.inputs for number in graph.of(value)))
            frames = frames_of(op, inside, self._watch.owns_file) if op.name != "name" else ()
            if frames:
                path, line = frames[0].path, frames[0].line
                number = self._watch.numbered("jax", op.name, path, line, is_backward(op, inside), inputs)
                graph.numbers[op], inputs = number, (number,)
            graph.made.update(dict.fromkeys(op.outputs, inputs))
        return graph

    def _births(self, function: Probed, call: Call, measured: Any, graph: _Graph) -> list[Birth]:
        self.hid = None
        flagged = [probe for probe, x in zip(function.probes, measured, strict=True) if x != 0]
        try:
            found = replay(function.program, call.arguments, call.recorded, {probe.outer for probe in flagged})
        except Exception as error:
            reason = str(error) if isinstance(error, Unrepeatable) else f"{type(error).__name__}: {error}"
            note = f"the values are not available: {reason}"
            return [self._of_probe(probe, x, call, note) for probe, x in _told(function, measured)]
        self._alerts(call, found)
        hid = found.hid
        if hid is not None:
            self.hid = Death(f"in {hid.op.name}", frames_of(hid.op, hid.inside, self._watch.owns_file)[:1])
        self._any |= bool(found.births)
        births = [self._of(born, call, graph) for born in found.births]
        kinds = frozenset(("nan",) if np.isnan(measured).any() else ("pinf", "ninf"))
        if not births and not kinds & found.kinds and not _given(call):
            note = "all values are finite if computed op by op: XLA fuses ops, and then rounds differently"
            return [self._of_probe(probe, x, call, note) for probe, x in _told(function, measured)[:1]]
        return births

    def _of(self, born: Born, call: Call, graph: _Graph) -> Birth:
        """A birth as it is told."""
        done = born.done
        if not done.outputs:
            return self._told(done.op, done.inside, born.kinds, (), (), call, f"in the {done.inside[-1].name}")
        for i, program in enumerate(done.programs[1:], 1):
            graph = self._graph(program, done.inside[:i], graph)
        sources = [next(iter(graph.of(value)), None) for value in done.op.inputs]
        names = [f"input {i}" for i in range(len(sources))] if len(sources) > 1 else ["input"]
        given = zip(names, done.inputs, sources, strict=True)
        inputs = [Tensor(name, self._health(x), x, source) for name, x, source in given]
        made = "gradient" if is_backward(done.op, done.inside) or call.backward else "result"
        outputs = [Tensor(made, self._health(x), x) for x in done.outputs]
        note = f"in iteration {done.turn} of the {done.inside[-1].name}" if done.turn >= 0 else ""
        return self._told(done.op, done.inside, born.kinds, inputs, outputs, call, note)

    def _of_probe(self, probe: Probe, x: float, call: Call, note: str) -> Birth:
        kind = "nan" if np.isnan(x) else "pinf" if x > 0 else "ninf"
        return self._told(probe.op, probe.inside, frozenset({kind}), (), (), call, note)

    def _told(
        self,
        op: Op,
        inside: Sequence[Op],
        kinds: Kinds,
        inputs: Sequence[Tensor],
        outputs: Sequence[Tensor],
        call: Call,
        note: str,
    ) -> Birth:
        frames = frames_of(op, inside, self._watch.owns_file) or call.frames
        if not frames:  # an op around a part of the user's, which is not looked into
            within = (frames_of(one, (), self._watch.owns_file) for one in _births_within(op))
            frames = next(filter(None, within), ())
            note = (
                note or f"somewhere in the {op.name}; the first op in it that can give it is at this line"
                if frames
                else note
            )
        backward = is_backward(op, inside) or call.backward
        return {
            "framework": "jax",
            "op": op.name,
            "kinds": kinds,
            "inputs": inputs,
            "outputs": outputs,
            "frames": frames,
            "backward": backward,
            "forward": frames if backward else (),
            "compiled": "jit" if call.function.users else "",
            "note": note,
        }

    def _alerts(self, call: Call, found: Replay) -> None:
        if call.function.users and not self._any:  # what is in the data was not born before
            for name, x in zip(call.function.arguments, call.arguments, strict=True):
                if "nan" in kinds_of(x):
                    health, where = self._health(x), np.argwhere(np.isnan(np.asarray(x)))[0].tolist()
                    count = f"{health.nan:,} nan of {health.size:,} elements"
                    message = f"{count} in {name}, which is passed to a jitted function"
                    self._watch.alert("nan-in-input", message, argument=name, first=where)
        for hidden in found.hidden:
            frames = frames_of(hidden.op, hidden.inside, self._watch.owns_file) or call.frames
            message = f"{hidden.op.name} hides nan: its output has none, but its gradient may not be finite"
            self._watch.alert("hidden-nan", message, frames=frames)


def _births_within(op: Op) -> Iterator[Op]:
    """The ops in the parts of an op that can give birth."""
    for part in parts_of(op):
        for one in part.ops:
            if can_give_birth(one):
                yield one
            yield from _births_within(one)


def _told(function: Probed, measured: Any) -> list[tuple[Probe, float]]:
    return [(probe, float(x)) for probe, x in zip(function.probes, measured, strict=True) if x != 0]


def _given(call: Call) -> bool:
    """Whether a call was given something that is not finite."""
    return any(kinds_of(x) for x in call.arguments)


def _looked_at(arguments: Sequence[Any]) -> Any:
    """What probes measure of arguments that can be non-finite."""
    arrays = [x for x in arguments if isinstance(x, jax.Array) and is_inexact(x)]
    return np.concatenate([[0.0], *_measured(arrays)])


_measured: AnyFunction = jax.jit(lambda arrays: [NonFinite().of(x, None) for x in arrays])


def _signs(measured: Any) -> bytes:
    """Of what ``NonFinite`` measures, which are finite, nan, inf and -inf."""
    signs = np.where(np.isnan(measured), 1, np.where(measured > 0, 2, np.where(measured < 0, 3, 0)))
    return signs.astype(np.uint8).tobytes()


def _identity(birth: Birth) -> tuple[Any, ...]:
    """What tells a birth from another one of the same function."""
    return birth["op"], birth["kinds"], birth["frames"]


def _moved(birth: Birth, call: Call) -> Birth:
    """A birth in an eager op, at another line."""
    return {**birth, "frames": call.frames, "forward": call.frames if birth["backward"] else ()}
