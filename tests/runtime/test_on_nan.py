"""``--on-nan``: stop at the birth, or look around there."""

from __future__ import annotations

import textwrap
from pathlib import Path

import pytest

from tests.runtime.running import verify

pytest.importorskip("numpy")

PROGRAM = """
import numpy as np


def softmax(z):
    e = np.exp(z)
    return e / e.sum()


for scale in (1.0, 1000.0, 2000.0):
    softmax(np.array([0.0, scale]))
    print(scale)
"""


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    (tmp_path / "train.py").write_text(textwrap.dedent(PROGRAM).lstrip())
    return tmp_path


def test_the_program_goes_on_by_default(directory: Path) -> None:
    assert verify("train.py", cwd=directory).stdout == "1.0\n1000.0\n2000.0\n"


def test_stop_ends_the_program_at_the_line_of_the_birth(directory: Path) -> None:
    ran = verify("train.py", cwd=directory, options=("--on-nan", "stop"))
    assert ran.stdout == "1.0\n"
    assert ran.code == 1
    trace = [line for line in ran.stderr.splitlines() if "Warning" not in line]
    assert "    return e / e.sum()" in trace
    assert "train.py:6:12 NL401 confirmed" in trace[-1]
    assert "runtime" not in "".join(line for line in trace if line.startswith("  File"))


def test_debug_is_at_the_line_of_the_birth_with_its_tensors(directory: Path) -> None:
    commands = "p nanlint_tensors['a'].tolist()\np z.tolist()\nw\nc\nq\n"
    ran = verify("train.py", cwd=directory, options=("--on-nan", "debug"), stdin=commands)
    assert "[1.0, inf]" in ran.stdout
    assert "[0.0, 1000.0]" in ran.stdout
    assert "softmax()" in ran.stdout
    assert ran.stdout.splitlines()[-1].endswith("2000.0")  # told once, then it goes on


def test_quitting_the_debugger_ends_the_program(directory: Path) -> None:
    ran = verify("train.py", cwd=directory, options=("--on-nan", "debug"), stdin="q\n")
    assert ran.code == 1
    assert "2000.0" not in ran.stdout


def test_one_can_step_on_from_the_birth(directory: Path) -> None:
    ran = verify("train.py", cwd=directory, options=("--on-nan", "debug"), stdin="n\nn\np scale\nc\n")
    assert "1000.0" in ran.stdout
    assert "2000.0" in ran.stdout
