"""Fixes are read back where they are made, shown as a diff or handed on with their edits, and for no other output."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from nanlint.cli import cli

PROGRAM = "import torch\n\n\ndef f(x):\n    return torch.log(torch.softmax(x, -1))\n"


def test_a_fix_that_is_refused_is_not_made_nor_handed_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []

    def refuse(offers: list[object], *_: object) -> dict[int, str]:
        asked.append(len(offers))
        return dict.fromkeys(range(len(offers)), "not like this")

    monkeypatch.setattr("nanlint.fixes.readback.refused", refuse)
    file = tmp_path / "loss.py"
    file.write_text(PROGRAM, encoding="utf-8")

    def printed(*options: str) -> str:
        return CliRunner().invoke(cli, ["check", "--isolated", *options, str(file)]).stdout

    assert "[*]" in printed("--output-format", "concise")
    assert not asked
    (finding,) = json.loads(printed("--output-format", "json"))
    assert finding["fix"]["applicability"] == "display"
    assert "log_softmax" not in printed("--diff")
    printed("--fix")
    assert file.read_text(encoding="utf-8") == PROGRAM
    assert len(asked) >= 3
