"""What is known of a file holds no longer than what was seen of others: for ``--watch``, and in the editor."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from click.testing import CliRunner

import nanlint
from nanlint.cache.reports import Reports
from nanlint.cli import cli
from nanlint.lint.one_file import run_task
from nanlint.lint.report import FileReport, Task
from nanlint.source.project_files import forget
from tests.server.sessions import PATIENCE, session

MAIN = "import torch\nfrom config import EPS\n\ndef share(x):\n    return x / (x.abs().sum(-1, keepdim=True) + EPS)\n"
GUARDED, BARE = "EPS = 1e-8\n", "EPS = 0.0\n"
HELPER = "import torch\n\ndef entropy(given):\n    return -torch.log(given).mean()\n"
USER = (
    "import torch\nfrom helper import entropy\n\ndef loss(x):\n"
    "    return entropy(torch.softmax(x, -1)) + torch.log(x.exp())\n"
)


def codes(task: Task, memory: Reports) -> list[str]:
    """What a check says that knows the last one, as ``--watch`` makes it."""
    report = recalled(task, memory)
    if report is None:
        report = run_task(task)
        memory.keep(task, report)
        memory.save()
    return [one.code for one in report.diagnostics]


def recalled(task: Task, memory: Reports) -> FileReport | None:
    forget()
    memory.begin()
    return memory.recall(task)


def task_of(path: Path) -> Task:
    return Task(str(path), nanlint.config_of_keys(str(path), {}))


def test_a_report_holds_while_the_files_that_were_seen_are_the_same(tmp_path: Path) -> None:
    (tmp_path / "main.py").write_text(MAIN)
    (tmp_path / "config.py").write_text(GUARDED)
    task, memory = task_of(tmp_path / "main.py"), Reports(None)
    assert codes(task, memory) == []
    assert recalled(task, memory) is not None
    (tmp_path / "config.py").write_text(BARE)
    assert codes(task, memory) == ["NL303"]
    (tmp_path / "config.py").unlink()
    assert recalled(task, memory) is None


def test_a_report_holds_while_the_same_files_use_its_functions(tmp_path: Path) -> None:
    (tmp_path / "helper.py").write_text(HELPER)
    task, memory = task_of(tmp_path / "helper.py"), Reports(None)
    assert codes(task, memory) == []
    (tmp_path / "user.py").write_text(USER)
    assert codes(task, memory) == ["NL101"]
    (tmp_path / "user.py").write_text(USER.replace("softmax(x, -1)", "exp(x)"))
    assert codes(task, memory) == []


def test_a_report_holds_while_the_same_files_use_what_hands_on_to_its_functions(tmp_path: Path) -> None:
    (tmp_path / "helper.py").write_text(HELPER)
    (tmp_path / "between.py").write_text(
        "from helper import entropy\n\ndef twice(given):\n    return 2 * entropy(given)\n"
    )
    task, memory = task_of(tmp_path / "helper.py"), Reports(None)
    assert codes(task, memory) == []
    assert recalled(task, memory) is not None
    (tmp_path / "user.py").write_text(USER.replace("from helper import", "from between import twice as"))
    assert codes(task, memory) == ["NL101"]


def test_a_file_that_is_checked_lets_the_helper_be_judged_that_it_calls(tmp_path: Path) -> None:
    (tmp_path / "helper.py").write_text(HELPER)
    for used, expected in (("softmax(x, -1)", "helper.py:4:13: NL101"), ("exp(x)", "No findings in ")):
        (tmp_path / "user.py").write_text(USER.replace("softmax(x, -1)", used))
        arguments = ["check", "--affected", str(tmp_path / "user.py"), "--output-format", "concise"]
        assert expected in CliRunner().invoke(cli, arguments).stdout


@pytest.mark.asyncio
@pytest.mark.parametrize("client", ["plain text", "VS Code"])
async def test_an_editor_sees_what_is_not_saved_in_another_file_and_looks_again_when_it_changes(
    client: str, tmp_path: Path
) -> None:
    (tmp_path / "config.py").write_text(GUARDED)
    (tmp_path / "main.py").write_text(MAIN)
    async with session(client, tmp_path) as editor:
        config = editor.open("config.py", GUARDED)
        main = editor.open("main.py", MAIN)
        assert await editor.diagnostics(main) == []
        editor.replace(config, BARE)
        async with asyncio.timeout(PATIENCE):
            while [one.code for one in await editor.diagnostics(main)] != ["NL303"]:
                await asyncio.sleep(0.05)
    assert (tmp_path / "config.py").read_text() == GUARDED


@pytest.mark.asyncio
@pytest.mark.parametrize("first", ["import torch\n", USER.replace("softmax(x, -1)", "exp(x)")])
async def test_an_editor_looks_again_at_a_helper_when_a_file_calls_it_that_is_not_saved(
    first: str, tmp_path: Path
) -> None:
    (tmp_path / "user.py").write_text(first)
    (tmp_path / "helper.py").write_text(HELPER)
    async with session("VS Code", tmp_path) as editor:
        user = editor.open("user.py", first)
        helper = editor.open("helper.py", HELPER)
        assert await editor.diagnostics(helper) == []
        editor.replace(user, USER)
        async with asyncio.timeout(PATIENCE):
            while [one.code for one in await editor.diagnostics(helper)] != ["NL101"]:
                await asyncio.sleep(0.05)
