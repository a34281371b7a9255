"""The verdict of a run: computed once, when the run is over, and kept beside its events; whoever shows it reads it."""

from __future__ import annotations

import contextlib
import os
import socket
from dataclasses import replace

import msgspec

from nanlint.runtime.events import Ended, Started
from nanlint.runtime.launch import Outcome
from nanlint.runtime.runfile import RunRecord, read_run
from nanlint.runtime.verdicts import Verdict, Verdicts, verdicts_of

#: in the directory of a run
FILE = "verdict.msgpack"


class Kept(msgspec.Struct, frozen=True):
    """The verdicts, and the size of each event file that they are of."""

    sizes: dict[str, int]
    verdicts: Verdicts


def judge(directory: str, outcome: Outcome) -> Verdicts:
    """The verdict of a run whose program has ended so. Raises RunError."""
    run = read_run(directory)
    return _keep(run, replace(verdicts_of(run), outcome=outcome))


def verdicts_in(run: RunRecord) -> Verdicts:
    """The verdict of a run: as it is kept, else of what the run holds by now, which is kept if it is over."""
    with contextlib.suppress(OSError, msgspec.DecodeError):
        with open(os.path.join(run.directory, FILE), "rb") as file:
            kept = msgspec.msgpack.decode(file.read(), type=Kept)
        if kept.sizes == _sizes(run):
            return kept.verdicts
    found = verdicts_of(run)
    if found.cut is not None and _runs(run.processes[0].started):
        found = replace(found, cut=None)
    over = all(any(isinstance(event, Ended) for event in process.events) for process in run.processes)
    return _keep(run, found) if over else found


def _keep(run: RunRecord, found: Verdicts) -> Verdicts:
    plain = replace(found, findings=tuple(map(_plain, found.findings)))
    path = os.path.join(run.directory, FILE)
    half = f"{path}.{os.getpid()}"
    with contextlib.suppress(OSError):
        with open(half, "wb") as file:
            file.write(msgspec.msgpack.encode(Kept(_sizes(run), plain)))
        os.replace(half, path)
    return found


def _runs(started: Started) -> bool:
    """Whether a process goes on, as far as that is seen from here."""
    try:
        os.kill(started.pid, 0)
    except OSError:
        return False
    return started.host == socket.gethostname()


def _plain(one: Verdict) -> Verdict:
    """A finding without what only a proof of it needs."""
    return replace(one, diagnostic=replace(one.diagnostic, slices=()))


def _sizes(run: RunRecord) -> dict[str, int]:
    return {os.path.basename(process.path): os.path.getsize(process.path) for process in run.processes}
