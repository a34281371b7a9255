"""Which findings are new since a revision, in a real git repository."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner

from nanlint.cli import cli

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")

OLD = """\
import torch


def old(logits):
    return -torch.log(torch.softmax(logits, -1))
"""
NEW = """\


def new(scores):
    return torch.log(torch.softmax(scores, -1))
"""
MODEL = "import torch\n\nfrom helper import normalised\n\n\ndef nll(x):\n    return -torch.log(normalised(x))\n"


@pytest.fixture
def git(project: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """git in a repository with one commit on main, at a branch of it."""
    for variable in ("GIT_DIR", "GIT_INDEX_FILE", "GIT_WORK_TREE"):
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", "/dev/null")

    def run(*arguments: str) -> None:
        who = ("-c", "user.name=n", "-c", "user.email=n@example.org", "-c", "commit.gpgsign=false")
        subprocess.run(["git", *who, *arguments], cwd=project, capture_output=True, check=True)

    run("init", "--quiet", "--initial-branch=main")
    (project / "loss.py").write_text(OLD)
    (project / "helper.py").write_text("import torch\n\n\ndef normalised(x):\n    return torch.exp(x) + 1\n")
    (project / "model.py").write_text(MODEL)
    run("add", ".")
    run("commit", "--quiet", "-m", "one")
    run("checkout", "--quiet", "-b", "mine")
    return run


def _states() -> dict[tuple[str, int], str]:
    """The state of the findings since main, as SARIF has it, by file and line."""
    ended = CliRunner().invoke(cli, ["check", "--isolated", "--changed-since", "main", "--output-format", "sarif"])
    assert ended.exit_code in (0, 1), ended.stderr
    found = {}
    for one in json.loads(ended.stdout)["runs"][0]["results"]:
        place = one["locations"][0]["physicalLocation"]
        found[place["artifactLocation"]["uri"], place["region"]["startLine"]] = one["baselineState"]
    return found


def test_a_finding_that_was_there_is_not_new_though_its_lines_moved(project: Path, git: Callable[..., None]) -> None:
    (project / "loss.py").write_text("import math\n" + OLD + NEW)
    git("commit", "--quiet", "-am", "two")
    assert _states() == {("loss.py", 6): "unchanged", ("loss.py", 10): "new"}


def test_in_a_renamed_file_only_what_was_added_is_new(project: Path, git: Callable[..., None]) -> None:
    git("mv", "loss.py", "losses.py")
    (project / "losses.py").write_text(OLD + NEW)
    git("commit", "--quiet", "-am", "two")
    assert _states() == {("losses.py", 5): "unchanged", ("losses.py", 9): "new"}


def test_all_of_a_new_file_is_new_whether_it_is_committed_or_not(project: Path, git: Callable[..., None]) -> None:
    (project / "added.py").write_text(OLD)
    git("add", ".")
    git("commit", "--quiet", "-m", "two")
    (project / "untracked.py").write_text(OLD)
    assert _states() == {("added.py", 5): "new", ("untracked.py", 5): "new"}


def test_a_change_elsewhere_makes_a_finding_new_in_a_file_that_is_as_it_was(
    project: Path, git: Callable[..., None]
) -> None:
    (project / "helper.py").write_text("import torch\n\n\ndef normalised(x):\n    return torch.softmax(x, -1)\n")
    assert _states() == {("model.py", 7): "new"}


def test_what_was_fixed_and_made_again_elsewhere_is_new(project: Path, git: Callable[..., None]) -> None:
    (project / "loss.py").write_text(OLD.replace("torch.log(torch.softmax(logits, -1))", "logits") + NEW)
    assert _states() == {("loss.py", 9): "new"}


def test_the_summary_lists_the_new_ones(project: Path, git: Callable[..., None]) -> None:
    (project / "loss.py").write_text(OLD + NEW)
    arguments = ["check", "--isolated", "--changed-since", "main", "--output-format", "markdown"]
    text = CliRunner().invoke(cli, arguments).stdout
    assert text.startswith("## nanlint: 1 new finding\n")
    assert "1 earlier finding is not listed." in text
    assert "`loss.py:9:12`" in text
    assert "torch.log(torch.softmax(logits" not in text
