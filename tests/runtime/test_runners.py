"""A program that another one compiles and runs is probed as well, and what lies in a zip archive."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest

from tests.runtime.running import verify

pytest.importorskip("numpy")

TRAIN = """
import sys
import numpy as np

def entropy(p):
    return -(p * np.log(p)).sum()

if __name__ == "__main__":
    print(float(entropy(np.array([0.0, 1.0]))), sys.argv[1:])
"""
FINDING = [("NL104", "confirmed")]


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    (tmp_path / "train.py").write_text(TRAIN, "utf-8")
    return tmp_path


@pytest.mark.parametrize(
    "runner",
    [
        ("-m", "coverage", "run", "--include=train.py", "train.py", "a"),
        ("-m", "pdb", "-c", "continue", "-c", "quit", "train.py", "a"),
        ("-c", "import runpy, sys; runpy.run_path('train.py', run_name='__main__')", "a"),
        ("-c", "import runpy; runpy.run_module('train', run_name='__main__')", "a"),
    ],
    ids=lambda runner: runner[1].split()[0],
)
def test_what_another_program_runs_is_probed(runner: tuple[str, ...], directory: Path) -> None:
    if "coverage" in runner:
        pytest.importorskip("coverage")
    ran = verify(*runner, cwd=directory, stdin="")
    assert ran.verdicts() == FINDING
    assert "nan ['a']" in ran.stdout


def test_modules_in_an_archive_are_probed(directory: Path) -> None:
    source = TRAIN + "print(__loader__.get_source(__name__))\n"
    with zipfile.ZipFile(directory / "app.zip", "w") as archive:
        archive.writestr("lib/__init__.py", "")
        archive.writestr("lib/entropies.py", source)
    program = (
        "import sys; sys.path.insert(0, 'app.zip'); import lib.entropies as e, numpy as np; e.entropy(np.zeros(2))"
    )
    ran = verify("-c", program, cwd=directory)
    assert ran.verdicts() == FINDING
    assert ran.stdout == f"{source}\n"


def test_what_is_compiled_of_other_text_is_left_as_it_is(directory: Path) -> None:
    other = "code = compile('import numpy as np\\nprint(np.log(np.zeros(1) * 0))', 'train.py', 'exec'); exec(code)"
    ran = verify("-c", other, cwd=directory)
    assert ran.verdicts() == [("NL104", "not watched")]  # the file on disk is not what ran
    assert ran.code == 1  # what NumPy computed there is told


def test_what_compiles_hands_its_future_on(directory: Path) -> None:
    compiled = "exec(compile('x: missing = 1\\nprint(__annotations__)', '<text>', 'exec'))"
    (directory / "main.py").write_text(f"from __future__ import annotations\n{compiled}\n")
    assert verify("main.py", cwd=directory).stdout == "{'x': 'missing'}\n"
