"""`nanlint verify` from beginning to end: run the program watched, read what it left, judge."""

from __future__ import annotations

import os
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from nanlint.diagnostic import Confidence
from nanlint.runtime.filters import filter_of
from nanlint.runtime.judging import judge
from nanlint.runtime.launch import HASH_SEED, launch, new_run
from nanlint.runtime.options import Options
from nanlint.runtime.replaying import steps_to_repeat
from nanlint.runtime.runfile import RunError, event_files, read_run
from nanlint.runtime.verdicts import Verdicts


@dataclass(frozen=True)
class Verified:
    """What came of it: where the run is kept, and the verdicts."""

    run: str
    verdicts: Verdicts


def verify_command(command: Sequence[str], *, watch: str = "sites", **options: Any) -> Verified:
    """Run ``script args…``, ``-m module args…`` or ``-c code args…`` and judge; ``options`` are those of ``_run``.

    Raises RunError for a run that cannot be kept or a program that cannot be started, FilterError for a filter.
    """
    seed = secrets.randbits(32) if watch == "sentinel" and HASH_SEED not in os.environ else None
    return _run(command, watch=watch, hash_seed=seed, **options)


def replay_command(
    replayed: str, command: Sequence[str] = (), *, step: int | None = None, from_start: bool = False, **options: Any
) -> Verified:
    """Repeat a step of a run, the first bad one unless ``step`` says which, and judge; as ``verify_command``.

    ``command``: the program, if it is another one than that of the run, where this process is; else it runs where it
    ran. ``from_start``: all steps before are repeated, too, and what the run kept of the step is left alone.
    """
    run = read_run(replayed)
    steps = steps_to_repeat(run) if step is None else (step, step)
    started = run.processes[0].started
    if not command and not os.path.isdir(started.directory):
        raise RunError(f"{replayed}: its program ran in {started.directory}, which is gone: give the program to run")
    return _run(
        command or started.command,
        where=None if command else started.directory,
        variables=started.variables or None,
        from_start=from_start,
        replay=steps,
        replayed=os.path.abspath(replayed),
        hash_seed=started.hash_seed,
        **options,
    )


def _run(
    command: Sequence[str],
    *,
    filters: Sequence[str] = (),
    include: Sequence[str] = (),
    confidence: Confidence | None = None,
    run_directory: str | None = None,
    where: str | None = None,
    variables: Mapping[str, str] | None = None,
    **options: Any,
) -> Verified:
    """``where`` and ``variables``: see ``launch``; ``options``: the other fields of ``Options``."""
    for name in filters:
        filter_of(name)
    reject_missing(command, where or "")
    directory = new_run(run_directory)
    before = event_files(directory)
    asked = Options(
        directory=directory,
        filters=tuple(filters),
        include=tuple(include),
        confidence="" if confidence is None else str(confidence),
        **options,
    )
    return Verified(directory, judge(directory, launch(command, asked, where, variables), before))


def reject_missing(command: Sequence[str], where: str = "") -> None:
    """Say what cannot be run in a directory before anything is done. Raises RunError."""
    first, *rest = command
    if first in ("-m", "-c"):
        if not rest:
            raise RunError(f"{first} needs {'a module' if first == '-m' else 'code'}")
        return
    if first.startswith("-"):
        raise RunError(f"{first}: neither an option of nanlint verify nor a program; options come before the program")
    if not os.path.exists(os.path.join(where, first)) and rest and os.path.basename(first).startswith("python"):
        raise RunError(f"{first}: leave it out and give the program: nanlint verify -- {' '.join(rest)}")
    if not os.path.exists(os.path.join(where, first)):
        raise RunError(f"{first}: no such program")
