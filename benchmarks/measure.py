"""Runs of a command with the CPU they cost, and the sections of docs/measurements.md that hold the figures."""

from __future__ import annotations

import datetime
import json
import os
import platform
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
MEASUREMENTS = ROOT / "docs" / "measurements.md"
NANLINT = (sys.executable, "-m", "nanlint")
TIMEOUT = 900  # seconds, far above what any run should take


@dataclass(frozen=True)
class Run:
    """What a command printed and cost.

    ``cpu`` is user and system time with that of its children, in seconds; ``memory`` the largest of one of its
    processes, in MB.
    """

    code: int
    stdout: str
    stderr: str
    cpu: float
    wall: float
    memory: float = 0.0


#: runs a command, and writes what it and its children cost
_WATCHED = """
import json, os, resource, subprocess, sys
code = subprocess.run(sys.argv[2:]).returncode
used = resource.getrusage(resource.RUSAGE_CHILDREN)
with open(sys.argv[1], "w") as file:
    json.dump([code, used.ru_utime + used.ru_stime, used.ru_maxrss], file)
"""


def run(command: Sequence[str], cwd: Path | None = None, cache: str | None = None) -> Run:
    """Run a command to its end. ``cache``: the directory of nanlint's cache; it has none without.

    Raises:
        subprocess.TimeoutExpired: if it takes longer than TIMEOUT.
    """
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "NO_COLOR": "1", "NANLINT_NO_CACHE": "" if cache else "1"}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    if cache is not None:
        environment |= {"NANLINT_CACHE_DIR": cache, "RUFF_CACHE_DIR": f"{cache}-ruff"}
    with tempfile.TemporaryDirectory() as place:
        costs = os.path.join(place, "costs")
        start = time.perf_counter()
        done = subprocess.run(
            [sys.executable, "-I", "-c", _WATCHED, costs, *command],
            cwd=cwd,
            env=environment,
            capture_output=True,
            text=True,
            timeout=TIMEOUT,
            check=False,
        )
        wall = time.perf_counter() - start
        code, cpu, kilobytes = json.loads(Path(costs).read_text(encoding="utf-8"))
    return Run(code, done.stdout, done.stderr, cpu, wall, kilobytes / 1024)


def machine() -> str:
    """The machine in the words that a figure needs beside it."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return f"{platform.system()} {platform.machine()}, {cores} cores, Python {platform.python_version()}"


def stamp() -> str:
    """When, of which code and on which machine: the first line of each section, which .ci/release.py reads."""
    commit = _git("rev-parse", "--short=8", "HEAD")
    changed = ", changed" if _git("status", "--porcelain", "--", "nanlint") else ""
    return f"Measured on {datetime.date.today().isoformat()} at commit `{commit}`{changed}: {machine()}."


def _git(*arguments: str) -> str:
    done = subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True, check=True)
    return done.stdout.strip()


def write_section(name: str, text: str, page: Path = MEASUREMENTS) -> None:
    """Replace what is between ``<!-- name -->`` and ``<!-- /name -->``, with a stamp before it.

    Raises:
        ValueError: if the page has no such section.
    """
    start, end = f"<!-- {name} -->\n", f"<!-- /{name} -->"
    before, found, rest = page.read_text(encoding="utf-8").partition(start)
    _, closed, after = rest.partition(end)
    if not found or not closed:
        raise ValueError(f"{page.name} has no section {name!r}")
    page.write_text(f"{before}{start}\n{stamp()}\n\n{text.strip()}\n\n{end}{after}", encoding="utf-8")
