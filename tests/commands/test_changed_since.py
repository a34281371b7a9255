"""``--changed-since``, with a real git repository."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from nanlint.cli import cli

pytestmark = [
    pytest.mark.usefixtures("toy_rules"),
    pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed"),
]

BOOM = "import torch\nboom(1)\n"
Git = Callable[..., str]


def _shown(*arguments: str) -> list[str]:
    result = _run("--show-files", *arguments)
    assert result.exit_code == 0, result.stderr
    return [Path(line).name for line in result.stdout.splitlines()]


def _reported(result: Result) -> list[str]:
    """Files and lines of the findings of a concise report."""
    return [":".join(line.split(":")[:2]) for line in result.stdout.splitlines() if line.count(":") > 2]


def _run(*arguments: str) -> Result:
    return CliRunner().invoke(cli, ["check", *arguments])


@pytest.fixture
def git(project: Path, monkeypatch: pytest.MonkeyPatch) -> Git:
    """git in a repository with one commit."""
    for variable in ("GIT_DIR", "GIT_INDEX_FILE", "GIT_WORK_TREE"):
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", "/dev/null")

    def run(*arguments: str) -> str:
        who = ("-c", "user.name=n", "-c", "user.email=n@example.org", "-c", "commit.gpgsign=false")
        ended = subprocess.run(["git", *who, *arguments], cwd=project, capture_output=True, text=True, check=True)
        return ended.stdout.strip()

    run("init", "--quiet", "--initial-branch=main")
    (project / "losses.py").write_text(BOOM)
    (project / "model.py").write_text("import losses, torch\nboom(2)\n")
    (project / "other.py").write_text("import torch\nboom(3)\n")
    (project / "größe.py").write_text("import torch\n")
    run("add", ".")
    run("commit", "--quiet", "-m", "one")
    return run


def test_nothing_changed_means_nothing_to_check(git: Git) -> None:
    result = _run("--changed-since", "HEAD")
    assert result.exit_code == 0
    assert "no Python files found under the given paths that changed since HEAD" in result.stderr


def test_an_edited_file_is_checked_with_those_that_import_it(project: Path, git: Git) -> None:
    (project / "losses.py").write_text(BOOM + "boom(4)\n")
    assert _shown("--changed-since", "HEAD") == ["losses.py", "model.py"]
    result = _run("--changed-since", "HEAD", "--output-format", "concise")
    assert _reported(result) == ["losses.py:3"]
    assert result.stdout.endswith("\n2 findings not shown: there before HEAD.\n")


def test_staged_committed_renamed_and_untracked_files_count_and_ignored_ones_do_not(project: Path, git: Git) -> None:
    (project / "staged.py").write_text(BOOM)
    git("add", "staged.py")
    (project / "größe.py").write_text(BOOM)
    git("commit", "--quiet", "-m", "two", "größe.py")
    git("mv", "other.py", "renamed.py")
    (project / "new").mkdir()
    (project / "new" / "untracked.py").write_text(BOOM)
    (project / ".gitignore").write_text("ignored.py\n")
    (project / "ignored.py").write_text(BOOM)
    assert _shown("--changed-since", "HEAD~1") == ["größe.py", "untracked.py", "renamed.py", "staged.py"]


def test_a_file_that_was_deleted_is_no_file_to_check(project: Path, git: Git) -> None:
    (project / "other.py").unlink()
    assert _shown("--changed-since", "HEAD") == []


def test_a_helper_is_checked_when_a_file_that_uses_it_has_changed(project: Path, git: Git) -> None:
    (project / "model.py").write_text("import losses, torch\n")
    assert _shown("--changed-since", "HEAD") == ["losses.py", "model.py"]


@pytest.mark.parametrize("change", [("rm", "losses.py"), ("mv", "losses.py", "criteria.py")])
def test_who_imports_what_is_gone_is_checked(git: Git, change: tuple[str, ...]) -> None:
    git(*change)
    assert _shown("--changed-since", "HEAD") == [*change[2:], "model.py"]


def test_what_others_have_done_since_the_branch_began_is_no_change(project: Path, git: Git) -> None:
    git("checkout", "--quiet", "-b", "mine")
    (project / "other.py").write_text("import torch\n")
    git("commit", "--quiet", "-am", "mine")
    git("checkout", "--quiet", "main")
    (project / "losses.py").write_text("import torch\n")
    git("commit", "--quiet", "-am", "theirs")
    git("checkout", "--quiet", "mine")
    assert _shown("--changed-since", "main") == ["other.py"]


def test_those_that_named_files_affect_are_checked_too_if_asked_for(project: Path, git: Git) -> None:
    (project / "pyproject.toml").write_text('[tool.nanlint]\nexclude = ["attic"]\n')
    for name in ("attic", "sub"):
        (project / name).mkdir()
        (project / name / "user.py").write_text("import losses, torch\n")
    assert _shown("losses.py") == _shown("losses.py", "--no-affected", "--affected", "--no-affected") == ["losses.py"]
    assert _shown("--affected", "losses.py") == ["losses.py", "model.py", "user.py"]


def test_of_affected_files_only_what_is_new_counts(project: Path, git: Git, monkeypatch: pytest.MonkeyPatch) -> None:
    """As the pre-commit hook calls it: old findings of other files make nobody's commit fail."""
    whole = _run("--affected", "losses.py", "--output-format", "concise")
    assert whole.exit_code == 1  # named, and as it was: as with `pre-commit run --all-files`
    assert _reported(whole) == ["losses.py:2"]
    assert whole.stdout.endswith("\n1 finding not shown: there before HEAD.\n")
    (project / "losses.py").write_text(BOOM + "def unused():\n    return 1\n")
    git("add", ".")
    unused = _run("--affected", "losses.py", "--output-format", "concise")
    assert (unused.exit_code, unused.stdout.splitlines()[-1]) == (0, "2 findings not shown: there before HEAD.")
    (project / "losses.py").write_text(BOOM + "boom(4)\n")
    assert _run("--affected", "losses.py").exit_code == 1
    git("commit", "--quiet", "-am", "two")
    monkeypatch.setenv("PRE_COMMIT_FROM_REF", "HEAD~1")
    later = _run("--affected", "losses.py", "--output-format", "concise")
    assert _reported(later) == ["losses.py:3"]
    assert later.stdout.endswith("2 findings not shown: there before HEAD~1.\n")


def test_what_is_affected_is_asked_of_files_and_once() -> None:
    assert _run("--affected", "-").exit_code == 2
    assert _run("--affected", "--changed-since", "HEAD").exit_code == 2


def test_it_works_from_a_subdirectory_for_the_paths_given(
    project: Path, git: Git, monkeypatch: pytest.MonkeyPatch
) -> None:
    (project / "sub").mkdir()
    (project / "sub" / "app.py").write_text("import model\n")
    git("add", ".")
    git("commit", "--quiet", "-m", "app")
    (project / "losses.py").write_text(BOOM + "\n")
    monkeypatch.chdir(project / "sub")
    assert _shown("--changed-since", "HEAD") == ["app.py"]
    assert _shown("--changed-since", "HEAD", "..") == ["losses.py", "model.py", "app.py"]


def _git_in(directory: Path, *arguments: str) -> None:
    who = ("-c", "user.name=n", "-c", "user.email=n@example.org", "-c", "protocol.file.allow=always")
    subprocess.run(["git", *who, *arguments], cwd=directory, capture_output=True, check=True)


def test_a_shallow_clone_that_lacks_the_merge_base_is_an_error_with_a_hint(
    project: Path, git: Git, monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory
) -> None:
    git("checkout", "--quiet", "-b", "mine")
    (project / "other.py").write_text("import torch\n")
    git("commit", "--quiet", "-am", "mine")
    git("checkout", "--quiet", "main")
    (project / "losses.py").write_text("import torch\n")
    git("commit", "--quiet", "-am", "theirs")
    clone = tmp_path_factory.mktemp("clone")
    _git_in(clone, "clone", "--quiet", "--depth=1", "--branch=mine", project.as_uri(), ".")
    monkeypatch.chdir(clone)
    result = _run("--changed-since", "origin/main")
    assert result.exit_code == 2
    assert 'git does not know the revision "origin/main"; fetch its history' in result.stderr
    _git_in(clone, "fetch", "--depth=1", "origin", "main:refs/remotes/origin/main")
    result = _run("--changed-since", "origin/main")
    assert result.exit_code == 2
    assert '"origin/main" and HEAD have no common commit in this shallow clone' in result.stderr
    assert "`git fetch --unshallow`, or `fetch-depth: 0` for actions/checkout" in result.stderr
    _git_in(clone, "fetch", "--unshallow", "origin", "main", "mine")
    assert _shown("--changed-since", "origin/main") == ["other.py"]


def test_without_a_common_commit_there_is_nothing_to_compare_with(git: Git) -> None:
    git("checkout", "--quiet", "--orphan", "alone")
    git("commit", "--quiet", "-m", "alone")
    result = _run("--changed-since", "main")
    assert result.exit_code == 2
    assert '"main" and HEAD have no common commit in this repository' in result.stderr
    assert "shallow" not in result.stderr


def test_uncommitted_work_counts_beside_the_commits_of_the_branch(project: Path, git: Git) -> None:
    git("checkout", "--quiet", "-b", "mine")
    (project / "other.py").write_text("import torch\n")
    git("commit", "--quiet", "-am", "mine")
    (project / "größe.py").write_text(BOOM)
    (project / "new.py").write_text(BOOM)
    assert _shown("--changed-since", "main") == ["größe.py", "new.py", "other.py"]


class TestSubmodules:
    @pytest.fixture(autouse=True)
    def submodule(self, tmp_path_factory: pytest.TempPathFactory, git: Git) -> None:
        library = tmp_path_factory.mktemp("library")
        _git_in(library, "init", "--quiet", "--initial-branch=main")
        for name in ("norms.py", "sums.py"):
            (library / name).write_text(BOOM)
        _git_in(library, "add", ".")
        _git_in(library, "commit", "--quiet", "-m", "one")
        git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", library.as_uri(), "lib")
        git("commit", "--quiet", "-m", "with a library")

    def test_its_files_are_compared_with_the_recorded_commit(self, project: Path) -> None:
        assert _shown("--changed-since", "HEAD") == []
        (project / "lib" / "norms.py").write_text(BOOM + "\n")
        assert _shown("--changed-since", "HEAD") == ["norms.py"]
        _git_in(project / "lib", "commit", "--quiet", "-am", "two")
        assert _shown("--changed-since", "HEAD") == ["norms.py"]

    def test_an_updated_one_counts_by_what_has_changed_in_it(self, project: Path, git: Git) -> None:
        (project / "lib" / "sums.py").write_text(BOOM + "\n")
        _git_in(project / "lib", "commit", "--quiet", "-am", "two")
        git("commit", "--quiet", "-am", "update")
        assert _shown("--changed-since", "HEAD~1") == ["sums.py"]
        assert _shown("--changed-since", "HEAD") == []

    def test_all_of_a_new_one_is_new(self) -> None:
        assert _shown("--changed-since", "HEAD~1") == ["norms.py", "sums.py"]

    def test_in_it_its_own_history_counts(self, project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        (project / "losses.py").write_text("import torch\n")
        (project / "lib" / "norms.py").write_text(BOOM + "\n")
        monkeypatch.chdir(project / "lib")
        assert _shown("--changed-since", "HEAD") == ["norms.py"]


@pytest.mark.parametrize("revision", ["nowhere", "--all", "HEAD:losses.py", ""])
def test_an_unknown_revision_is_an_error_with_a_hint(git: Git, revision: str) -> None:
    result = _run(f"--changed-since={revision}")
    assert result.exit_code == 2
    assert f'git does not know the revision "{revision}"' in result.stderr


def test_outside_of_a_repository_is_an_error(
    project: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(project.parent))
    (project / "a.py").write_text(BOOM)
    result = _run("--changed-since", "HEAD")
    assert result.exit_code == 2
    assert "is not in a git repository" in result.stderr


def test_files_of_another_repository_are_an_error(
    git: Git, tmp_path_factory: pytest.TempPathFactory, project: Path
) -> None:
    elsewhere = tmp_path_factory.mktemp("elsewhere") / "a.py"
    elsewhere.write_text(BOOM)
    (project / "losses.py").write_text("import torch\n")
    result = _run("--changed-since", "HEAD", str(elsewhere))
    assert result.exit_code == 2
    assert "is not in the repository" in result.stderr


def test_without_git_it_says_so(git: Git, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    result = _run("--changed-since", "HEAD")
    assert (result.exit_code, "git was not found" in result.stderr) == (2, True)


def test_standard_input_has_no_history(git: Git) -> None:
    assert _run("--changed-since", "HEAD", "-").exit_code == 2
