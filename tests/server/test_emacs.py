"""A real Emacs without a screen, with eglot: the diagnostic appears, and the code action changes the buffer."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.server.sessions import from_the_guide, on_the_path

LOSS = """\
import torch
import torch.nn.functional as F


def loss(logits, target):
    smile = "\U0001f600"; probs = F.softmax(logits, dim=1)
    return smile, -(target * torch.log(probs)).sum()
"""


def has_eglot(emacs: str) -> bool:
    done = subprocess.run([emacs, "--batch", "--eval", "(require 'eglot)"], capture_output=True, check=False)
    return done.returncode == 0


def test_emacs_shows_what_is_found_and_mends_it(tmp_path: Path) -> None:
    emacs = shutil.which("emacs")
    if emacs is None or not has_eglot(emacs):
        pytest.skip("there is no emacs with eglot")
    file, out = tmp_path / "loss.py", tmp_path / "told.json"
    file.write_text(LOSS)
    configuration = tmp_path / "init.el"
    configuration.write_text(from_the_guide("elisp"))
    environment = os.environ | {
        "PATH": on_the_path(tmp_path),
        "NANLINT_CONFIGURATION": str(configuration),
        "NANLINT_FILE": str(file),
        "NANLINT_OUT": str(out),
        "NANLINT_ACTION": "log_softmax",
        "HOME": str(tmp_path),
        "PYTHONPATH": str(Path(__file__).parents[2]),
    }
    command = [emacs, "--batch", "-l", str(Path(__file__).with_name("emacs.el"))]
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=200)
    assert out.exists(), done.stderr
    told = json.loads(out.read_text())
    assert "failure" not in told, (told, done.stderr)
    assert told["flagged"] == "torch.log(probs)"
    assert "log of a softmax" in told["message"]
    assert any("disable for this line" in one for one in told["offered"])
    assert told["after"] == LOSS.replace("torch.log(probs)", "F.log_softmax(logits, dim=1)")
