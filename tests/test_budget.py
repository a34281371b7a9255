"""The check of a file ends when its budget is used up, says so, and keeps what it has found."""

from __future__ import annotations

import itertools
import math
import time
from pathlib import Path

import pytest

import nanlint
from nanlint import interrupt
from nanlint.cache.reports import Reports
from nanlint.diagnostic import Diagnostic, Severity
from nanlint.interrupt import OutOfBudget, checkpoint, interruptible, limited
from nanlint.lint.one_file import run_task
from nanlint.lint.report import Task
from tests.cache.test_answers import run

#: a program with a finding in each function, and a suppression that meets none
PROGRAM = "import torch\n" + "".join(
    f"\ndef f{number}(x):\n    y = torch.relu(x) * {number}\n    return torch.log(torch.softmax(y, -1))\n"
    for number in range(6)
)
IDLE = PROGRAM + "\nX = 1  # nanlint: ignore[NL103]\n"


@pytest.fixture
def ticking(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every look at the clock takes a second."""
    seconds = itertools.count()
    monkeypatch.setattr(interrupt, "_now", lambda: float(next(seconds)))
    monkeypatch.setattr(interrupt, "_clock", lambda: math.inf)
    monkeypatch.setattr(interrupt, "_EACH", 1)


def checked(seconds: float, text: str = IDLE) -> list[Diagnostic]:
    return nanlint.check_source(text, file_timeout=seconds)


def rest(found: list[Diagnostic]) -> set[tuple[str, int]]:
    return {(one.code, one.span.row) for one in found if one.code != "NL004"}


@pytest.mark.usefixtures("ticking")
def test_what_was_found_until_then_is_shown() -> None:
    whole = rest(checked(1e9))
    counts = []
    for seconds in (1, 30, 60, 90, 120, 150, 200, 300, 400, 1000, 3000):
        found = checked(seconds)
        ended = [one for one in found if one.code == "NL004"]
        assert len(ended) == 1 or rest(found) == whole, f"{seconds} seconds"
        assert rest(found) <= whole
        assert all(one.severity is Severity.WARNING and f"after {seconds} seconds" in one.message for one in ended)
        counts.append(len(rest(found)))
    assert counts[0] == 0
    assert counts == sorted(counts)
    assert set(counts) - {0, len(whole)}, "some are found in part"


def test_in_real_time_a_long_check_ends() -> None:
    text = "import torch\n" + PROGRAM.replace("import torch\n", "") * 150
    began = time.process_time()
    found = checked(0.3, text)
    assert [one.code for one in found].count("NL004") == 1
    assert time.process_time() - began < 5


def test_memory_is_part_of_the_budget(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(interrupt, "MAX_MEMORY", -(1 << 60))
    monkeypatch.setattr(interrupt, "_SELDOM", 1)
    assert "of memory" in checked(60)[0].message


def test_it_is_a_warning_and_is_not_kept(tmp_path: Path) -> None:
    (tmp_path / "nanlint.toml").write_text("file-timeout = 1e-9\n")
    (tmp_path / "a.py").write_text(PROGRAM)
    done = run("check", cwd=tmp_path)
    assert (b"NL004" in done.stdout, b"NL101" in done.stdout, done.returncode) == (True, False, 0)
    task = Task(str(tmp_path / "a.py"), nanlint.config_of_keys(str(tmp_path / "a.py"), {"file_timeout": 1e-9}))
    memory = Reports(None)
    memory.recall(task)
    memory.keep(task, run_task(task))
    memory.save()
    assert memory.recall(task) is None


class TestCheckpoint:
    def test_the_parts_of_a_work_are_told_one_after_the_other(self, ticking: None) -> None:
        told = []
        with limited(10) as budget:
            for number in range(40):
                try:
                    checkpoint()
                except OutOfBudget as error:
                    told.append((number, str(error)))
        assert [number for number, _ in told] == [6, 10, 15]
        assert budget.spent == ["10 seconds"] * 3

    def test_who_starts_the_work_is_asked_too(self) -> None:
        asked: list[int] = []
        with interruptible(lambda: asked.append(1)), limited(60):
            checkpoint()
        assert asked == [1]
