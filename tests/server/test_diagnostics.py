"""Findings reach every kind of client, of the text as it is in the editor."""

from __future__ import annotations

from pathlib import Path

import pytest
from lsprotocol import types

from tests.server.sessions import PROFILES, session

LOSS = """\
import torch
import torch.nn.functional as F


def loss(logits, target):
    probs = F.softmax(logits, dim=1)
    return -(target * torch.log(probs)).sum()
"""


@pytest.mark.asyncio
@pytest.mark.parametrize("profile", PROFILES)
async def test_every_client_is_told_what_is_found_in_unsaved_text(profile: str, tmp_path: Path) -> None:
    async with session(profile, tmp_path) as editor:
        uri = editor.open("loss.py", "import torch\n")
        assert await editor.diagnostics(uri) == []
        editor.replace(uri, LOSS)
        (found,) = await editor.diagnostics(uri)
        assert found.code == "NL101"
        assert found.source == "nanlint"
        assert found.range == types.Range(types.Position(6, 22), types.Position(6, 38))
        assert found.severity is types.DiagnosticSeverity.Error
        editor.replace(uri, "import torch\n")
        assert await editor.diagnostics(uri) == []
