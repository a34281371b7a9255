"""Discovery: which files a path leads to."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from nanlint.config import Configs, Options
from nanlint.source.discovery import Found, discover

RULES = {"NL000": "syntax-error", "NL103": "unclipped-log"}


def _make(root: Path, *names: str) -> None:
    for name in names:
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("import torch\n")


def _discover(*paths: str, **given: Any) -> Found:
    return discover(paths, Configs(RULES, Options.of(**given).over))


def _names(found: Found) -> list[str]:
    return [Path(file.path).as_posix() for file in found.files]


def test_directories_are_walked_for_python_files_in_sorted_order(project: Path) -> None:
    _make(project, "b.py", "a/z.py", "a/y.pyi", "a/x.txt", "c/d/e.py", "a.py")
    assert _names(_discover(".")) == ["a.py", "a/y.pyi", "a/z.py", "b.py", "c/d/e.py"]


def test_a_file_is_found_once_however_often_it_is_named(project: Path) -> None:
    _make(project, "a/b.py")
    (project / "link.py").symlink_to("a/b.py")
    assert len(_discover("a/b.py", ".", "a", "./a/../a/b.py", str(project)).files) == 1


def test_a_named_file_is_taken_whatever_it_is_called_and_whatever_excludes_it(project: Path) -> None:
    _make(project, "build/script", "ignored.py")
    (project / ".gitignore").write_text("ignored.py\n")
    assert _names(_discover("build/script", "ignored.py")) == ["build/script", "ignored.py"]


@pytest.mark.parametrize("name", [".venv", "node_modules", "build", "site-packages", "__pycache__", ".git"])
def test_what_nobody_wants_checked_is_left_out(project: Path, name: str) -> None:
    _make(project, f"{name}/a.py", f"src/{name}/b.py", "src/c.py")
    assert _names(_discover(".")) == ["src/c.py"]


def test_a_directory_that_is_named_is_walked_although_its_like_are_left_out(project: Path) -> None:
    _make(project, ".venv/lib/site-packages/m/a.py", ".venv/lib/site-packages/m/build/b.py")
    assert _names(_discover(".venv/lib/site-packages/m")) == [".venv/lib/site-packages/m/a.py"]


def test_patterns_of_the_configuration_are_relative_to_its_file(project: Path) -> None:
    _make(project, "src/gen/a.py", "src/b_pb2.py", "src/c.py", "gen/d.py")
    (project / "nanlint.toml").write_text('extend-exclude = ["src/gen", "*_pb2.py"]\n')
    assert _names(_discover("src", "gen")) == ["gen/d.py", "src/c.py"]
    assert _names(_discover("src/gen")) == ["src/gen/a.py"]


def test_excludes_of_the_command_line_are_relative_to_the_working_directory(project: Path) -> None:
    _make(project, "src/a.py", "src/b.py")
    (project / "src" / "nanlint.toml").write_text("")
    assert _names(_discover(".", exclude=("src/a.py",))) == ["src/b.py"]


def test_the_nearest_configuration_holds_for_each_file(project: Path) -> None:
    _make(project, "a.py", "sub/b.py", "sub/deep/c.py")
    (project / "pyproject.toml").write_text('[tool.nanlint]\nconfidence = "certain"\n')
    (project / "sub" / "nanlint.toml").write_text('confidence = "possible"\n')
    (project / "sub" / "deep" / "pyproject.toml").write_text("[tool.other]\n")
    found = _discover(".")
    assert [str(file.config.confidence) for file in found.files] == ["certain", "possible", "possible"]


class TestGitignore:
    def test_it_is_honoured(self, project: Path) -> None:
        (project / ".gitignore").write_text("# generated\n/gen/\n*_auto.py\n!keep_auto.py\n")
        _make(project, "gen/a.py", "b_auto.py", "keep_auto.py", "src/gen/c.py")
        assert _names(_discover(".")) == ["keep_auto.py", "src/gen/c.py"]

    def test_the_inner_one_has_the_last_word(self, project: Path) -> None:
        (project / ".gitignore").write_text("*_auto.py\n")
        _make(project, "sub/a_auto.py", "sub/b.py")
        (project / "sub" / ".gitignore").write_text("!a_auto.py\nb.py\n")
        assert _names(_discover(".")) == ["sub/a_auto.py"]

    def test_those_above_count_up_to_the_root_of_the_repository(self, project: Path) -> None:
        (project / ".gitignore").write_text("*.py\n")
        repository = project / "repository"
        (repository / ".git").mkdir(parents=True)
        (repository / ".gitignore").write_text("/src/gen.py\n")
        _make(repository, "src/gen.py", "src/a.py")
        assert _names(_discover("repository/src")) == ["repository/src/a.py"]

    def test_it_can_be_disregarded(self, project: Path) -> None:
        (project / ".gitignore").write_text("a.py\n")
        _make(project, "a.py")
        assert _names(_discover(".", respect_gitignore=False)) == ["a.py"]

    def test_an_ignored_directory_is_walked_if_it_is_named(self, project: Path) -> None:
        (project / ".git").mkdir()
        (project / ".gitignore").write_text("out/\n")
        _make(project, "out/a.py")
        assert _names(_discover("out")) == ["out/a.py"]

    def test_a_line_that_is_no_pattern_spoils_only_itself(self, project: Path) -> None:
        (project / ".gitignore").write_text("!\na.py\n")
        _make(project, "a.py", "b.py")
        assert _names(_discover(".")) == ["b.py"]


class TestTrouble:
    def test_a_path_that_leads_nowhere_is_said_and_the_others_are_found(self, project: Path) -> None:
        _make(project, "a.py")
        found = _discover("nowhere", "a.py")
        assert _names(found) == ["a.py"]
        assert found.failures == ("nowhere: no such file or directory",)

    def test_a_link_to_itself_ends_no_walk(self, project: Path) -> None:
        _make(project, "a.py")
        (project / "loop.py").symlink_to("loop.py")
        (project / "dangling.py").symlink_to("gone.py")
        assert _names(_discover(".")) == ["a.py"]
        assert _discover("loop.py").failures == ("loop.py: too many levels of symbolic links",)

    def test_a_directory_that_holds_itself_is_walked_once(self, project: Path) -> None:
        _make(project, "pkg/a.py")
        (project / "pkg" / "again").symlink_to("..", target_is_directory=True)
        assert _names(_discover(".")) == ["pkg/a.py"]

    def test_a_directory_that_cannot_be_listed_is_said(self, project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        _make(project, "a.py", "closed/b.py")
        scandir = os.scandir

        def guarded(path: str) -> Iterator[os.DirEntry[str]]:
            if path.endswith("closed"):
                raise PermissionError(13, "Permission denied")
            return scandir(path)

        monkeypatch.setattr(os, "scandir", guarded)
        found = _discover(".")
        assert _names(found) == ["a.py"]
        assert found.failures == ("closed: permission denied",)

    def test_a_broken_configuration_stops_its_own_files_only(self, project: Path) -> None:
        _make(project, "a.py", "broken/b.py", "broken/node_modules/c.py", "broken/inner/d.py")
        (project / "broken" / "nanlint.toml").write_text("select = [\n")
        (project / "broken" / "inner" / "nanlint.toml").write_text("")
        found = _discover(".")
        assert _names(found) == ["a.py", "broken/inner/d.py"]
        (failure,) = found.failures
        assert failure.startswith("broken/nanlint.toml: is not valid TOML")


def test_what_is_excluded_is_left_out_even_if_it_is_named_where_that_is_asked_for(project: Path) -> None:
    (project / "nanlint.toml").write_text('extend-exclude = ["generated", "*_pb2.py"]\n')
    for name in ("generated/a.py", "b_pb2.py", "c.py"):
        (project / name).parent.mkdir(exist_ok=True)
        (project / name).write_text("")
    named = ["generated/a.py", "b_pb2.py", "c.py"]
    configs = Configs({})
    assert [file.path for file in discover(named, configs).files] == sorted(named)
    assert [file.path for file in discover(named, configs, force_exclude=True).files] == ["c.py"]
