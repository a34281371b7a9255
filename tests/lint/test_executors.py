"""Checks that an executor runs: what comes of them is what comes of them in this process."""

from __future__ import annotations

import logging
import os
import re
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import contextmanager
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from nanlint import disk
from nanlint.cli import cli
from nanlint.config import Configs
from nanlint.lint import elsewhere as module
from nanlint.lint import executors, known_rules, many_files, one_file, report
from nanlint.lint.elsewhere import Differs, Elsewhere
from nanlint.lint.executors import ExecutorError, executor_at
from nanlint.lint.report import Action, Report
from nanlint.output.formats import render
from nanlint.output.view import View

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
#: formats that show all there is
FORMATS = ("full", "json", "sarif")


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
    return many_files.check(
        paths or (".",), Configs(known_rules.rule_names(), ops_problem=known_rules.ops_problem), **options
    )


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


def _dying(task: report.Task, run: Callable[[report.Task], report.FileReport] = one_file.run_task) -> report.FileReport:
    if task.path == "m03.py":
        os.kill(os.getpid(), signal.SIGKILL)
    return run(task)


def test_a_file_that_kills_the_workers_of_an_executor_is_said(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(6):
        (project / f"m{number:02}.py").write_text("import torch\ntorch.log(torch.zeros(3))\n")
    expected = [one for one in checked().diagnostics if one.path != "m03.py"]
    monkeypatch.setattr(many_files, "run_task", _dying)
    with ProcessPoolExecutor(2) as executor:
        found = checked(executor=executor, jobs=2).diagnostics
    assert [one for one in found if one.path != "m03.py"] == expected
    assert [one.code for one in found if one.path == "m03.py"] == ["NL003"]


# Workers that do not have the files


def blinded(root: str) -> None:
    """Make this process one of another machine: it cannot ask the disk for what is below a directory."""

    def reject(path: Any) -> None:
        text = os.fsdecode(path) if isinstance(path, str | bytes | os.PathLike) else ""
        if os.path.join("/", text).startswith(root) or text == "":
            raise AssertionError(f"{text} was asked for")

    def refusing(function: Callable[..., Any]) -> Callable[..., Any]:
        def asked(path: Any, *args: Any, **kwargs: Any) -> Any:
            reject(path)
            return function(path, *args, **kwargs)

        return asked

    os.chdir("/")
    sys.addaudithook(lambda event, args: reject(args[0]) if event in ("open", "os.listdir", "os.scandir") else None)
    for name in ("stat", "lstat"):
        setattr(os, name, refusing(getattr(os, name)))


@contextmanager
def elsewhere(root: Path, workers: int = 2) -> Iterator[Elsewhere]:
    """Workers that do not have the files below a directory."""
    with ProcessPoolExecutor(workers, initializer=blinded, initargs=(str(root),)) as inner, Elsewhere(inner) as found:
        yield found


def test_a_worker_of_the_tests_does_not_see_the_files(lab: Path) -> None:
    with ProcessPoolExecutor(1, initializer=blinded, initargs=(str(lab),)) as executor:
        for function in (Path.stat, os.listdir, Path.read_bytes, os.path.realpath):
            with pytest.raises(AssertionError, match="was asked for"):
                executor.submit(function, lab / "lab").result()
        assert executor.submit(os.listdir, "/").result()


@pytest.mark.parametrize("name", FORMATS)
def test_workers_without_the_files_find_what_is_found_here(lab: Path, name: str) -> None:
    expected = checked()
    with elsewhere(lab) as executor:
        assert rendered(name, checked(executor=executor, jobs=2)) == rendered(name, expected)
        assert rendered(name, checked(str(lab), executor=executor)) == rendered(name, checked(str(lab)))


def rendered(name: str, report: Report) -> str:
    began = datetime(2026, 1, 1, tzinfo=timezone.utc)
    text = render(name, View(report, unsafe=False, exit_code=1, began=began))
    return re.sub(r'"endTimeUtc": "[^"]*"', "", text)


@pytest.mark.parametrize(("setting", "value"), [("MOST", 0), ("NEIGHBOURS", 0), ("KEPT", 0)])
def test_what_is_told_at_once_decides_nothing(
    lab: Path, monkeypatch: pytest.MonkeyPatch, setting: str, value: int
) -> None:
    monkeypatch.setattr(module, setting, value)
    with elsewhere(lab, 1) as executor:
        assert shown(checked(executor=executor)) == shown(checked())


def test_links_and_what_cannot_be_read_are_seen_as_they_are_here(
    lab: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    outside = tmp_path_factory.mktemp("outside")
    (outside / "more").mkdir()
    (outside / "more/soft.py").write_text(LAYERS)
    (outside / "one.py").write_text(USERS[0])
    (lab / "linked").symlink_to(outside / "more")
    (lab / "one.py").symlink_to(outside / "one.py")
    (lab / "user.py").write_text(USERS[0].replace("lab.layers", "linked.soft"))
    os.mkfifo(lab / "pipe.py")
    (lab / "gone.py").symlink_to(lab / "nowhere.py")
    expected = checked(".", "pipe.py")
    assert [one.code for one in expected.diagnostics if one.path == "user.py"] == ["NL101"]
    assert [one.failure for one in expected.files if one.path == "pipe.py"] == [
        "pipe.py: could not be read: is a pipe, not a regular file"
    ]
    with elsewhere(lab) as executor:
        assert shown(checked(".", "pipe.py", executor=executor)) == shown(expected)


def test_a_file_that_changes_is_seen_by_workers_that_have_seen_it_before(lab: Path) -> None:
    with ProcessPoolExecutor(1, initializer=blinded, initargs=(str(lab),)) as inner:
        with Elsewhere(inner) as executor:
            before = checked(executor=executor)
        (lab / "lab/layers.py").write_text(LAYERS.replace("torch.softmax(logits, dim=-1)", "logits.abs() + 1"))
        with Elsewhere(inner) as executor:
            after = checked(executor=executor)
    assert shown(after) == shown(checked())
    assert len(after.diagnostics) < len(before.diagnostics)


def test_what_workers_without_the_files_mend_is_written_here(lab: Path) -> None:
    files = sorted(lab.rglob("*.py"))
    before = [path.read_bytes() for path in files]
    expected = checked(action=Action.FIX)
    mended = [path.read_bytes() for path in files]
    for path, content in zip(files, before, strict=True):
        path.write_bytes(content)
    with elsewhere(lab) as executor:
        found = checked(action=Action.FIX, executor=executor)
    assert [path.read_bytes() for path in files] == mended
    assert found.fixed == expected.fixed != ()


def test_what_a_worker_has_asked_counts_as_asked_here(lab: Path) -> None:
    disk.forget()
    checked()
    expected = disk.forget()
    with elsewhere(lab, 1) as executor:
        checked(executor=executor)
    asked = disk.forget()
    assert expected is not None
    assert asked is not None
    assert {one: asked.get(one) for one in expected} == expected


def test_a_worker_with_another_version_is_named(lab: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    own, *others = module.IDENTITY
    with elsewhere(lab) as executor:
        checked("lab/layers.py", executor=executor)  # the workers are there
        monkeypatch.setattr(module, "IDENTITY", ("nanlint 99", *others))
        with pytest.raises(Differs, match=f"has {own}, but this machine nanlint 99; install"):
            checked(executor=executor)


def test_only_checks_are_done_elsewhere(tmp_path: Path) -> None:
    with elsewhere(tmp_path) as executor, pytest.raises(TypeError, match="print cannot be done elsewhere"):
        executor.submit(print, 1)


@pytest.fixture(autouse=True)
def environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is set for processes that are spawned is not left to other tests."""
    monkeypatch.setenv("PYTHONSAFEPATH", "1")


# A cluster


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    """Two processes of dask.distributed, which were started somewhere else."""
    distributed = pytest.importorskip("distributed", reason="the extra dask is not installed")
    before = os.getcwd()
    os.chdir("/")
    try:
        with distributed.LocalCluster(
            n_workers=2,
            threads_per_worker=1,
            processes=True,
            dashboard_address=":0",
            silence_logs=logging.CRITICAL,
            scheduler_kwargs={"allowed_failures": 1},  # by default 3: a new worker takes seconds to start
        ) as found:
            os.chdir(before)
            yield found
    finally:
        os.chdir(before)


@pytest.fixture
def address(cluster: Any) -> str:
    return str(cluster.scheduler_address).replace("tcp:", "dask:")


def on_each_worker(cluster: Any, function: Callable[..., Any], *arguments: Any) -> dict[str, Any]:
    from distributed import Client

    with Client(cluster.scheduler_address, set_as_default=False) as client:
        client.wait_for_workers(2)
        found: dict[str, Any] = client.run(function, *arguments)
        return found


def run(*arguments: str) -> Result:
    return CliRunner().invoke(cli, ["check", *arguments], catch_exceptions=False)


@pytest.mark.parametrize("name", FORMATS)
def test_a_cluster_prints_what_one_process_prints(lab: Path, cluster: Any, address: str, name: str) -> None:
    on_each_worker(cluster, blinded, str(lab))
    alone, together = (run("--output-format", name, *how) for how in (("--jobs", "1"), ("--executor", address)))
    texts = [re.sub(r'"(start|end)TimeUtc": "[^"]*"', "", one.stdout) for one in (alone, together)]
    assert texts[1] == texts[0] != ""
    assert (together.exit_code, together.stderr) == (alone.exit_code, alone.stderr)
    assert alone.exit_code == 1


def test_a_cluster_shows_and_makes_the_fixes(lab: Path, cluster: Any, address: str) -> None:
    on_each_worker(cluster, blinded, str(lab))
    assert run("--diff", "--executor", address).stdout == run("--diff", "--jobs", "1").stdout != ""
    assert "softmax" in (lab / "lab/eval/use16.py").read_text()
    assert " fixed" in run("--fix", "--executor", address).stdout
    assert "log_softmax" in (lab / "lab/eval/use16.py").read_text()
    assert run("--diff").stdout == ""


def test_a_worker_that_is_killed_in_the_middle_changes_nothing(lab: Path, cluster: Any, address: str) -> None:
    expected = checked()
    pids = on_each_worker(cluster, os.getpid)
    victim = pids[min(pids)]
    heard: list[int] = []

    def kill(done: int, total: int) -> None:
        if not heard:
            os.kill(victim, signal.SIGKILL)
        heard.append(total - done)

    with executor_at(address) as (executor, workers):
        assert workers == 2
        found = checked(executor=executor, jobs=workers, on_progress=kill)
    assert heard[0] > 0
    assert victim not in on_each_worker(cluster, os.getpid).values()
    assert {name: rendered(name, found) for name in FORMATS} == {name: rendered(name, expected) for name in FORMATS}


def test_a_file_that_kills_every_worker_of_a_cluster_is_said(
    project: Path, cluster: Any, address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(6):
        (project / f"m{number:02}.py").write_text("import torch\ntorch.log(torch.zeros(3))\n")
    expected = [one for one in checked().diagnostics if one.path != "m03.py"]
    monkeypatch.setattr(many_files, "run_task", _dying)
    with executor_at(address) as (executor, workers):
        found = checked(executor=executor, jobs=workers).diagnostics
    assert [one for one in found if one.path != "m03.py"] == expected
    assert [one.code for one in found if one.path == "m03.py"] == ["NL003"]


def test_what_was_given_by_a_worker_that_has_died_since_is_checked_again_here(
    project: Path, address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    (project / "a.py").write_text("import torch\ntorch.log(torch.zeros(3))\n")
    expected = checked().diagnostics
    assert expected
    with executor_at(address) as (executor, workers):
        monkeypatch.setattr("distributed.client.Future.status", "lost")
        assert checked(executor=executor, jobs=workers).diagnostics == expected


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        (
            "_IDENTITY",
            "nanlint.nowhere.IDENTITY",
            r"no nanlint; install nanlint==\S+ there\n",
        ),
        (
            "IDENTITY",
            ("nanlint 99",),
            r".*nanlint [^9].*, but this machine nanlint 99; install",
        ),
    ],
)
def test_workers_with_another_program_are_named(
    project: Path, cluster: Any, address: str, monkeypatch: pytest.MonkeyPatch, name: str, value: object, message: str
) -> None:
    monkeypatch.setattr(executors, name, value)
    result = run("--executor", address)
    assert (result.exit_code, result.stdout) == (2, "")
    assert re.search(rf"--executor: {address}: tcp://127.0.0.1:\d+ has {message}", result.stderr)


def test_a_scheduler_without_workers_is_said(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    distributed = pytest.importorskip("distributed", reason="the extra dask is not installed")
    monkeypatch.setattr(executors, "PATIENCE", 0.5)
    with distributed.LocalCluster(n_workers=0, dashboard_address=":0", silence_logs=logging.CRITICAL) as empty:
        result = run("--executor", empty.scheduler_address.replace("tcp:", "dask:"))
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.endswith(": the scheduler has no workers\n")


def test_workers_forget_what_they_were_told(lab: Path, cluster: Any, address: str) -> None:
    with executor_at(address) as (executor, workers):
        checked(executor=executor, jobs=workers)
        assert any(on_each_worker(cluster, known).values())
    assert not any(on_each_worker(cluster, known).values())


def known() -> int:
    return len(module._known)


def test_a_scheduler_that_goes_away_is_said(
    lab: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    distributed = pytest.importorskip("distributed", reason="the extra dask is not installed")
    monkeypatch.setattr(executors, "PATIENCE", 4)
    with (
        distributed.LocalCluster(n_workers=1, dashboard_address=":0", silence_logs=logging.CRITICAL) as own,
        pytest.raises(ExecutorError, match="the connection to the scheduler was lost"),
        executor_at(own.scheduler_address.replace("tcp:", "dask:")) as (executor, _),
    ):
        checked(executor=executor, on_progress=lambda *_: own.close())
    assert not [one.getMessage() for one in caplog.records if one.levelno >= logging.ERROR]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ["--executor", "ray://x:1"],
            '"ray://x:1" is not the address of an executor; it has the form dask://HOST:PORT',
        ),
        (["--executor", "dask://localhost:1"], "dask://localhost:1: no scheduler was reached: Timed out"),
        (["--executor", "dask://"], "dask://: no scheduler was reached"),
        (["--executor", "dask://a:1", "--jobs", "2"], "--executor cannot be combined with --jobs"),
        (["--executor", "dask://a:1", "-"], "--executor cannot be combined with standard input (-)"),
        (["--executor", "dask://a:1", "--watch"], "--watch cannot be combined with --executor"),
        (["--executor", "dask://a:1", "--prove", "--fix"], "--executor cannot be combined with --prove --fix"),
    ],
)
def test_what_cannot_be_is_said(
    project: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str], message: str
) -> None:
    monkeypatch.setattr(executors, "PATIENCE", 4)
    result = run(*arguments)
    assert (result.exit_code, result.stdout) == (2, "")
    assert message in result.stderr


def test_without_the_extra_it_is_said_what_to_install(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    result = run("--executor", "dask://localhost:1")
    assert (result.exit_code, "run: pip install 'nanlint[dask]'" in result.stderr) == (2, True)


def test_rule_files_are_not_sent(project: Path, cluster: Any, address: str) -> None:
    (project / "own.py").write_text(
        "from nanlint.authoring import rule\n\n\n@rule('ABC1', 'own', nodes='log')\ndef own(log, facts):\n"
        "    '''A page.'''\n    yield from ()\n"
    )
    (project / "nanlint.toml").write_text('rules = ["own.py"]\n')
    command = [sys.executable, "-m", "nanlint", "check", "--executor", address, "--trust"]
    result = subprocess.run(command, capture_output=True, text=True, check=False)  # rules stay in a process
    assert (result.returncode, result.stdout) == (2, "")
    assert "rule files are not sent to workers; install the rules there, as a package" in result.stderr
