"""Runs of a command with the CPU they cost, and the sections of docs/measurements.md that hold the figures."""

from __future__ import annotations

import os
import platform
import subprocess
import sys
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
    """What a command printed and cost: ``cpu`` is user and system time with that of its children, in seconds."""

    code: int
    stdout: str
    stderr: str
    cpu: float
    wall: float


def run(command: Sequence[str], cwd: Path | None = None) -> Run:
    """Run a command to its end.

    Raises:
        subprocess.TimeoutExpired: if it takes longer than TIMEOUT.
    """
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "NO_COLOR": "1"}
    before, start = os.times(), time.perf_counter()
    done = subprocess.run(
        command, cwd=cwd, env=environment, capture_output=True, text=True, timeout=TIMEOUT, check=False
    )
    after, end = os.times(), time.perf_counter()
    cpu = after.children_user + after.children_system - before.children_user - before.children_system
    return Run(done.returncode, done.stdout, done.stderr, cpu, end - start)


def machine() -> str:
    """The machine in the words that a figure needs beside it."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return f"{platform.system()} {platform.machine()}, {cores} cores, Python {platform.python_version()}"


def write_section(name: str, text: str, page: Path = MEASUREMENTS) -> None:
    """Replace what stands between ``<!-- name -->`` and ``<!-- /name -->``.

    Raises:
        ValueError: if the page has no such section.
    """
    start, end = f"<!-- {name} -->\n", f"<!-- /{name} -->"
    before, found, rest = page.read_text(encoding="utf-8").partition(start)
    _, closed, after = rest.partition(end)
    if not found or not closed:
        raise ValueError(f"{page.name} has no section {name!r}")
    page.write_text(f"{before}{start}\n{text.strip()}\n\n{end}{after}", encoding="utf-8")
