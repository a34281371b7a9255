"""Every birth in jitted functions and eager ops: probes say that there is one, a replay which op's and of what."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from nanlint.runtime.adapter import Tensor, Watch
from nanlint.runtime.adapters.jax.calls import Birth, Call, Reader
from nanlint.runtime.adapters.jax.places import frames_of
from nanlint.runtime.adapters.jax.probes import NonFinite, Probe, Probed
from nanlint.runtime.adapters.jax.program import Op, Program, parts_of
from nanlint.runtime.adapters.jax.propagation import can_give_birth, sinks
from nanlint.runtime.adapters.jax.replay import Born, Replay, Unrepeatable, kinds_of, replay
from nanlint.runtime.health import Health

#: a pattern of probes that is known is replayed again every so many calls
AGAIN = 1024


@dataclass
class _Pattern:
    """Which probes of a function were not finite, and how: what a replay found for it, and how often it came."""

    births: list[Birth]
    times: int = 1


@dataclass
class _Known:
    """What is known of a function with probes."""

    patterns: dict[bytes, _Pattern] = field(default_factory=dict)
    timeline: tuple[int, ...] | None = None


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
        """The births of a call; those of a pattern that is known are told without a replay, most of the time."""
        known = self._known.setdefault(function, _Known())
        if known.timeline is None:
            known.timeline = self._timeline(function)
        for number in known.timeline:
            self._watch.executed(number)
        measured = np.asarray(measured).ravel()
        if not measured.any():
            return ()
        pattern = np.where(np.isnan(measured), 1, np.where(measured > 0, 2, np.where(measured < 0, 3, 0)))
        key = pattern.astype(np.uint8).tobytes()
        seen = known.patterns.get(key)
        if seen is not None:
            seen.times += 1
        if seen is None or seen.times % AGAIN == 0:
            births = self._births(function, call, measured)
            known.patterns[key] = _Pattern([_forgotten(one) for one in births], seen.times if seen else 1)
            return births
        return seen.births if call.function.users else [_moved(one, call) for one in seen.births]

    def _timeline(self, function: Probed) -> tuple[int, ...]:
        """The numbers of the ops of a function."""
        numbers: dict[int, None] = {}
        for op in function.program.ops:
            frames = frames_of(op, (), self._watch.owns_file)
            if frames:
                place = frames[0]
                numbers[self._watch.numbered("jax", op.name, place.path, place.line, op.backward)] = None
        return tuple(numbers)

    def _births(self, function: Probed, call: Call, measured: Any) -> list[Birth]:
        flagged = [probe for probe, x in zip(function.probes, measured, strict=True) if x != 0]
        try:
            found = replay(function.program, call.arguments, {probe.outer for probe in flagged})
        except Exception as error:
            reason = str(error) if isinstance(error, Unrepeatable) else f"{type(error).__name__}: {error}"
            note = f"the values are not at hand: {reason}"
            return [self._of_probe(probe, x, call, note) for probe, x in _told(function, measured)]
        self._alerts(call, found)
        self._any |= bool(found.births)
        births = [self._of(born, call) for born in found.births]
        kinds = frozenset(("nan",) if np.isnan(measured).any() else ("pinf", "ninf"))
        if not births and not kinds & found.kinds and not _given(call):
            note = "op by op all is finite: what XLA fuses rounds otherwise"
            return [self._of_probe(probe, x, call, note) for probe, x in _told(function, measured)[:1]]
        return births

    def _of(self, born: Born, call: Call) -> Birth:
        """A birth as it is told."""
        inputs = [
            Tensor(f"input {i}" if len(born.inputs) > 1 else "input", self._health(x), x)
            for i, x in enumerate(born.inputs)
        ]
        made = "gradient" if born.op.backward or call.backward else "result"
        outputs = [Tensor(made, self._health(x), x) for x in born.outputs]
        note = f"in turn {born.turn} of the {born.inside[-1].name}" if born.turn >= 0 else ""
        return self._told(born.op, born.inside, born.kinds, inputs, outputs, call, note)

    def _of_probe(self, probe: Probe, x: float, call: Call, note: str) -> Birth:
        kind = "nan" if np.isnan(x) else "pinf" if x > 0 else "ninf"
        return self._told(probe.op, probe.inside, frozenset({kind}), (), (), call, note)

    def _told(
        self,
        op: Op,
        inside: Sequence[Op],
        kinds: frozenset[str],
        inputs: Sequence[Tensor],
        outputs: Sequence[Tensor],
        call: Call,
        note: str,
    ) -> Birth:
        frames = frames_of(op, inside, self._watch.owns_file) or call.frames
        if not frames:  # an op around a part of the user's, which is not looked into
            within = (frames_of(one, (), self._watch.owns_file) for one in _births_within(op))
            frames = next(filter(None, within), ())
            note = note or f"somewhere in the {op.name}, whose first op that could is at this line" if frames else note
        backward = op.backward or call.backward
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
                    message = f"{health.nan:,} nan of {health.size:,} elements in {name}, which jit is given"
                    self._watch.alert("nan-in-input", message, argument=name, first=where)
        for hidden in found.hidden:
            frames = frames_of(hidden.op, hidden.inside, self._watch.owns_file) or call.frames
            message = f"{hidden.op.name} hides nan: its output has none, its gradient need not be finite"
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


def _moved(birth: Birth, call: Call) -> Birth:
    """A birth in an eager op, at another line."""
    return {**birth, "frames": call.frames, "forward": call.frames if birth["backward"] else ()}


def _forgotten(birth: Birth) -> Birth:
    """The same without the values: what is told again holds no arrays."""
    named = {key: tuple(Tensor(one.name, one.health) for one in birth[key]) for key in ("inputs", "outputs")}
    return {**birth, **named}
