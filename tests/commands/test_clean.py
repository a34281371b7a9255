"""``nanlint clean``: what nanlint keeps goes, what it does not stays."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from nanlint.cli import cli
from tests.runtime.running import nanlint


@pytest.fixture(autouse=True)
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def _clean(*arguments: str) -> Result:
    return CliRunner().invoke(cli, ["clean", *arguments])


def _run(name: str, size: int = 1000) -> Path:
    run = Path(".nanlint/runs") / name
    (run / "modules").mkdir(parents=True)
    (run / "events-host-1.jsonl").write_bytes(b"x" * size)
    Path(".nanlint/.gitignore").write_text("*\n")
    return run


def test_what_a_real_run_has_left_goes(project: Path) -> None:
    (project / "train.py").write_text("import numpy as np\nprint(np.log(np.float32(1)))\n")
    assert nanlint("verify", "--", "train.py", cwd=project).code == 0
    assert len(list((project / ".nanlint" / "runs").iterdir())) == 1
    result = _clean()
    assert result.exit_code == 0
    assert result.stdout.endswith("Removed 1 run (" + result.stdout.rpartition("(")[2])
    assert sorted(path.name for path in project.iterdir()) == ["train.py"]


def test_a_dry_run_lists_and_removes_nothing() -> None:
    run = _run("20260101-000000-aaaa")
    result = _clean("--dry-run")
    assert result.stdout == f"would remove {run} (1.0 kB)\nWould remove 1 run (1.0 kB).\n"
    assert run.exists()


def test_the_last_runs_can_be_kept() -> None:
    old, new = _run("20260101-000000-aaaa"), _run("20260102-000000-aaaa")
    assert f"removed {old} " in _clean("--keep", "1").stdout
    assert (old.exists(), new.exists(), Path(".nanlint/.gitignore").exists()) == (False, True, True)


def test_a_run_that_did_not_begin_goes_too() -> None:
    Path(".nanlint/runs/20260101-000000-aaaa").mkdir(parents=True)
    assert _clean().exit_code == 0
    assert not Path(".nanlint").exists()


def test_what_is_not_nanlints_is_named_and_stays() -> None:
    run = _run("20260101-000000-aaaa")
    Path(".nanlint/notes.txt").write_text("mine")
    Path(".nanlint/runs/pictures").mkdir()
    Path(".nanlint/runs/pictures/a.png").write_text("mine")
    result = _clean()
    assert result.exit_code == 1
    assert result.stderr.splitlines() == [
        "warning: .nanlint/notes.txt was not created by nanlint, and was kept",
        "warning: .nanlint/runs/pictures was not created by nanlint, and was kept",
    ]
    assert not run.exists()
    assert Path(".nanlint/runs/pictures/a.png").exists()


def test_links_lead_nowhere(project: Path) -> None:
    elsewhere = project / "elsewhere"
    (elsewhere / "runs" / "20260101-000000-aaaa").mkdir(parents=True)
    events = elsewhere / "runs" / "20260101-000000-aaaa" / "events-host-1.jsonl"
    events.write_text("{}")
    (project / "one").mkdir()
    (project / "one" / ".nanlint").symlink_to(elsewhere)
    assert _clean("one").exit_code == 1
    (project / ".nanlint" / "runs").mkdir(parents=True)
    (project / ".nanlint" / "runs" / "20260101-000000-aaaa").symlink_to(events.parent)
    assert _clean().exit_code == 1
    assert events.exists()


def test_where_nothing_is_kept_nothing_is_removed() -> None:
    assert (_clean().stdout, _clean().exit_code) == ("Nothing to remove.\n", 0)


def test_a_directory_that_is_not_there_is_an_error() -> None:
    result = _clean("nowhere")
    assert (result.exit_code, result.stderr) == (2, "error: nowhere: no such directory\n")
