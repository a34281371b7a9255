"""The guide of `nanlint inspect` shows what is printed, and the command does what the guide says."""

from __future__ import annotations

import math
import os
import shlex
from pathlib import Path

import pytest

from nanlint.testing import blocks
from tests.runtime.running import ROOT, nanlint, python

pytest.importorskip("numpy")
GUIDE = (ROOT / "docs" / "inspect.md").read_text("utf-8")
CONSOLES = blocks(GUIDE, "text")


@pytest.fixture(scope="module")
def directory(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the guide's program was run."""
    found = tmp_path_factory.mktemp("guide")
    program = next(block for block in blocks(GUIDE, "python") if block.startswith("# train.py"))
    (found / "train.py").write_text(program.partition("\n")[2])
    losses = [0.5 if step < 40 else 0.5 * 1.5 ** (step - 40) for step in range(80)] + [math.nan] * 5
    rows = (f"{step},{loss},{0.9 - 0.2 / (step + 1)}" for step, loss in enumerate(losses))
    (found / "metrics.csv").write_text("\n".join(["step,loss,accuracy", *rows, ""]))
    ran = nanlint("verify", "--watch", "all", "--run-dir", "run", "--", "train.py", cwd=found)
    assert ran.code == 1, ran.stderr
    return found


@pytest.mark.parametrize("console", CONSOLES, ids=lambda console: console.partition("\n")[0])
def test_the_guide_shows_what_is_printed(directory: Path, console: str) -> None:
    command, _, expected = console.partition("\n")
    ran = nanlint(*shlex.split(command)[2:], cwd=directory)
    assert (ran.stdout + ran.stderr).replace(f"{directory}{os.sep}", "") == expected
    assert ran.code == (2 if expected.startswith("error: ") else 0)


def test_commands_are_read_from_a_pipe(directory: Path) -> None:
    ran = nanlint("inspect", "run", cwd=directory, stdin="verdicts\nfrobnicate\nquit\nalerts\n")
    assert ran.stderr == ""
    assert "NL104" in ran.stdout
    assert 'error: unknown command "frobnicate"' in ran.stdout
    assert ran.stdout.count("-inf first appeared in log") == 1
    assert ran.code == 0


def test_the_page_is_written_where_it_is_asked_for(directory: Path) -> None:
    ran = nanlint("inspect", "run", "--no-open", cwd=directory)
    assert ran.stdout == f"{Path('run', 'inspect.html')}\n"
    assert (directory / "run" / "inspect.html").exists()
    ran = nanlint("inspect", "run", "--output-file", "page.html", "--no-open", cwd=directory)
    assert ran.stdout == "page.html\n"
    assert "NL104" in (directory / "page.html").read_text("utf-8")


def test_the_last_run_is_the_one_that_is_meant(directory: Path) -> None:
    nothing = nanlint("inspect", "-c", "alerts", cwd=directory)
    assert nothing.stderr.startswith("error: .nanlint/runs: there is no run")
    assert nothing.code == 2
    nanlint("verify", "--", "-c", "1", cwd=directory)
    assert nanlint("inspect", "-c", "alerts", cwd=directory).stdout == "no alerts: no problem was seen\n"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("nowhere",), "error: nowhere: no such run"),
        ((".",), "error: .: contains no run of nanlint verify"),
        (("--tfdbg", "run"), "error: run: contains no dump of TensorFlow's Debugger V2"),
        (("run", "--tfdbg", "run"), "Error: RUN and --tfdbg cannot be combined"),
        (("run", "--no-open", "--output-file", "no/page.html"), "error: no/page.html: could not be written"),
    ],
)
def test_what_cannot_be_shown_is_said(directory: Path, arguments: tuple[str, ...], message: str) -> None:
    ran = nanlint("inspect", *arguments, cwd=directory)
    assert message in ran.stderr
    assert "Traceback" not in ran.stderr
    assert ran.code == 2


def test_no_framework_is_imported_to_look_at_a_run(directory: Path) -> None:
    program = (
        "import sys; from nanlint.cli import cli; "
        "cli(['inspect', 'run', '--output-file', 'page.html', '--no-open'], standalone_mode=False); "
        "print(sorted({'torch', 'tensorflow', 'jax', 'numpy'} & set(sys.modules)))"
    )
    assert python("-c", program, cwd=directory).stdout.splitlines()[-1] == "[]"
