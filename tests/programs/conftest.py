"""Executes the programs of a test run, one subprocess a framework family, each family once.

A family is one process because frameworks start slowly, and one process is one family because they do not mix:
``disable_v2_behavior`` is for the whole process.
"""

from __future__ import annotations

import json
import math
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

EXECUTE = Path(__file__).with_name("execute.py")
TIMEOUT_SECONDS = 240


@dataclass(frozen=True)
class Outcome:
    """What one program returned: for each key its numbers, or None where it returned None."""

    result: dict[str, list[float] | None]

    @property
    def numbers(self) -> list[float]:
        return [number for part in self.result.values() for number in part or []]

    @property
    def is_finite(self) -> bool:
        return all(math.isfinite(number) for number in self.numbers)


def family(path: Path) -> str:
    """The process that ``path`` runs in, from its name: ``bad_torch_x.py`` in a fixture, ``torch_x.py`` in examples."""
    words = path.stem.split("_")
    framework = words[1] if words[0] in {"bad", "good"} else words[0]
    return {"scipy": "numpy", "tf2": "tf", "tape": "tf"}.get(framework, framework)


def run(function: str, paths: list[Path]) -> dict[Path, dict[str, object]]:
    """The JSON line of each of ``paths``, all of one family; a program that took the process down has none."""
    environment = {
        **os.environ,
        "CUDA_VISIBLE_DEVICES": "",
        "JAX_PLATFORMS": "cpu",
        "KERAS_BACKEND": "tensorflow",
        "PYTHONDONTWRITEBYTECODE": "1",
        "TF_CPP_MIN_LOG_LEVEL": "3",
    }
    child = subprocess.run(
        [sys.executable, str(EXECUTE), function, *map(str, paths)],
        capture_output=True,
        text=True,
        env=environment,
        timeout=TIMEOUT_SECONDS,
        check=False,
    )
    lines = [json.loads(line) for line in child.stdout.splitlines() if line.startswith("{")]
    found = {Path(line["path"]): line for line in lines}
    died = {"error": f"the process ended with {child.returncode}\n{child.stderr[-4000:]}"}
    return {path: found.get(path, died) for path in paths}


@pytest.fixture(scope="session")
def execute(request: pytest.FixtureRequest) -> Callable[[str, Path], Outcome]:
    """``execute(function, path)``: the outcome of the function in the program, run beside the others of its family."""
    lines: dict[tuple[str, Path], dict[str, object]] = {}

    def selected(function: str, kind: str) -> list[Path]:
        calls = (getattr(item, "callspec", None) for item in request.session.items)
        paths = {call.params["program"] for call in calls if call is not None and "program" in call.params}
        return sorted(p for p in paths if family(p) == kind and (function == "main") == (p.parent.name == "examples"))

    def outcome(function: str, path: Path) -> Outcome:
        if (function, path) not in lines:
            for program, line in run(function, selected(function, family(path))).items():
                lines[function, program] = line
        line = lines[function, path]
        if "missing" in line:
            pytest.skip(f"{line['missing']} is not installed")
        assert "error" not in line, line["error"]
        result = line["result"]
        assert isinstance(result, dict)
        return Outcome({key: None if part is None else [float(n) for n in part] for key, part in result.items()})

    return outcome
