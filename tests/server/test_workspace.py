"""Folders, their configuration as it changes, and the check of all their files."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner
from lsprotocol import types

import nanlint
from nanlint.cli import cli
from nanlint.config import Configs
from nanlint.lint.known_rules import ops_problem, rule_names
from nanlint.lint.many_files import check
from tests.server.sessions import Session, patiently, session

LOSS = "import torch\n\n\ndef loss(x, t):\n    return -(t * torch.log(torch.softmax(x, -1))).sum()\n"


def write(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


async def codes(editor: Session, uri: str) -> list[object]:
    return [one.code for one in await editor.diagnostics(uri)]


def changed(editor: Session, path: Path) -> None:
    event = types.FileEvent(path.as_uri(), types.FileChangeType.Changed)
    editor.client.workspace_did_change_watched_files(types.DidChangeWatchedFilesParams([event]))


@pytest.mark.asyncio
async def test_each_folder_has_its_own_configuration_and_a_change_of_it_is_heard(tmp_path: Path) -> None:
    here, there = tmp_path / "here", tmp_path / "there"
    write(here / "loss.py", LOSS)
    write(there / "loss.py", LOSS)
    table = write(there / "pyproject.toml", '[tool.nanlint]\nignore = ["NL1"]\n')
    async with session("VS Code", here, folders=[here, there]) as editor:
        one = editor.open("loss.py", LOSS)
        other = editor.open("../there/loss.py", LOSS)
        assert await codes(editor, one) == ["NL101"]
        assert await codes(editor, other) == []
        table.write_text('[tool.nanlint.severity]\nNL1 = "info"\n')
        changed(editor, table)
        (found,) = await editor.diagnostics(other)
        assert found.severity is types.DiagnosticSeverity.Information
        assert editor.client.diagnostic_refresh_count == 1
        assert any(one.method == types.WORKSPACE_DID_CHANGE_WATCHED_FILES for one in editor.registered)


@pytest.mark.asyncio
async def test_a_change_of_what_a_configuration_extends_is_noticed(tmp_path: Path) -> None:
    write(tmp_path / "nanlint.toml", 'extend = "shared.toml"\n')
    shared = write(tmp_path / "shared.toml", 'ignore = ["NL1"]\n')
    async with session("VS Code", tmp_path) as editor:
        uri = editor.open("loss.py", LOSS)
        assert await codes(editor, uri) == []
        shared.write_text("")
        changed(editor, shared)
        assert await codes(editor, uri) == ["NL101"]


@pytest.mark.asyncio
async def test_a_broken_configuration_is_told_where_it_is_broken_and_leaves_the_last_good_one_in_force(
    tmp_path: Path,
) -> None:
    table = write(tmp_path / "pyproject.toml", '[tool.nanlint]\nconfidence = "certain"\n')
    async with session("Emacs", tmp_path) as editor:
        uri = editor.open("loss.py", LOSS)
        assert await codes(editor, uri) == ["NL101"]
        broken = '[tool.nanlint]\nconfidence = "certain"\nignore = ["log-of-sofmax"]\n'
        table.write_text(broken)
        toml = editor.open("pyproject.toml", broken, "toml")
        editor.save(toml)
        assert await codes(editor, uri) == ["NL101"]
        (fault,) = await editor.pushed(toml)
        assert 'unknown rule "log-of-sofmax"; did you mean "log-of-softmax"?' in fault.message
        start, end = fault.range.start, fault.range.end
        assert broken.splitlines()[start.line][start.character : end.character] == "log-of-sofmax"
        assert [one.type for one in editor.client.messages] == [types.MessageType.Error]
        table.write_text('[tool.nanlint]\nignore = ["NL1"]\n')
        editor.save(toml)
        assert await codes(editor, uri) == []
        assert not await editor.pushed(toml)
        assert len(editor.client.messages) == 1


@pytest.mark.asyncio
async def test_what_the_configuration_leaves_out_is_left_alone(tmp_path: Path) -> None:
    write(tmp_path / ".gitignore", "generated/\n")
    write(tmp_path / "pyproject.toml", '[tool.nanlint]\nextend-exclude = ["old"]\n')
    (tmp_path / ".git").mkdir()
    async with session("VS Code", tmp_path) as editor:
        assert await codes(editor, editor.open("loss.py", LOSS)) == ["NL101"]
        assert await codes(editor, editor.open("generated/loss.py", LOSS)) == []
        assert await codes(editor, editor.open("old/loss.py", LOSS)) == []
        assert await codes(editor, editor.open(".venv/lib/site-packages/loss.py", LOSS)) == []


@pytest.mark.asyncio
async def test_settings_of_the_editor_are_heard_over_the_file_and_wrong_ones_are_told_once(tmp_path: Path) -> None:
    settings = {"settings": {"ignore": ["NL1"], "confidense": "certain", "fixAll": "yes"}}
    async with session("VS Code 1.65", tmp_path, settings) as editor:
        uri = editor.open("loss.py", LOSS)
        assert await codes(editor, uri) == []
        messages = [one.message for one in editor.client.messages]
        assert messages == [
            'nanlint: nanlint\'s settings: unknown setting "confidense"; did you mean "confidence"?',
            "nanlint: nanlint's settings: fixAll: expected true or false, got 'yes'",
        ]
        editor.client.set_configuration({"nanlint": {"select": ["NL1"]}})
        editor.client.workspace_did_change_configuration(types.DidChangeConfigurationParams({}))
        assert await codes(editor, uri) == ["NL101"]


@pytest.mark.asyncio
async def test_the_check_of_the_workspace_tells_how_far_it_is_and_finds_what_the_command_line_finds(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(9):
        write(tmp_path / f"part{number}" / "loss.py", LOSS if number % 2 else "x = 1\n")
    async with session("VS Code", tmp_path) as editor:
        done = await patiently(
            editor.client.workspace_execute_command_async(types.ExecuteCommandParams("nanlint.checkWorkspace", []))
        )
        assert done == {"files": 9, "findings": 4}
        (reports,) = map(list[object], editor.client.progress_reports.values())
        kinds = [type(one) for one in reports]
        assert kinds[0] is types.WorkDoneProgressBegin
        assert kinds[-1] is types.WorkDoneProgressEnd
        percentages = [one.percentage for one in reports if isinstance(one, types.WorkDoneProgressReport)]
        assert None not in percentages
        assert percentages == sorted(percentages, key=lambda one: one or 0)
        assert percentages[-1] == 100
        monkeypatch.chdir(tmp_path)
        by_command_line = check(["."], Configs(rule_names(), ops_problem=ops_problem)).diagnostics
        told = {uri: [one.code for one in found] for uri, found in editor.client.diagnostics.items() if found}
        assert told == {(tmp_path / one.path).as_uri(): [one.code] for one in by_command_line}


@pytest.mark.asyncio
async def test_a_client_may_pull_the_workspace_and_hears_again_only_of_what_has_changed(tmp_path: Path) -> None:
    bad = write(tmp_path / "loss.py", LOSS)
    write(tmp_path / "fine.py", "import torch\n")
    async with session("VS Code", tmp_path, {"diagnosticMode": "workspace"}) as editor:
        pull = editor.client.workspace_diagnostic_async
        first = await patiently(pull(types.WorkspaceDiagnosticParams([], work_done_token="check")))
        assert {one.uri: [each.code for each in one.items] for one in first.items} == {
            bad.as_uri(): ["NL101"],
            (tmp_path / "fine.py").as_uri(): [],
        }
        assert editor.client.progress_reports["check"]
        known = [types.PreviousResultId(one.uri, one.result_id) for one in first.items]
        waiting = pull(types.WorkspaceDiagnosticParams(known))
        bad.write_text("import torch\n")
        changed(editor, bad)
        second = await patiently(waiting)
        assert {one.uri: one.kind for one in second.items} == {
            bad.as_uri(): "full",
            (tmp_path / "fine.py").as_uri(): "unchanged",
        }


@pytest.mark.asyncio
@pytest.mark.parametrize("profile", ["VS Code", "Helix"])
async def test_what_the_baseline_hides_from_the_command_line_is_a_hint_and_more_is_an_error(
    profile: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path / "loss.py", LOSS)
    write(tmp_path / "part" / "other.py", LOSS)
    write(tmp_path / "nanlint.toml", 'baseline = "nanlint-baseline.json"\n')
    monkeypatch.chdir(tmp_path)
    assert CliRunner().invoke(cli, ["check", "--write-baseline"]).exit_code == 0
    async with session(profile, tmp_path) as editor:
        uri = editor.open("loss.py", "\n\n" + LOSS)
        (known,) = await editor.diagnostics(uri)
        assert (known.code, known.severity) == ("NL101", types.DiagnosticSeverity.Hint)
        assert known.message.endswith("\nknown: the baseline hides it from `nanlint check`")
        again = LOSS.partition("\n\n\n")[2]
        editor.replace(uri, LOSS + "\n\n" + again.replace("loss", "again"))
        found = await editor.diagnostics(uri)
        assert [(one.code, one.severity) for one in found] == [
            ("NL101", types.DiagnosticSeverity.Hint),
            ("NL101", types.DiagnosticSeverity.Error),
        ]
        asked = types.ExecuteCommandParams("nanlint.checkWorkspace", [])
        await patiently(editor.client.workspace_execute_command_async(asked))
        (other,) = await editor.pushed(editor.uri("part/other.py"))
        assert other.severity is types.DiagnosticSeverity.Hint


@pytest.mark.asyncio
async def test_findings_in_a_notebook_that_is_not_open_stand_where_its_file_has_the_cell(tmp_path: Path) -> None:
    cells = [
        {"cell_type": "code", "metadata": {}, "outputs": [], "execution_count": None, "source": [one]}
        for one in ("import torch", "y = torch.log(torch.softmax(torch.randn(3), -1))")
    ]
    text = json.dumps({"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}, indent=1)
    write(tmp_path / "study.ipynb", text)
    async with session("VS Code", tmp_path) as editor:
        asked = types.ExecuteCommandParams("nanlint.checkWorkspace", [])
        await patiently(editor.client.workspace_execute_command_async(asked))
        (found,) = await editor.pushed(editor.uri("study.ipynb"))
        assert found.message.startswith("cell 2:1:5: log of a softmax")
        assert "torch.log" in text.splitlines()[found.range.start.line]


@pytest.mark.asyncio
async def test_a_baseline_that_cannot_be_used_is_told_where_it_is_named_and_hides_nothing(tmp_path: Path) -> None:
    table = 'confidence = "likely"\nbaseline = "known.json"\n'
    toml = write(tmp_path / "nanlint.toml", table).as_uri()
    async with session("VS Code", tmp_path) as editor:
        uri = editor.open("loss.py", LOSS)
        assert [one.severity for one in await editor.diagnostics(uri)] == [types.DiagnosticSeverity.Error]
        (fault,) = await editor.pushed(toml)
        assert "known.json: no such baseline" in fault.message
        assert fault.range.start == types.Position(1, 0)
        (finding,) = nanlint.check_source(LOSS, "loss.py")
        known = {"version": 2, "files": {"loss.py": {"NL101": [finding.fingerprint]}}}
        write(tmp_path / "known.json", json.dumps(known))
        editor.replace(uri, LOSS)
        assert [one.severity for one in await editor.diagnostics(uri)] == [types.DiagnosticSeverity.Hint]
        assert not await editor.pushed(toml)
