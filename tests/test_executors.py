"""Checks that an executor runs: what comes of them is what comes of them in this process."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from nanlint import linter
from nanlint.config import Configs
from nanlint.linter import Action, Report

LAYERS = """\
import torch


def soft(logits):
    return torch.softmax(logits, dim=-1)
"""
#: what uses another file, in each of these ways
USERS = (
    "import torch\nfrom lab.layers import soft\n\n\ndef nll(x):\n    return -torch.log(soft(x)).sum()\n",
    "import torch\n\n\ndef own(x):\n    return torch.log(torch.softmax(x, -1))\n",
    "import torch\n\nfrom .. import layers\n\n\ndef nll(x):\n    return torch.log(layers.soft(x))  # nanlint: ignore\n",
    "from lab.between import soft_of\n\n\ndef through(x):\n    return soft_of(x).log()\n",
    "def plain(x):\n    return x + 1\n",
)


@pytest.fixture
def lab(project: Path) -> Path:
    """A project of some forty files, of which most use others."""
    (project / "pyproject.toml").write_text('[tool.nanlint]\nextend-exclude = ["left_out.py"]\n')
    for package in ("lab", "lab/train", "lab/eval"):
        (project / package).mkdir()
        (project / package / "__init__.py").touch()
    (project / "lab/layers.py").write_text(LAYERS)
    (project / "lab/between.py").write_text("from lab.layers import soft as soft_of\n")
    for number in range(30):
        part = "train" if number % 2 else "eval"
        (project / f"lab/{part}/use{number:02}.py").write_text(USERS[number % len(USERS)])
    (project / "lab/eval/nanlint.toml").write_text('confidence = "possible"\n[severity]\nNL101 = "info"\n')
    (project / "left_out.py").write_text("import torch\ntorch.log(torch.zeros(3))\n")
    (project / "broken.py").write_text("import torch\n(\n")
    (project / "data.py").write_bytes(b"\0")
    return project


def checked(*paths: str, **options: Any) -> Report:
    return linter.check(paths or (".",), Configs(linter.rule_names(), ops_problem=linter.ops_problem), **options)


class Counting(ThreadPoolExecutor):
    """Counts how many calls there are at a time."""

    def __init__(self) -> None:
        super().__init__(3)
        self.most = self.now = 0
        self.lock = threading.Lock()

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        with self.lock:
            self.now += 1
            self.most = max(self.most, self.now)
        future = super().submit(fn, *args, **kwargs)
        future.add_done_callback(self._ended)
        return future

    def _ended(self, _: Future[Any]) -> None:
        with self.lock:
            self.now -= 1


@pytest.mark.parametrize("pool", [ThreadPoolExecutor, ProcessPoolExecutor])
@pytest.mark.parametrize("action", [Action.CHECK, Action.DIFF])
def test_any_executor_gives_the_report_of_one_process(
    lab: Path, pool: Callable[[int], Executor], action: Action
) -> None:
    expected = checked(action=action)
    assert {"NL101", "NL000"} <= {one.code for one in expected.diagnostics}
    heard: list[tuple[int, int]] = []
    with pool(3) as executor:
        found = checked(action=action, executor=executor, on_progress=lambda done, of: heard.append((done, of)))
    assert shown(found) == shown(expected)
    assert heard[-1] == (len(expected.files),) * 2


def shown(report: Report) -> object:
    """All that a report says: sources are compared by what they hold."""
    rows: list[object] = []
    for file in report.files:
        texts = [None if one is None else one.to_bytes() for one in (file.before, file.after)]
        rows.append((file.path, file.diagnostics, file.fixed, texts, file.failure, file.checked, file.notes))
        rows.append((file.excerpt, file.suppressed, file.below_threshold, file.seen, file.numeric))
    return rows, report.failures


def test_calls_are_sent_off_as_they_are_needed(project: Path) -> None:
    for number in range(400):
        (project / f"m{number:03}.py").write_text("x = 1\n")
    with Counting() as executor:
        assert checked(executor=executor, jobs=1).checked == 400
    assert 1 < executor.most <= 4


def test_what_is_mended_elsewhere_is_written_here(lab: Path) -> None:
    before = {path: path.read_bytes() for path in lab.rglob("*.py")}
    expected = checked(action=Action.FIX)
    mended = {path: path.read_bytes() for path in before}
    assert mended != before
    for path, content in before.items():
        path.write_bytes(content)
    main = threading.main_thread()
    with ThreadPoolExecutor(2) as executor, pytest.MonkeyPatch.context() as patch:
        patch.setattr("nanlint.source.writing.write_together", _only_on(main))
        report = checked(action=Action.FIX, executor=executor)
    assert {path: path.read_bytes() for path in before} == mended
    assert report.fixed == expected.fixed
    assert report.diagnostics == expected.diagnostics


def _only_on(thread: threading.Thread) -> Callable[..., Any]:
    from nanlint.source.writing import write_together

    def write(*args: Any) -> Any:
        assert threading.current_thread() is thread
        return write_together(*args)

    return write


def _dying(task: linter.Task, run: Callable[[linter.Task], linter.FileReport] = linter.run_task) -> linter.FileReport:
    if task.path == "m05.py":
        os.kill(os.getpid(), signal.SIGKILL)
    return run(task)


def test_a_file_that_kills_the_workers_of_an_executor_is_said(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(12):
        (project / f"m{number:02}.py").write_text("import torch\ntorch.log(torch.zeros(3))\n")
    expected = [one for one in checked().diagnostics if one.path != "m05.py"]
    monkeypatch.setattr(linter, "run_task", _dying)
    with ProcessPoolExecutor(2) as executor:
        found = checked(executor=executor, jobs=2).diagnostics
    assert [one for one in found if one.path != "m05.py"] == expected
    assert [one.code for one in found if one.path == "m05.py"] == ["NL003"]


# Workers that do not have the files


def _somewhere_else() -> None:
    """Another machine: its working directory is another, and none of the files are there."""
    os.chdir("/")
    import builtins

    real_open, real_stat, real_scandir = builtins.open, os.stat, os.scandir

    def refusing(function: Callable[..., Any]) -> Callable[..., Any]:
        def asked(path: Any = ".", *args: Any, **kwargs: Any) -> Any:
            assert HERE not in str(path), path
            return function(path, *args, **kwargs)

        return asked

    builtins.open, os.stat, os.scandir = refusing(real_open), refusing(real_stat), refusing(real_scandir)


HERE = "pytest-of-"
