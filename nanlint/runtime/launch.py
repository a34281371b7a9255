"""Starts the program that is to be verified, waits for it, and says how it ended. The program is a process of its own,
so what it does (``os._exit``, a segmentation fault, a signal) does not take its verdicts away.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import FrameType

from nanlint.disk import reason
from nanlint.runtime.options import STARTUP, VARIABLE, Options
from nanlint.runtime.runfile import RunError

#: where runs are kept, below the working directory
RUNS = os.path.join(".nanlint", "runs")

#: the variable by which Python is given the seed of the hashes of strings
HASH_SEED = "PYTHONHASHSEED"

#: the variables that decide how a program computes, and how their names may begin
VARIABLES, PREFIXES = (HASH_SEED, "CUDA_VISIBLE_DEVICES", "XLA_FLAGS"), ("TF_", "OMP_", "JAX_", "MKL_", "CUBLAS_")

_FORWARDED = ("SIGTERM", "SIGHUP", "SIGQUIT", "SIGUSR1", "SIGUSR2", "SIGCONT", "SIGWINCH")


@dataclass(frozen=True)
class Outcome:
    """How the program ended: its exit code, or the signal that killed it."""

    code: int
    signal: str = ""

    def __str__(self) -> str:
        return f"was killed by {self.signal}" if self.signal else f"exited with {self.code}"


def new_run(directory: str | None) -> str:
    """Make the directory of a new run; by default a fresh one under ``.nanlint/runs``. Raises RunError.

    One that holds a run gets another one beside it: who reads it reads both, as one.
    """
    chosen = directory or os.path.join(RUNS, f"{time.strftime('%Y%m%d-%H%M%S')}-{secrets.token_hex(2)}")
    try:
        os.makedirs(chosen, exist_ok=True)
        if directory is None:
            keep_out_of_git(os.path.dirname(RUNS))
        probe = os.path.join(chosen, f".write-{os.getpid()}")
        with open(probe, "w"):
            pass
        os.remove(probe)
    except OSError as error:
        raise RunError(
            f"{chosen}: the run cannot be stored there: {reason(error)}; choose another directory with --run-dir"
        ) from None
    return os.path.abspath(chosen)


def latest_run() -> str:
    """The run that was begun last below the working directory. Raises RunError if there is none."""
    with contextlib.suppress(OSError):
        names = sorted(entry.name for entry in os.scandir(RUNS) if entry.is_dir())
        if names:
            return os.path.join(RUNS, names[-1])
    raise RunError(f"{RUNS}: there is no run; create one with nanlint verify -- PROGRAM, or name its directory")


def keep_out_of_git(directory: str) -> None:
    """Have git ignore what is in a directory of ours."""
    ignore = os.path.join(directory, ".gitignore")
    if not os.path.exists(ignore):
        with open(ignore, "w") as file:
            file.write("*\n")


def deciding_variables() -> dict[str, str]:
    """The variables of the environment that decide how a program computes."""
    return {name: x for name, x in os.environ.items() if name in VARIABLES or name.startswith(PREFIXES)}


def launch(
    command: Sequence[str], options: Options, directory: str | None = None, variables: Mapping[str, str] | None = None
) -> Outcome:
    """Run ``script args…``, ``-m module args…`` or ``-c code args…`` to its end; its streams are ours.

    ``directory``: where it runs, ``variables``: those that decide how it computes, if not ours. Raises RunError if it
    cannot be started.
    """
    environment = dict(os.environ)
    if variables is not None:
        ours = deciding_variables()
        environment = {name: x for name, x in environment.items() if name not in ours} | dict(variables)
    environment[VARIABLE] = options.to_environment()
    if options.hash_seed is not None:
        environment[HASH_SEED] = str(options.hash_seed)
    paths = [STARTUP, *filter(None, [environment.get("PYTHONPATH")])]
    environment["PYTHONPATH"] = os.pathsep.join(paths)
    flags = subprocess._args_from_interpreter_flags()  # type: ignore[attr-defined]
    arguments = [sys.executable, *flags, "-m", "nanlint.runtime.program", *command]
    sys.stdout.flush()
    sys.stderr.flush()
    try:
        process = subprocess.Popen(arguments, env=environment, cwd=directory)
    except OSError as error:
        raise RunError(f"the program could not be started: {reason(error)}") from None
    with _signals_go_to(process):
        code = process.wait()
    if code < 0:
        return Outcome(128 - code, signal.Signals(-code).name)
    return Outcome(code)


@contextlib.contextmanager
def _signals_go_to(process: subprocess.Popen[bytes]) -> Iterator[None]:
    """While the program runs, signals to us are for it. Ctrl-C reaches it by itself, as it is in our process group."""

    def forward(number: int, _: FrameType | None) -> None:
        with contextlib.suppress(OSError):
            process.send_signal(number)

    before = {}
    for name in (*_FORWARDED, "SIGINT"):
        number = getattr(signal, name, None)
        if number is not None:
            with contextlib.suppress(OSError, ValueError):
                before[number] = signal.signal(number, signal.SIG_IGN if name == "SIGINT" else forward)
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
