"""Executes the programs of a test run, one subprocess a framework family, each family once.

A family is one process because frameworks start slowly, and one process is one family because they do not mix:
``disable_v2_behavior`` is for the whole process.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.programs.fixtures import PROGRAMS, Program, family, run


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


@pytest.fixture(scope="session")
def fixed(tmp_path_factory: pytest.TempPathFactory) -> Callable[[Program], Path | None]:
    """``fixed(program)``: where what its fixes make of a bad program is written; None where they do not apply."""
    directory, known = tmp_path_factory.mktemp("fixed"), dict[Program, Path | None]()

    def written(program: Program) -> Path | None:
        if program not in known:
            found = program.mended()
            path = directory / program.rule / f"fixed_{program.path.name.removeprefix('bad_')}"
            if found is not None:
                path.parent.mkdir(exist_ok=True)
                path.write_text(found[0], encoding="utf-8")
            known[program] = path if found is not None else None
        return known[program]

    return written


@pytest.fixture(scope="session")
def execute(request: pytest.FixtureRequest, fixed: Callable[[Program], Path | None]) -> Callable[[str, Path], Outcome]:
    """``execute(function, path)``: the outcome of the function in the program, run beside the others of its family."""
    lines: dict[tuple[str, Path], dict[str, object]] = {}

    def selected(function: str, kind: str) -> list[Path]:
        calls = (getattr(item, "callspec", None) for item in request.session.items)
        chosen = {call.params["program"] for call in calls if call is not None and "program" in call.params}
        if function == "main":
            paths = {path for path in chosen if isinstance(path, Path)}
        else:
            programs = [program for program in PROGRAMS if program in chosen and family(program.path) == kind]
            mended = (fixed(program) for program in programs if program.is_bad)
            paths = {*(program.path for program in programs), *(path for path in mended if path is not None)}
        return sorted(path for path in paths if family(path) == kind)

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
