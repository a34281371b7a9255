"""What a fix has changed is laid out by the formatter of the project, which never comes from within it."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner
from lsprotocol import types

from nanlint import disk
from nanlint.cli import cli
from tests.server.sessions import UTF32, applied, session

LONG = """\
import torch


def distances(first_points, second_points):
    note = ( 'left as it is' )
    return torch.sqrt(((first_points[:, None] - second_points[None, :]) ** 2).mean(-1)) + 1
"""
CALL = "torch.sqrt(radicand.masked_fill(radicand == 0, 1.0)).masked_fill(radicand == 0, 0.0)"
LEFT = f"    return {CALL} + 1\n"
LAID_OUT = """\
    note = ( 'left as it is' )
    radicand = ((first_points[:, None] - second_points[None, :]) ** 2).mean(-1)
    return (
        torch.sqrt(radicand.masked_fill(radicand == 0, 1.0)).masked_fill(
            radicand == 0, 0.0
        )
        + 1
    )
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A repository with a statement that its fix makes too long."""
    own = tmp_path / "project"
    (own / ".git").mkdir(parents=True)
    (own / "points.py").write_text(LONG)
    return own


def fixed(project: Path, monkeypatch: pytest.MonkeyPatch, *options: str) -> str:
    """What the command line makes of the program, called in its directory."""
    monkeypatch.chdir(project)
    command = ["check", "--fix", "--unsafe-fixes", "--config", "fix-style = 'exact'", *options, "points.py"]
    ended = CliRunner().invoke(cli, command, catch_exceptions=False)
    assert ended.exit_code == 0, ended.output
    return (project / "points.py").read_text()


def only(monkeypatch: pytest.MonkeyPatch, *entries: str) -> None:
    """No formatter stands beside the interpreter; PATH has these entries."""
    monkeypatch.setattr(sys, "executable", "")
    monkeypatch.setenv("PATH", os.pathsep.join(entries))


def fake(directory: Path, name: str = "ruff", script: str = "cat") -> Path:
    """A formatter that leaves a trace where it was run."""
    directory.mkdir(parents=True, exist_ok=True)
    program = directory / name
    program.write_text(f"#!/bin/sh\n/usr/bin/touch {directory}/ran\n{script}\n")
    program.chmod(0o755)
    return directory / "ran"


@pytest.mark.parametrize(
    ("name", "settings"),
    [
        ("ruff.toml", ""),
        ("pyproject.toml", "[tool.ruff]\n"),
        ("pyproject.toml", "[tool.black]\n"),
        ("pyproject.toml", "[tool.black]\n[tool.ruff]\nline-length = 200\n"),
        ("pyproject.toml", "[tool.black]\nline-length = 200\n[tool.ruff.format]\n"),
    ],
)
def test_ruff_or_black_lay_out_what_was_changed_and_nothing_else(
    project: Path, name: str, settings: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    (project / name).write_text(settings)
    assert fixed(project, monkeypatch).endswith(LAID_OUT)


@pytest.mark.parametrize("settings", ["", "[tool.yapf]\n", "[tool.ruff]\nline-length = 120\n", "[tool.ruff"])
def test_what_fits_and_what_nobody_formats_stays_on_its_line(
    project: Path, settings: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    (project / "pyproject.toml").write_text(settings)
    assert fixed(project, monkeypatch, "--isolated").endswith(LEFT)


def test_several_statements_are_laid_out_and_newlines_stay(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (project / "ruff.toml").touch()
    second = LONG.partition("\n\n\n")[2].replace("distances", "others")
    (project / "points.py").write_bytes(f"{LONG}\n\n{second}".replace("\n", "\r\n").encode())
    after = fixed(project, monkeypatch)
    assert after.count(LAID_OUT) == 2
    assert b"\n" not in (project / "points.py").read_bytes().replace(b"\r\n", b"")


def test_a_formatter_on_an_absolute_entry_of_path_is_run(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (project / "ruff.toml").touch()
    ran = fake(tmp_path / "bin")
    only(monkeypatch, str(tmp_path / "bin"))
    assert fixed(project, monkeypatch).endswith(LEFT)
    assert ran.exists()


def test_nothing_is_run_from_within_the_project_or_by_a_relative_entry_of_path(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (project / "ruff.toml").touch()
    inside, beside = fake(project / "bin"), fake(tmp_path / "tools")
    here = fake(project)
    (tmp_path / "linked").mkdir()
    (tmp_path / "linked" / "ruff").symlink_to(project / "bin" / "ruff")
    (tmp_path / "alias").symlink_to(project / "bin")
    entries = ["bin", ".", "", "../tools", str(project / "bin"), str(tmp_path / "linked"), str(tmp_path / "alias")]
    only(monkeypatch, *entries)
    assert fixed(project, monkeypatch).endswith(LEFT)
    assert not inside.exists()
    assert not beside.exists()
    assert not here.exists()


def test_an_interpreter_in_the_project_brings_no_formatter(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (project / "ruff.toml").touch()
    ran = fake(project / ".venv" / "bin")
    only(monkeypatch)
    monkeypatch.setattr(sys, "executable", str(project / ".venv" / "bin" / "python"))
    assert fixed(project, monkeypatch).endswith(LEFT)
    assert not ran.exists()


@pytest.mark.parametrize("script", ["exit 1", "echo 'def'", "echo x = 1", "kill $$", "cat; exit 2", "printf '\\377'"])
def test_a_formatter_that_fails_or_means_something_else_is_not_heard(
    project: Path, tmp_path: Path, script: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    (project / "ruff.toml").touch()
    ran = fake(tmp_path / "bin", script=script)
    only(monkeypatch, str(tmp_path / "bin"))
    assert fixed(project, monkeypatch).endswith(LEFT)
    assert ran.exists()


def test_black_finds_no_module_of_the_project(project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (project / "pyproject.toml").write_text("[tool.black]\n")
    ran = project / "ran"
    (project / "click.py").write_text(f"open({str(ran)!r}, 'w')\n")
    monkeypatch.setenv("PYTHONPATH", str(project))
    assert fixed(project, monkeypatch).endswith(LAID_OUT)
    assert not ran.exists()


@pytest.mark.asyncio
@pytest.mark.parametrize("trusted", [False, True])
async def test_an_editor_runs_the_formatter_in_a_workspace_that_is_trusted_alone(
    trusted: bool, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("NANLINT_TRUST", raising=False)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(project.parent / "home"))
    (project / "ruff.toml").touch()
    (project / "nanlint.toml").write_text("fix-style = 'exact'\n")
    if trusted:
        assert CliRunner().invoke(cli, ["trust", str(project)]).exit_code == 0
    async with session("Emacs", project, {"unsafeFixes": True}) as editor:
        uri = editor.open("points.py", LONG)
        start = types.Range(types.Position(0, 0), types.Position(0, 0))
        (action,) = await editor.actions(uri, start, only=["source.fixAll"])
        assert action.edit is not None
        assert applied(LONG, action.edit, UTF32).endswith(LAID_OUT if trusted else LEFT)


def test_what_a_formatter_has_laid_out_is_asked_anew_the_next_time(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for settings, known in (("[tool.yapf]\n", True), ("[tool.ruff]\n", False)):
        (project / "pyproject.toml").write_text(settings)
        disk.forget()
        fixed(project, monkeypatch, "--diff", "--exit-zero")
        assert (disk.forget() is not None) is known
