"""What is shown where the mouse rests."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.server.sessions import session

LOSS = """\
import torch
import torch.nn.functional as F


def loss(logits, target):
    "\U0001f600"; probs = F.softmax(logits, dim=1)
    return -(target * torch.log(probs)).sum()


def other(x):
    return torch.log(torch.softmax(x, -1))  # nanlint: ignore[NL101, NL2]
"""


def at(words: str, line: int) -> tuple[int, int]:
    """Line and UTF-16 column of a piece of a line."""
    before, _, _ = LOSS.splitlines()[line].partition(words)
    return line, len(before.encode("utf-16-le")) // 2


@pytest.mark.asyncio
async def test_hover_tells_of_findings_expressions_and_suppressed_rules(tmp_path: Path) -> None:
    async with session("VS Code", tmp_path) as editor:
        uri = editor.open("loss.py", LOSS)
        finding = await editor.hover(uri, *at("torch.log", 6))
        assert finding is not None
        assert "log of a softmax" in finding
        assert "Made by: `F.softmax(logits, dim=1)` (line 6) is exactly 0" in finding
        assert "- Level: certain, decided by made-by-form" in finding
        assert len(finding.splitlines()) <= 12
        assert "witness: `logits = [0., 200.]" in finding
        assert "fix (safe): replace with `F.log_softmax(logits, dim=1)`" in finding
        expression = await editor.hover(uri, *at("softmax", 5))
        assert expression is not None
        assert expression.startswith("`F.softmax(logits, dim=1)`")
        assert r"in \[0, 1\]" in expression
        assert "- Cause of: NL101 log-of-softmax (certain) on line 7." in expression
        assert await editor.hover(uri, *at("probs", 5)) == expression
        page = await editor.hover(uri, *at("NL101", 10))
        assert page is not None
        assert page.startswith("# log-of-softmax (NL101)")
        group = await editor.hover(uri, *at("NL2", 10))
        assert group is not None
        assert "sqrt-at-zero" in group
        assert await editor.hover(uri, *at("import", 0)) is None


@pytest.mark.asyncio
async def test_rules_in_configuration_have_their_pages(tmp_path: Path) -> None:
    table = '[tool.other]\nselect = ["NL101"]\n[tool.nanlint]\nignore = ["where-gradient"]\n'
    async with session("VS Code", tmp_path) as editor:
        uri = editor.open("pyproject.toml", table, "toml")
        page = await editor.hover(uri, 3, 14)
        assert page is not None
        assert page.startswith("# where-gradient (NL203)")
        assert await editor.hover(uri, 1, 14) is None
        assert await editor.hover(uri, 3, 9) is None


@pytest.mark.asyncio
async def test_keys_of_the_configuration_tell_what_they_hold(tmp_path: Path) -> None:
    table = 'select = ["ALL"]\n[tool.nanlint]\nconfidence = "likely"\n[tool.nanlint.severity]\nNL1 = "info"\n'
    async with session("VS Code", tmp_path) as editor:
        uri = editor.open("pyproject.toml", table, "toml")
        key = await editor.hover(uri, 2, 4)
        assert key is not None
        assert key.startswith("**confidence**\n\nThe lowest confidence to report.")
        assert '- default: `"likely"`' in key
        assert (await editor.hover(uri, 3, 16) or "").startswith("**severity**")
        assert await editor.hover(uri, 2, 15) is None
        assert await editor.hover(uri, 0, 2) is None


@pytest.mark.asyncio
async def test_a_client_that_shows_no_markdown_gets_the_signs_themselves(tmp_path: Path) -> None:
    async with session("plain text", tmp_path) as editor:
        uri = editor.open("loss.py", LOSS)
        expression = await editor.hover(uri, *at("softmax", 5))
        assert expression is not None
        assert "in [0, 1]" in expression
