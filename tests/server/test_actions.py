"""What is offered for a finding does what it says, in every kind of client."""

from __future__ import annotations

from pathlib import Path

import pytest
from lsprotocol import types

import nanlint
from tests.server.sessions import PROFILES, UTF8, UTF16, UTF32, Session, applied, session

EXAMPLES = Path(__file__).parents[2] / "examples"

TWO = """\
import torch
import torch.nn.functional as F


def loss(logits, target):
    note = "\U0001f600"; probs = F.softmax(logits, dim=1)
    first = -(target * torch.log(probs)).sum()
    return first + torch.sqrt(((logits - target) ** 2).mean())


def other(logits, target):
    return -(target * torch.log(torch.softmax(logits, dim=1))).sum()
"""


def encoding(editor: Session) -> types.PositionEncodingKind:
    return types.PositionEncodingKind(editor.capabilities.position_encoding or UTF16)


async def offered(editor: Session, uri: str, code: str) -> tuple[types.Diagnostic, list[types.CodeAction]]:
    """The first finding of a rule with the actions at it."""
    found = next(one for one in await editor.diagnostics(uri) if one.code == code)
    return found, await editor.actions(uri, found.range, [found])


def titled(actions: list[types.CodeAction], words: str) -> types.CodeAction:
    return next(one for one in actions if words in one.title)


@pytest.mark.asyncio
@pytest.mark.parametrize("profile", [one for one in PROFILES if one not in ("bare", "plain text")])
async def test_every_action_makes_the_text_that_it_promises(profile: str, tmp_path: Path) -> None:
    async with session(profile, tmp_path) as editor:
        uri = editor.open("loss.py", TWO)
        found, actions = await offered(editor, uri, "NL101")
        units = encoding(editor)

        async def after(words: str) -> list[str]:
            action = await editor.resolved(titled(actions, words))
            assert action.edit is not None
            text = applied(TWO, action.edit, units)
            return [one.code for one in nanlint.check_source(text)]

        before = [one.code for one in nanlint.check_source(TWO)]
        assert before == ["NL101", "NL201", "NL101"]
        assert await after("log_softmax") == ["NL201", "NL101"]
        assert await after("fix all log-of-softmax problems") == ["NL201"]
        assert await after("disable for this line") == ["NL201", "NL101"]
        assert await after("disable for this file") == ["NL201"]
        assert list(titled(actions, "log_softmax").diagnostics or ()) == [found]


@pytest.mark.asyncio
async def test_fix_all_is_what_the_command_line_writes_and_is_made_only_when_it_is_taken(tmp_path: Path) -> None:
    async with session("VS Code", tmp_path) as editor:
        uri = editor.open("loss.py", TWO)
        start = types.Range(types.Position(0, 0), types.Position(0, 0))
        (action,) = await editor.actions(uri, start, only=["source.fixAll"])
        assert action.kind == "source.fixAll.nanlint"
        assert action.edit is None
        resolved = await editor.resolved(action)
        assert resolved.edit is not None
        assert applied(TWO, resolved.edit, UTF16) == nanlint.fix_source(TWO).source.text


@pytest.mark.asyncio
async def test_a_client_that_cannot_resolve_gets_the_edits_at_once(tmp_path: Path) -> None:
    async with session("Emacs", tmp_path) as editor:
        uri = editor.open("loss.py", TWO)
        start = types.Range(types.Position(0, 0), types.Position(0, 0))
        (action,) = await editor.actions(uri, start, only=["source.fixAll.nanlint"])
        assert action.edit is not None
        assert applied(TWO, action.edit, UTF32) == nanlint.fix_source(TWO).source.text


@pytest.mark.asyncio
async def test_safe_fixes_are_preferred_and_others_say_that_they_are_not_safe(tmp_path: Path) -> None:
    lost = (EXAMPLES / "tape_before.py").read_text()
    async with session("VS Code", tmp_path) as editor:
        _, safe = await offered(editor, editor.open("loss.py", TWO), "NL101")
        assert titled(safe, "log_softmax").is_preferred
        _, unsafe = await offered(editor, editor.open("tape.py", lost), "NL601")
        assert not titled(unsafe, "into the tape (unsafe)").is_preferred


@pytest.mark.asyncio
async def test_edits_are_for_the_version_that_they_were_made_for(tmp_path: Path) -> None:
    async with session("VS Code", tmp_path) as editor:
        uri = editor.open("loss.py", TWO)
        version = editor.replace(uri, "\n" + TWO)
        _, actions = await offered(editor, uri, "NL101")
        edit = titled(actions, "log_softmax").edit
        assert edit is not None
        assert edit.document_changes is not None
        (change,) = edit.document_changes
        assert isinstance(change, types.TextDocumentEdit)
        assert change.text_document.version == version


@pytest.mark.asyncio
async def test_an_action_for_a_text_that_is_gone_changes_nothing(tmp_path: Path) -> None:
    async with session("VS Code", tmp_path) as editor:
        uri = editor.open("loss.py", TWO)
        start = types.Range(types.Position(0, 0), types.Position(0, 0))
        (action,) = await editor.actions(uri, start, only=["source.fixAll"])
        editor.replace(uri, "\n\n" + TWO)
        assert (await editor.resolved(action)).edit is None


@pytest.mark.asyncio
async def test_positions_count_bytes_for_a_client_that_does(tmp_path: Path) -> None:
    async with session("Helix", tmp_path) as editor:
        assert encoding(editor) is UTF8
        uri = editor.open("loss.py", TWO)
        found, _ = await offered(editor, uri, "NL101")
        assert found.related_information is not None
        cause = found.related_information[0].location.range
        line = TWO.splitlines()[5].encode()
        assert line[cause.start.character : cause.end.character] == b"F.softmax(logits, dim=1)"
