"""The guide that adds a sixth adapter: its files are run, and print what it says."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from nanlint.testing import blocks
from nanlint.toml import loads
from tests.runtime.running import ROOT, environment

GUIDE = (ROOT / "docs" / "adapters.md").read_text("utf-8")


def test_the_sixth_adapter_does_what_the_guide_says(tmp_path: Path) -> None:
    for program in blocks(GUIDE, "python"):
        name = program.splitlines()[0].removeprefix("# ")
        # the line that names the file is not part of it
        (tmp_path / name).write_text(program.partition("\n")[2])
    install(tmp_path)
    (console,) = blocks(GUIDE, "text")
    command, _, expected = console.partition("\n")
    ran = subprocess.run(
        [sys.executable, "-m", "nanlint", *command.split()[2:]],
        cwd=tmp_path, env={**environment(), "PYTHONPATH": os.pathsep.join([str(ROOT), str(tmp_path)])},
        capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert ran.stderr.replace(f"{tmp_path}{os.sep}", "") == expected
    assert ran.returncode == 1


def install(directory: Path) -> None:
    """What an installer leaves of the package that the guide describes."""
    (entries,) = blocks(GUIDE, "toml")
    ((group, points),) = loads(entries)["project"]["entry-points"].items()
    installed = directory / "nanlint_slate-1.dist-info"
    installed.mkdir()
    (installed / "METADATA").write_text("Metadata-Version: 2.1\nName: nanlint-slate\nVersion: 1\n")
    lines = [f"[{group}]", *(f"{name} = {value}" for name, value in points.items())]
    (installed / "entry_points.txt").write_text("\n".join(lines) + "\n")
