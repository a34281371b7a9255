"""The guide of `nanlint verify` shows what is printed."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from nanlint.testing import blocks
from tests.runtime.running import ROOT, python

pytest.importorskip("numpy")
GUIDE = (ROOT / "docs" / "verify.md").read_text("utf-8")


def test_the_guide_shows_what_is_printed(tmp_path: Path) -> None:
    program = next(block for block in blocks(GUIDE, "python") if block.startswith("# train.py"))
    (tmp_path / "train.py").write_text(program.partition("\n")[2])
    (console,) = (block for block in blocks(GUIDE, "text") if block.startswith("$"))
    command, _, expected = console.partition("\n")
    ran = python("-W", "ignore", "-m", "nanlint", *command.split()[2:], cwd=tmp_path)
    assert ran.stderr.replace(f"{tmp_path}{os.sep}", "") == expected
    assert ran.code == 1
