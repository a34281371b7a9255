"""The verdict of a run: computed once, when the run is over, and kept beside its events; whoever shows it reads it."""

from __future__ import annotations

import contextlib
import os
import socket
from collections.abc import Collection, Mapping
from dataclasses import replace

import msgspec

from nanlint.config import CONFIDENCES
from nanlint.diagnostic import Fix, Span
from nanlint.runtime.events import Ended, Module, Started
from nanlint.runtime.importing import config_at, diagnosed
from nanlint.runtime.launch import Outcome
from nanlint.runtime.runfile import RunRecord, read_run
from nanlint.runtime.verdicts import Verdict, Verdicts, verdicts_of
from nanlint.source.writing import write_whole

#: in the directory of a run
FILE = "verdict.msgpack"


class Kept(msgspec.Struct, frozen=True):
    """The verdicts, and the size of each event file that they are of."""

    sizes: dict[str, int]
    verdicts: Verdicts


def judge(directory: str, outcome: Outcome, but: Collection[str] = ()) -> Verdicts:
    """The verdict of a run whose program has ended so; ``but``: files that were there before. Raises RunError."""
    run = read_run(directory, but=but)
    return _keep(run, with_fixes(replace(verdicts_of(run), outcome=outcome), run))


def verdicts_in(run: RunRecord) -> Verdicts:
    """The verdict of a run: as it is kept, else of what the run holds by now, which is kept if it is over."""
    with contextlib.suppress(OSError, msgspec.DecodeError):
        with open(os.path.join(run.directory, FILE), "rb") as file:
            kept = msgspec.msgpack.decode(file.read(), type=Kept)
        if kept.sizes == _sizes(run):
            return kept.verdicts
    found = with_fixes(verdicts_of(run), run)
    if found.cut is not None and _runs(run.processes[0].started):
        found = replace(found, cut=None)
    if len({os.path.dirname(process.path) for process in run.processes}) > 1:
        return found
    over = all(any(isinstance(event, Ended) for event in process.events) for process in run.processes)
    return _keep(run, found) if over else found


def with_fixes(found: Verdicts, run: RunRecord) -> Verdicts:
    """The findings that are confirmed get their fixes, which nobody asks for while a program runs."""
    least = {event.path: event.confidence for _, event in run if isinstance(event, Module)}
    fixes: dict[tuple[str, str, Span], Fix | None] = {}
    for path in dict.fromkeys(one.diagnostic.path for one in found.confirmed if one.diagnostic.fix is None):
        with contextlib.suppress(OSError):
            with open(path, "rb") as file:
                content = file.read()
            if content == found.sources[path].encode() and path in least:
                config = config_at(path, CONFIDENCES[least[path]])
                told = diagnosed(content, path, config, finds_only=False)
                fixes |= {(one.path, one.code, one.span): one.fix for one in told}
    return replace(found, findings=tuple(_with_fix(one, fixes) for one in found.findings))


def _with_fix(one: Verdict, fixes: Mapping[tuple[str, str, Span], Fix | None]) -> Verdict:
    said = one.diagnostic
    return replace(one, diagnostic=replace(said, fix=said.fix or fixes.get((said.path, said.code, said.span))))


def _keep(run: RunRecord, found: Verdicts) -> Verdicts:
    plain = replace(found, findings=tuple(map(_plain, found.findings)))
    with contextlib.suppress(OSError):
        content = msgspec.msgpack.encode(Kept(_sizes(run), plain))
        write_whole(os.path.join(run.directory, FILE), content, anywhere=True)
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
