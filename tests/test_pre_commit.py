"""The hooks of ``.pre-commit-hooks.yaml``, run by the real pre-commit from a repository that holds this program."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
pytest.importorskip("pre_commit", reason="pre-commit is not installed")
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed"),
]

LOSS = "import torch\n\n\ndef nll(logits):\n    return -torch.log(torch.softmax(logits, -1))\n"
NOTEBOOK = (
    '{"cells": [{"cell_type": "code", "execution_count": null, "metadata": {}, "outputs": [], "source": '
    '["import torch\\n", "y = torch.log(torch.softmax(x, -1))"]}], "metadata": {}, "nbformat": 4, "nbformat_minor": 4}'
)
PreCommit = Callable[..., subprocess.CompletedProcess[str]]


def _git(directory: Path, *arguments: str) -> str:
    who = ("-c", "user.name=n", "-c", "user.email=n@example.org", "-c", "commit.gpgsign=false")
    ended = subprocess.run(["git", *who, *arguments], cwd=directory, capture_output=True, text=True, check=True)
    return ended.stdout.strip()


def _committed(directory: Path) -> str:
    _git(directory, "init", "--quiet", "--initial-branch=main")
    _git(directory, "add", "--force", ".")
    _git(directory, "commit", "--quiet", "--no-verify", "-m", "all")
    return _git(directory, "rev-parse", "HEAD")


@pytest.fixture(scope="module")
def hooks(tmp_path_factory: pytest.TempPathFactory) -> Callable[[Path], PreCommit]:
    """Sets a project up with both hooks; gives pre-commit, which makes one environment for all of the tests."""
    program = tmp_path_factory.mktemp("nanlint")
    for name in ("pyproject.toml", "README.md", "LICENSE", ".pre-commit-hooks.yaml"):
        shutil.copy(ROOT / name, program)
    shutil.copytree(ROOT / "nanlint", program / "nanlint", ignore=shutil.ignore_patterns("__pycache__"))
    revision = _committed(program)
    environment = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith("GIT_") and name not in ("PYTHONPATH", "PRE_COMMIT_HOME")
    }
    environment |= {
        "PRE_COMMIT_HOME": str(tmp_path_factory.mktemp("home")),
        "PIP_NO_COMPILE": "1",
        "PIP_DISABLE_PIP_VERSION_CHECK": "1",
    }

    def set_up(project: Path) -> PreCommit:
        hooks = "".join(f"      - id: {name}\n" for name in ("nanlint", "nanlint-fix"))
        (project / ".pre-commit-config.yaml").write_text(
            f"repos:\n  - repo: {program}\n    rev: {revision}\n    hooks:\n{hooks}"
        )
        _committed(project)

        def run(*arguments: str) -> subprocess.CompletedProcess[str]:
            return subprocess.run(
                [sys.executable, "-m", "pre_commit", *arguments],
                cwd=project,
                env=environment,
                capture_output=True,
                text=True,
                check=False,
            )

        return run

    return set_up


@pytest.fixture
def pre_commit(project: Path, hooks: Callable[[Path], PreCommit]) -> PreCommit:
    """pre-commit in a project with two bugs that can be fixed, a calm file and one that is excluded."""
    (project / "loss.py").write_text(LOSS)
    (project / "book.ipynb").write_text(NOTEBOOK)
    (project / "calm.py").write_text("import torch\n")
    (project / "generated").mkdir()
    (project / "generated" / "loss.py").write_text(LOSS)
    (project / "nanlint.toml").write_text('extend-exclude = ["generated"]\n')
    run = hooks(project)
    prepared = run("install-hooks")
    if prepared.returncode and ("No matching distribution" in prepared.stdout or "onnection" in prepared.stdout):
        pytest.skip("pip reaches no package index, so pre-commit cannot make an environment")
    assert prepared.returncode == 0, prepared.stdout
    return run


def test_a_bug_fails_the_hook_the_other_hook_fixes_it_and_then_both_pass(project: Path, pre_commit: PreCommit) -> None:
    found = pre_commit("run", "nanlint", "--all-files")
    assert found.returncode == 1
    assert "loss.py:5:13 NL101" in found.stdout
    assert "book.ipynb:cell 1:2:5 NL101" in found.stdout
    assert "generated" not in found.stdout
    assert (project / "loss.py").read_text() == LOSS

    fixed = pre_commit("run", "nanlint-fix", "--all-files")
    assert fixed.returncode == 1, "files were changed, so the commit must wait"
    assert (project / "loss.py").read_text() == LOSS.replace(
        "torch.log(torch.softmax(logits, -1))", "torch.log_softmax(logits, -1)"
    )
    assert "torch.log_softmax(x, -1)" in (project / "book.ipynb").read_text()
    assert (project / "generated" / "loss.py").read_text() == LOSS

    for hook in ("nanlint", "nanlint-fix"):
        passed = pre_commit("run", hook, "--all-files")
        assert (passed.returncode, "Passed" in passed.stdout) == (0, True), passed.stdout


def test_a_helper_that_changes_fails_the_hook_for_the_file_that_it_breaks(project: Path, pre_commit: PreCommit) -> None:
    (project / "helper.py").write_text("import torch\n\n\ndef share(x):\n    return torch.softmax(x, -1)\n")
    user = LOSS.replace("torch\n", "torch, helper\n", 1).replace("torch.softmax(logits, -1)", "helper.share(logits)")
    (project / "user.py").write_text(user)
    _git(project, "add", "helper.py", "user.py")
    found = pre_commit("run", "nanlint", "--files", "helper.py")
    assert (found.returncode, "user.py:5:13 NL101" in found.stdout) == (1, True), found.stdout


def test_the_manifest_is_valid() -> None:
    ended = subprocess.run(
        [sys.executable, "-m", "pre_commit", "validate-manifest", str(ROOT / ".pre-commit-hooks.yaml")],
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode == 0, ended.stdout
