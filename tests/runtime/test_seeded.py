"""Programs in which one nan or inf is born: the line to blame, marked ``# born``, is found, and no other."""

from __future__ import annotations

import importlib.util
import shlex
from functools import cache
from pathlib import Path

import pytest

from nanlint.runtime.events import Birth
from tests.runtime.running import together

SEEDED = Path(__file__).with_name("seeded")
PROGRAMS = sorted(SEEDED.glob("*/*.py"))
MARK = "# born"


@cache
def births_in(framework: str, directory: Path) -> dict[str, list[Birth]]:
    """The births in all programs of a framework, by file."""
    programs = sorted((SEEDED / framework).glob("*.py"))
    ran, births = together(*(shlex.quote(str(program)) for program in programs), cwd=directory, run=framework)
    assert ran.stderr.count("Traceback") == 0, ran.stderr
    assert births.keys() <= {program.name for program in programs}
    return births


@pytest.mark.slow
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_the_line_to_blame_is_found(program: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    framework = program.parent.name
    if importlib.util.find_spec(framework) is None:
        pytest.skip(f"{framework} is not installed")
    marked = [number for number, line in enumerate(program.read_text("utf-8").splitlines(), 1) if MARK in line]
    assert len(marked) == 1, f"{program.name} marks one line with {MARK}"
    births = births_in(framework, tmp_path_factory.getbasetemp()).get(program.name, [])
    assert births, "nothing was reported"
    assert {(birth.forward or birth.frames)[0].line for birth in births} == set(marked)
    assert any(birth.backward for birth in births) == ("backward" in program.stem)


def test_there_are_programs_for_every_framework() -> None:
    assert len(PROGRAMS) >= 40
    assert {path.parent.name for path in PROGRAMS} == {"torch", "tensorflow", "keras", "jax", "numpy"}
