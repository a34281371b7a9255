"""Repeating a step of a run: which one went bad, and the random states that the run began with.

The program is run again from its beginning, as only it knows how its data come; nothing is watched until that step.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass

from nanlint.runtime.events import Alert, Birth, Checkpoint
from nanlint.runtime.options import Options
from nanlint.runtime.runfile import Process, RunError, read_run

#: how the files begin that hold random states, beside the event files
STATE = "state-"
#: alerts that say that a step went bad
BAD = ("non-finite", "skipped-step")


class Repeated(SystemExit):
    """The step that was to be repeated is over, and so is the run."""


@dataclass(frozen=True)
class Repetition:
    """What to repeat: a step, and the random states to begin with by adapter."""

    step: int
    states: Mapping[str, bytes]


def kept(path: str, state: bytes) -> bool:
    """Write a random state beside the event file; whether it could be."""
    try:
        with open(path, "wb") as file:
            file.write(state)
    except OSError:
        return False
    return True


def repeated(options: Options, rank: int) -> Repetition | None:
    """What a process of this rank has to repeat; None in a run that is none of an earlier one."""
    if not options.replayed:
        return None
    processes = [p for p in read_run(options.replayed).processes if p.started.rank == rank]
    with_states = [p for p in processes if any(isinstance(event, Checkpoint) for event in p.events)]
    if not processes:
        return None
    process = (with_states or processes)[0]
    directory = os.path.dirname(process.path)
    step = options.replay if options.replay is not None else bad_step(process)
    if step is None:
        raise RunError(f"{options.replayed}: no step of it went bad; say which to repeat with --step")
    states = {}
    for event in process.events:
        if isinstance(event, Checkpoint):
            name = event.file.removeprefix(STATE).split("-")[0]
            with open(os.path.join(directory, event.file), "rb") as file:
                states[name] = file.read()
    return Repetition(step, states)


def bad_step(process: Process) -> int | None:
    """The first step at which something was born or was not finite."""
    steps = [e.step for e in process.events if isinstance(e, Birth) or (isinstance(e, Alert) and e.alert in BAD)]
    return min(steps, default=None)
