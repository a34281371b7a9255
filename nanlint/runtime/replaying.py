"""Repeating a step of a run: which one went bad, the random states that its processes began with and had of late, and
whether a repetition is like the run that it repeats.

The program is run again from its beginning, as only it knows how its data come; what happens before that step is not
watched.
"""

from __future__ import annotations

import contextlib
import math
import os
import random
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from multiprocessing import current_process

import msgspec

from nanlint.runtime.events import KEPT, Alert, Birth, Checkpoint, Observed, Step
from nanlint.runtime.options import Options
from nanlint.runtime.runfile import Process, RunError, RunRecord, read_run

#: how the files begin that hold random states, beside the event files
STATE = "state-"
#: alerts that say that a step went bad
BAD = ("non-finite", "skipped-step", "nan-in-input")
#: seconds from one look at the random states to the next, at least: a look takes up to 0.1 ms
APART = 0.05
#: numbers of a step that differ by more than this part of them are those of another run, and no rounding
ALIKE = 1e-4


class Repeated(SystemExit):
    """The step that was to be repeated is over, and so is the run."""


@dataclass(frozen=True)
class Repeatable:
    """What a process left for its repetition: random states by where they are of, and the numbers of its steps.

    ``begun``: as each of them was met with first. ``late``: as a step began, soon before the one that went bad.
    ``alone``: no other process of the run took steps. ``kept``: the file with the last step that is repeated, if any.
    """

    begun: Mapping[str, bytes] = field(default_factory=dict)
    late: Mapping[int, Mapping[str, bytes]] = field(default_factory=dict)
    numbers: Mapping[int, Mapping[str, str]] = field(default_factory=dict)
    alone: bool = False
    kept: str = ""


@dataclass(frozen=True)
class Source:
    """Something that draws random numbers: how its state is taken, and put back."""

    snapshot: Callable[[], bytes]
    restore: Callable[[bytes], None]


class RandomStates:
    """The random states of a process: remembered until they are wanted (``repeats`` is None), or put back."""

    def __init__(self, repeats: Callable[[], Repeatable] | None) -> None:
        self._repeats = repeats
        self._repeatable: Repeatable | None = None
        self._sources: dict[str, Source] = {}
        self._begun: dict[str, bytes] = {}
        self._late: tuple[int, dict[str, bytes]] | None = 0, {}
        self._looked = 0.0
        self._differs = False

    @property
    def repeated(self) -> Repeatable:
        """What is repeated; asked late, as a spawned process does not know its name when it begins."""
        if self._repeatable is None:
            self._repeatable = Repeatable()
            if self._repeats is not None:
                with contextlib.suppress(RunError, OSError):  # it is gone meanwhile: then it cannot be like it
                    self._repeatable = self._repeats()
        return self._repeatable

    def add(self, name: str, source: Source) -> None:
        """From here on there is something more that draws random numbers."""
        if name in self._sources:
            return
        self._sources[name] = source
        if self._repeats is None:
            state = source.snapshot()
            if state:
                self._begun[name] = state
        elif name in self.repeated.begun:
            source.restore(self.repeated.begun[name])

    def forget(self) -> None:
        """This is a fork, which goes on from where it is: what was remembered is of another process."""
        self._repeatable, self._begun, self._late = None, {}, (0, {})

    def stepped(self, step: int) -> None:
        """A step begins."""
        if self._repeats is not None:
            for name, state in self.repeated.late.get(step, {}).items():
                if name in self._sources:
                    self._sources[name].restore(state)
            return
        now = time.monotonic()
        if self._late is not None and now - self._looked >= APART:
            self._looked = now
            taken = {name: source.snapshot() for name, source in self._sources.items()}
            self._late = step, {name: state for name, state in taken.items() if state}

    def written(self, directory: str, stem: str, late: bool) -> Iterator[Checkpoint]:
        """Write what was not written yet below a directory; ``late``: as the first one went bad, those of late, too."""
        states = [(0, name, state) for name, state in self._begun.items()]
        self._begun = {}
        if late and self._late is not None:
            step, taken = self._late
            states += [(step, name, state) for name, state in taken.items()]
            self._late = None
        for step, name, state in states:
            file = f"{STATE}{name}-{stem}{f'-{step}' if step else ''}"
            if _is_kept(os.path.join(directory, file), state):
                yield Checkpoint(step, file, current_process().name)

    @property
    def unwritten(self) -> bool:
        """Whether there is a state that was remembered since."""
        return bool(self._begun)

    @property
    def alone(self) -> bool:
        """Whether what is not repeated in this process is not repeated at all."""
        return self._repeats is not None and self.repeated.alone

    def difference(self, step: int, numbers: Mapping[str, str]) -> str:
        """How the numbers of a step differ from those of the run that is repeated; told once, and empty if not."""
        if self._repeats is None or self._differs:
            return ""
        for name, was in self.repeated.numbers.get(step, {}).items():
            if name in numbers and not _alike(float(was), float(numbers[name])):
                self._differs = True
                return (
                    f"the {name.replace('_', ' ')} of step {step:,} is {numbers[name]}, but was {was} in the "
                    "original run"
                )
        return ""


def _alike(a: float, b: float) -> bool:
    return math.isclose(a, b, rel_tol=ALIKE, abs_tol=ALIKE * ALIKE) or (math.isnan(a) and math.isnan(b))


def _is_kept(path: str, state: bytes) -> bool:
    try:
        with open(path, "wb") as file:
            file.write(state)
    except OSError:
        return False
    return True


#: Python's own generator
PYTHON = Source(
    lambda: msgspec.msgpack.encode(random.getstate()),
    lambda state: random.setstate(msgspec.msgpack.decode(state, type=tuple[int, tuple[int, ...], float | None])),
)


def steps_to_repeat(run: RunRecord) -> tuple[int, int]:
    """The first and the last step to watch: the one that went bad first in any process, and the one before it, which
    may have left bad parameters behind. Raises RunError if no step went bad.
    """
    first = min(bad_steps(run), default=None)
    if first is None:
        raise RunError(f"{run.directory}: no bad step was recorded; choose one with --step")
    return max(0, first - 1), first


def bad_steps(run: RunRecord) -> Iterator[int]:
    """The steps that went bad, in any process."""
    for _, event in run:
        if isinstance(event, Birth) or (isinstance(event, Alert) and event.alert in BAD and KEPT not in event.details):
            yield event.step
        elif isinstance(event, Observed) and event.bad_step is not None:
            yield event.bad_step


def repeatable(options: Options, rank: int, argv: tuple[str, ...]) -> Repeatable:
    """What the process that this one repeats has left: that of the same rank, name and arguments. Raises RunError."""
    ours = current_process().name
    run = read_run(options.replayed)
    stepped = [process for process in run.processes if any(isinstance(e, Checkpoint) for e in process.events)]
    there = [(process, _checkpoints(process, ours)) for process in stepped if process.started.rank == rank]
    there = [(process, checkpoints) for process, checkpoints in there if checkpoints]
    alike = [one for one in there if one[0].started.argv == argv]
    for process, checkpoints in alike or there:
        begun: dict[str, bytes] = {}
        late: dict[int, dict[str, bytes]] = {}
        for checkpoint in checkpoints:
            with open(os.path.join(run.directory, checkpoint.file), "rb") as file:
                name = checkpoint.file.removeprefix(STATE).split("-")[0]
                (late.setdefault(checkpoint.step, {}) if checkpoint.step else begun)[name] = file.read()
        numbers = {event.number: event.numbers for event in process.events if isinstance(event, Step)}
        return Repeatable(begun, late, numbers, alone=len(stepped) == 1, kept=_kept(options, process))
    return Repeatable()


def _kept(options: Options, process: Process) -> str:
    """Where a process kept the last of the steps that are repeated."""
    last = options.replay[1] if options.replay is not None else -1
    alerts = (event for event in process.events if isinstance(event, Alert) and event.step == last)
    names = (os.path.basename(event.details["state"]) for event in alerts if "state" in event.details)
    return next((os.path.join(options.replayed, name) for name in names), "")


def _checkpoints(process: Process, name: str) -> list[Checkpoint]:
    return [event for event in process.events if isinstance(event, Checkpoint) and event.process == name]
