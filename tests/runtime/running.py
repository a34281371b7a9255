"""Runs programs under `nanlint verify`, and without it, in processes of their own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
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
    """Ours, with this nanlint in reach and no colour."""
    return {**os.environ, "PYTHONPATH": str(ROOT), "NO_COLOR": "1", "TF_CPP_MIN_LOG_LEVEL": "3"}


def python(*arguments: str, cwd: Path, stdin: str | None = None) -> Ran:
    """As the user runs it by hand."""
    done = subprocess.run(
        [sys.executable, *arguments],
        cwd=cwd, env=environment(), input=stdin, capture_output=True, text=True, timeout=SECONDS, check=False,
    )  # fmt: skip
    return Ran(done.returncode, done.stdout, done.stderr)


def verify(*arguments: str, cwd: Path, options: tuple[str, ...] = (), stdin: str | None = None) -> Ran:
    """Under `nanlint verify`; standard error is the program's alone, as the report goes to a file."""
    report = cwd / "report.json"
    ran = python(
        *("-m", "nanlint", "verify", *options, "--output-format", "json", "--output-file", str(report), "--"),
        *arguments, cwd=cwd, stdin=stdin,
    )  # fmt: skip
    found = json.loads(report.read_text("utf-8")) if report.exists() else None
    return Ran(ran.code, ran.stdout, ran.stderr, found)
