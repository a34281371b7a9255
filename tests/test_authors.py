"""The tutorial for authors does what it says, in a project made of its own files; a scaffold passes as written."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from nanlint.testing import blocks

ROOT = Path(__file__).parents[1]
GUIDE = (ROOT / "docs" / "authors.md").read_text(encoding="utf-8")


def run(command: str, project: Path) -> subprocess.CompletedProcess[str]:
    """A command of the guide, in a shell whose ``nanlint`` and ``python`` are those under test."""
    bin_directory = project.parent / "bin"
    bin_directory.mkdir(exist_ok=True)
    for name, line in (("nanlint", f'"{sys.executable}" -m nanlint'), ("python", f'"{sys.executable}"')):
        script = bin_directory / name
        script.write_text(f'#!/bin/sh\nexec {line} "$@"\n', encoding="utf-8")
        script.chmod(0o755)
    environment = {
        **os.environ,
        "PATH": f"{bin_directory}{os.pathsep}{os.environ['PATH']}",
        "PYTHONPATH": str(ROOT),
        "XDG_CONFIG_HOME": str(project.parent / "home"),
        "PYTEST_ADDOPTS": "",
        "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
    }
    return subprocess.run(
        command, shell=True, cwd=project, env=environment, capture_output=True, text=True, check=False
    )


def test_the_tutorial_does_what_it_says(tmp_path: Path) -> None:
    """Its files are written and its commands run in the order in which they stand there."""
    project = tmp_path / "project"
    project.mkdir()
    commands = 0
    for _, kind, block in re.findall(r"^(`{3,4})(python|text|markdown)\n(.*?)^\1$", GUIDE, re.DOTALL | re.MULTILINE):
        first, _, rest = block.partition("\n")
        if first.startswith("$ "):
            done = run(first.removeprefix("$ "), project)
            shown = done.stdout + "".join(line for line in done.stderr.splitlines(keepends=True) if "error" in line)
            shown = re.sub(r"\d+ passed in .*\n", "", shown)
            assert shown == rest, f"{first}\n{done.stdout}{done.stderr}"
            commands += 1
        else:
            assert kind == "python" or first.startswith("# ")
            path = project / first.removeprefix("# ")
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(rest, encoding="utf-8")
    assert commands >= 5


def test_the_rule_of_the_tutorial_has_a_page(tmp_path: Path) -> None:
    (rule,) = [block for block in blocks(GUIDE, "python") if block.startswith("# tools/")]
    (tmp_path / "rule.py").write_text(rule, encoding="utf-8")
    (tmp_path / "nanlint.toml").write_text('rules = ["rule.py"]\n', encoding="utf-8")
    run("nanlint trust", tmp_path)
    told = "write inverse-softplus-at-zero.md beside it, or a docstring"
    assert told in run("nanlint rule ACME101", tmp_path).stderr
    page = re.search(r"^````markdown\n# .*?\n(.*?)^````$", GUIDE, re.DOTALL | re.MULTILINE)
    assert page is not None
    (tmp_path / "inverse-softplus-at-zero.md").write_text(page[1], encoding="utf-8")
    shown = run("nanlint rule ACME101", tmp_path).stdout
    assert shown.startswith("# inverse-softplus-at-zero (ACME101)\n")
    assert shown.endswith(page[1])


def test_a_scaffold_passes_as_it_is_written_and_is_never_overwritten(tmp_path: Path) -> None:
    first = run("nanlint new-rule log-of-counts --tests checks --path lint", tmp_path)
    assert first.stdout.startswith(
        "wrote lint/log_of_counts.py\nwrote lint/log-of-counts.md\nwrote checks/test_log_of_counts.py\n"
    )
    (tmp_path / "pyproject.toml").write_text('[tool.nanlint]\nrules = ["lint/*.py"]\n', encoding="utf-8")
    run("nanlint trust", tmp_path)
    second = run("nanlint new-rule 2nd --tests checks", tmp_path)
    assert second.stdout == "wrote lint/2nd.py\nwrote lint/2nd.md\nwrote checks/test_2nd.py\n"
    assert "OWN102" in (tmp_path / "lint" / "2nd.py").read_text(encoding="utf-8")
    passed = run("python -m pytest -q", tmp_path)
    assert "4 passed" in passed.stdout, passed.stdout
    before = (tmp_path / "lint" / "log_of_counts.py").read_bytes()
    (tmp_path / "checks" / "test_log_of_counts.py").unlink()
    again = run("nanlint new-rule log-of-counts --code OWN200 --path lint", tmp_path)
    assert (again.returncode, again.stdout) == (2, "")
    assert "is taken" in again.stderr
    again = run("nanlint new-rule other --code OWN200 --path lint --tests checks/test_2nd.py", tmp_path)
    assert again.returncode == 2
    assert not (tmp_path / "lint" / "other.py").exists()
    assert (tmp_path / "lint" / "log_of_counts.py").read_bytes() == before


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("where-gradient", "the name where-gradient is taken, by where-gradient (NL203)"),
        ("mine --code NL900", "NL is for nanlint's own rules"),
        ("mine --code 12", "must be capital letters and digits"),
        ("'not a name!'", "must be words in lower case"),
    ],
)
def test_a_name_that_cannot_be_is_an_error(arguments: str, message: str, tmp_path: Path) -> None:
    done = run(f"nanlint new-rule {arguments}", tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert message in done.stderr
    assert not list(tmp_path.iterdir())
