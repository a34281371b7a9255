"""Runs programs under `nanlint verify`, and without it, in processes of their own."""

from __future__ import annotations

import functools
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from nanlint.runtime.events import Birth
from nanlint.runtime.runfile import read_run
from nanlint.runtime.verdicts import births_of
from tests.runtime.forking import Forked, served_in, sets_environment

ROOT = Path(__file__).resolve().parents[2]
TOGETHER = str(Path(__file__).with_name("seeded") / "together.py")
SECONDS = 120


@dataclass(frozen=True)
class Ran:
    """What a run printed and how it ended; ``report``: of `nanlint verify --output-format json`."""

    code: int
    stdout: str
    stderr: str
    report: Any = None

    def verdicts(self) -> list[tuple[str, str]]:
        """Code and verdict of each finding."""
        return [(one["code"], one["verdict"]["state"]) for one in self.report["findings"]]


def environment() -> dict[str, str]:
    """Ours, with this nanlint in reach and no colour; what other tests set for processes that are spawned is not."""
    ours = {name: value for name, value in os.environ.items() if name != "PYTHONSAFEPATH"}
    return {**ours, "PYTHONPATH": str(ROOT), "NO_COLOR": "1", "TF_CPP_MIN_LOG_LEVEL": "3"}


def python(
    *arguments: str, cwd: Path, stdin: str | None = None, installed: Path | None = None, fresh: bool = False
) -> Ran:
    """As the user runs it by hand. ``installed``: a directory of further packages; ``fresh``: see ``verify``."""
    if not fresh and installed is None and is_forked(arguments, cwd):
        return forked(*arguments, cwd=cwd, stdin=stdin)
    path = os.pathsep.join(map(str, filter(None, (ROOT, installed))))
    env = {**environment(), "PYTHONPATH": path}
    done = subprocess.run(
        [sys.executable, *arguments],
        cwd=cwd, env=env, input=stdin, capture_output=True, text=True, timeout=SECONDS, check=False,
    )  # fmt: skip
    return Ran(done.returncode, done.stdout, done.stderr)


def nanlint(*arguments: str, cwd: Path, stdin: str | None = None) -> Ran:
    """The command."""
    if not hasattr(os, "fork"):
        return python("-m", "nanlint", *arguments, cwd=cwd, stdin=stdin)
    return forked("nanlint", *arguments, cwd=cwd, stdin=stdin)


def forked(*arguments: str, cwd: Path, stdin: str | None = None) -> Ran:
    """A script or module, with its arguments, in a fork of a process that has imported nanlint and frameworks."""
    with tempfile.TemporaryFile("w+") as given, tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        given.write(stdin or "")
        given.seek(0)
        streams = [one.fileno() for one in (given, out, err)]
        code = Forked(server(), arguments, environment(), str(cwd), streams).wait(SECONDS)
        out.seek(0), err.seek(0)
        return Ran(code, out.read().decode(), err.read().decode())


def is_forked(arguments: Sequence[str], cwd: Path) -> bool:
    """Whether it makes no difference to a script if frameworks were imported before."""
    return hasattr(os, "fork") and arguments[0].endswith(".py") and not sets_environment(str(cwd / arguments[0]))


@functools.cache
def server() -> str:
    """Where this process has its forks from."""
    return served_in(environment())


def verify(
    *arguments: str, cwd: Path, options: tuple[str, ...] = (), stdin: str | None = None, fresh: bool = False
) -> Ran:
    """Under `nanlint verify`; standard error is the program's alone, as the report goes to a file.

    ``fresh``: in processes that begin with nothing, where the start of one is what matters.
    """
    report = cwd / "report.json"
    command = "verify", *options, "--output-format", "json", "--output-file", str(report), "--", *arguments
    ran = python("-m", "nanlint", *command, cwd=cwd, stdin=stdin) if fresh else nanlint(*command, cwd=cwd, stdin=stdin)
    found = json.loads(report.read_text("utf-8")) if report.exists() else None
    return Ran(ran.code, ran.stdout, ran.stderr, found)


def together(*commands: str, cwd: Path, run: str, fresh: bool = False) -> tuple[Ran, dict[str, list[Birth]]]:
    """Programs, each with its arguments, one after the other in one process of which everything is watched.

    Also the births in each, by its name, as they came. A program that fails does not keep the others from running.
    """
    ran = verify(TOGETHER, *commands, cwd=cwd, options=("--watch", "all", "--run-dir", run), fresh=fresh)
    births: dict[str, list[Birth]] = {}
    for birth, _ in births_of(read_run(str(cwd / run))):
        for frame in (birth.forward or birth.frames)[:1]:
            births.setdefault(Path(frame.path).name, []).append(birth)
    return ran, births
