"""Everyday commands beside Ruff's: one of each kind ends with the same exit code, and prints where Ruff does."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from nanlint.cli import cli

#: one unused import for Ruff, and one finding of a toy rule
BAD = "import os\n\nfrom torch import boom, calm\n\ncalm(boom(1))\n"
GOOD = "from torch import calm\n\ncalm(1)\n"

pytestmark = pytest.mark.usefixtures("toy_rules")


@pytest.fixture
def files(project: Path) -> Path:
    for name, text in {"bad.py": BAD, "good.py": GOOD, "broken.py": "def f(:\n", "broken.toml": "a = [\n"}.items():
        (project / name).write_text(text, encoding="utf-8")
    return project


@pytest.mark.parametrize(
    ("command", "stdin"),
    [
        ("check bad.py", None),
        ("check good.py", None),
        ("check --fix bad.py", None),
        ("check --fix --exit-non-zero-on-fix bad.py", None),
        ("check --fix-only bad.py", None),
        ("check --diff bad.py", None),
        ("check --exit-zero bad.py", None),
        ("check --statistics bad.py", None),
        ("check --select XYZ bad.py", None),
        ("check --nonsense", None),
        ("check --config broken.toml bad.py", None),
        ("check broken.py", None),
        ("check --fix -", BAD),
        ("check --stdin-filename bad.py -", BAD),
        ("rule XYZ", None),
        ("nonsense", None),
    ],
)
def test_exit_codes_and_streams_are_ruffs(command: str, stdin: str | None, files: Path) -> None:
    arguments = command.split()
    ours = CliRunner().invoke(cli, arguments, input=stdin)
    (files / "bad.py").write_text(BAD, encoding="utf-8")
    ruff = [sys.executable, "-m", "ruff", *arguments]
    theirs = subprocess.run(ruff, cwd=files, input=stdin, capture_output=True, text=True, check=False)
    assert (ours.exit_code, bool(ours.stdout)) == (theirs.returncode, bool(theirs.stdout)), (ours.output, theirs)


def test_a_path_that_does_not_exist_is_an_error_and_no_finding(files: Path) -> None:
    """Unlike Ruff's 1: see docs/command-line.md."""
    assert CliRunner().invoke(cli, ["check", "gone.py"]).exit_code == 2
    assert CliRunner().invoke(cli, ["check", "gone.py", "good.py"]).exit_code == 1
