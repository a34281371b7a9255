"""`nanlint verify` from beginning to end: run the program watched, read what it left, judge."""

from __future__ import annotations

import os
import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from nanlint.diagnostic import Confidence
from nanlint.runtime.filters import filter_of
from nanlint.runtime.judging import judge
from nanlint.runtime.launch import HASH_SEED, launch, new_run
from nanlint.runtime.options import Options
from nanlint.runtime.replaying import steps_to_repeat
from nanlint.runtime.runfile import RunError, RunRecord, read_run
from nanlint.runtime.verdicts import Verdicts

if TYPE_CHECKING:
    from nanlint.runtime.hindsight import Hindsight


@dataclass(frozen=True)
class Verified:
    """What came of it: where the run is kept, the verdicts, what the linter missed."""

    run: str
    verdicts: Verdicts
    hindsight: tuple[Hindsight, ...] = ()


def verify_command(command: Sequence[str], *, watch: str = "sites", **options: Any) -> Verified:
    """Run ``script args…``, ``-m module args…`` or ``-c code args…`` and judge; ``options`` are those of ``_run``.

    Raises RunError for a run that cannot be kept or a program that cannot be started, FilterError for a filter.
    """
    seed = secrets.randbits(32) if watch == "sentinel" and HASH_SEED not in os.environ else None
    return _run(command, watch=watch, hash_seed=seed, **options)


def replay_command(replayed: str, command: Sequence[str] = (), *, step: int | None = None, **options: Any) -> Verified:
    """Repeat a step of a run, the first bad one unless ``step`` says which, and judge; as ``verify_command``.

    ``command``: the program, if it is another one than that of the run.
    """
    run = read_run(replayed)
    steps = steps_to_repeat(run) if step is None else (step, step)
    return _run(
        command or command_to_repeat(run),
        replay=steps,
        replayed=os.path.abspath(replayed),
        hash_seed=run.processes[0].started.hash_seed,
        **options,
    )


def _run(
    command: Sequence[str],
    *,
    filters: Sequence[str] = (),
    include: Sequence[str] = (),
    confidence: Confidence = Confidence.LIKELY,
    run_directory: str | None = None,
    **options: Any,
) -> Verified:
    """``options``: the other fields of ``Options``."""
    for name in filters:
        filter_of(name)
    reject_missing(command)
    directory = new_run(run_directory)
    asked = Options(
        directory=directory,
        filters=tuple(filters),
        include=tuple(include),
        confidence=str(confidence),
        **options,
    )
    verdicts = judge(directory, launch(command, asked))
    if not verdicts.born:
        return Verified(directory, verdicts)
    # only then the linter is loaded in this process, too
    from nanlint.runtime.hindsight import hindsight_of

    return Verified(directory, verdicts, hindsight_of(verdicts, directory))


def command_to_repeat(run: RunRecord) -> tuple[str, ...]:
    """The program of a run, which only runs as it did where it ran. Raises RunError elsewhere."""
    directory = run.processes[0].started.directory
    if os.path.realpath(directory) != os.path.realpath(os.getcwd()):
        raise RunError(
            f"{run.directory}: its program ran in {directory}: change to that directory, or give the program to run"
        )
    return run.processes[0].started.command


def reject_missing(command: Sequence[str]) -> None:
    """Say what cannot be run before anything is done. Raises RunError."""
    first, *rest = command
    if first in ("-m", "-c"):
        if not rest:
            raise RunError(f"{first} needs {'a module' if first == '-m' else 'code'}")
        return
    if first.startswith("-"):
        raise RunError(f"{first}: neither an option of nanlint verify nor a program; options come before the program")
    if not os.path.exists(first) and rest and os.path.basename(first).startswith("python"):
        raise RunError(f"{first}: leave it out and give the program: nanlint verify -- {' '.join(rest)}")
    if not os.path.exists(first):
        raise RunError(f"{first}: no such program")
