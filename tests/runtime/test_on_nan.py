"""``--on-nan``: stop at the birth, or look around there."""

from __future__ import annotations

import textwrap
from pathlib import Path

import pytest

from tests.runtime.running import python, verify

pytest.importorskip("numpy")

PROGRAM = """
import numpy as np


def entropy(p):
    return -np.sum(p * np.log(p))


for rest in (0.5, 0.0, -0.0):
    entropy(np.array([1 - rest, rest]))
    print(rest)
"""


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    (tmp_path / "train.py").write_text(textwrap.dedent(PROGRAM).lstrip())
    return tmp_path


def test_the_program_goes_on_by_default(directory: Path) -> None:
    assert verify("train.py", cwd=directory).stdout == "0.5\n0.0\n-0.0\n"


def test_stop_ends_the_program_at_the_line_of_the_birth(directory: Path) -> None:
    ran = verify("train.py", cwd=directory, options=("--on-nan", "stop"))
    assert ran.stdout == "0.5\n"
    assert ran.code == 1
    trace = [line for line in ran.stderr.splitlines() if "Warning" not in line]
    assert "    return -np.sum(p * np.log(p))" in trace
    assert "NonFinite: -inf first appeared in log (numpy, step 0): NL104" in "\n".join(trace)
    assert "runtime" not in "".join(line for line in trace if line.startswith("  File"))


def test_debug_is_at_the_line_of_the_birth_with_its_tensors(directory: Path) -> None:
    commands = "pdb\np nanlint_tensors['p'].tolist()\np p.tolist()\nw\nc\nrun\npdb\nq\n"
    ran = verify("train.py", cwd=directory, options=("--watch", "sites", "--on-nan", "debug"), stdin=commands)
    assert ran.stdout.count("[1.0, 0.0]") == 2
    assert "entropy()" in ran.stdout
    assert ran.stdout.splitlines()[-1].endswith("-0.0")  # each is told once, then it goes on


def test_quitting_the_debugger_ends_the_program(directory: Path) -> None:
    ran = verify("train.py", cwd=directory, options=("--on-nan", "debug"), stdin="q\n")
    assert ran.code == 1
    assert "-0.0" not in ran.stdout


def test_one_can_step_on_from_the_birth(directory: Path) -> None:
    commands = "pdb\nn\nrun\nu\np rest + 7\nc\nrun\nrun\n"
    ran = verify("train.py", cwd=directory, options=("--watch", "sites", "--on-nan", "debug"), stdin=commands)
    assert "7.0" in ran.stdout
    assert "-0.0" in ran.stdout


def test_a_debugger_of_the_programs_own_does_not_stop_in_what_writes(tmp_path: Path) -> None:
    (tmp_path / "stepped.py").write_text("def f(x):\n    breakpoint()\n    return x\n\nprint(f(1))\nprint(2)\n")
    plain, watched = (
        run("stepped.py", cwd=tmp_path, stdin="n\n" * 3 + "s\nq\n", fresh=True).stdout for run in (python, verify)
    )
    assert "-> print(2)" in watched
    assert watched.partition("-> print(2)")[0] == plain.partition("-> print(2)")[0]
    assert "results.py" not in watched


def test_debug_opens_the_terminal_of_inspect_at_the_birth(directory: Path) -> None:
    commands = "pt log:0\nli log\nps\n" + "run\n" * 9
    ran = verify("train.py", cwd=directory, options=("--on-nan", "debug"), stdin=commands)
    assert "nanlint> 2. log@train.py:5/result" in ran.stdout
    assert "inputs of log@train.py:5" in ran.stdout
    assert " >     5 │     return -np.sum(p * np.log(p))" in ran.stdout
    assert ran.stdout.endswith("-0.0\n")


def test_run_goes_on_to_where_the_filter_holds(directory: Path) -> None:
    commands = "run -f all_zero\nfrobnicate\n"
    ran = verify("train.py", cwd=directory, options=("--on-nan", "debug"), stdin=commands)
    assert ran.stdout.endswith("-0.0\n")
    assert "frobnicate" not in ran.stdout
    wrong = verify("train.py", cwd=directory, options=("--on-nan", "debug"), stdin="run -f no\nquit\n")
    assert 'error: unknown filter "no"' in wrong.stdout
    assert wrong.code == 1
