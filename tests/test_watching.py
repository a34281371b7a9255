"""``--watch``: a real process that is told of real changes, and what of an earlier check still holds."""

from __future__ import annotations

import os
import queue
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner

from nanlint.cli import cli

ROOT = Path(__file__).parents[1]
BUG = "import torch\n\n\ndef f(x):\n    return torch.log(torch.softmax(x, -1))\n"
LIMIT = 30.0  # seconds


class Watched:
    """A ``nanlint --watch``, with the last line of each check as it comes."""

    def __init__(self, directory: Path, *arguments: str) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "nanlint", "--watch", "--output-format", "concise", *arguments],
            cwd=directory,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        self.lines = queue.Queue[str]()
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self.lines.put(line.rstrip("\n"))

    def until(self, wanted: str) -> list[str]:
        """The findings up to a line that begins as wanted."""
        seen: list[str] = []
        while True:
            line = self.lines.get(timeout=LIMIT)
            if line.startswith(wanted):
                return seen
            if line.startswith("src"):
                seen.append(line)

    def interrupt(self) -> tuple[int, str]:
        """Ctrl-C: the exit code, and standard error."""
        self.process.send_signal(signal.SIGINT)
        _, errors = self.process.communicate(timeout=LIMIT)
        return self.process.returncode, errors


@pytest.fixture
def watched(tmp_path: Path) -> Iterator[Watched]:
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "a.py").write_text(BUG)
    program = Watched(tmp_path, "src")
    yield program
    program.process.kill()
    program.process.wait()


def test_what_changes_is_checked_again_until_ctrl_c(watched: Watched, tmp_path: Path) -> None:
    source = tmp_path / "src"
    assert watched.until("Found 1 error.")[0].startswith("src/a.py:5:12: NL101")
    (source / "b.py").write_text(BUG)
    assert "src/b.py:5:12" in "".join(watched.until("Found 2 errors."))
    (source / "a.py").write_text("import torch\n")
    assert watched.until("Found 1 error.")[0].startswith("src/b.py")
    (source / "b.py").unlink()
    watched.until("No findings in 1 file ")
    (source / "b.py").write_text(BUG)
    watched.until("Found 1 error.")
    (tmp_path / "nanlint.toml").write_text('select = ["NL801"]\n')  # above what is watched
    watched.until("No findings in 2 files")
    (tmp_path / "nanlint.toml").write_text("select = [\n")
    (tmp_path / "nanlint.toml").unlink()
    watched.until("Found 1 error.")
    code, errors = watched.interrupt()
    assert code == 130
    assert "Traceback" not in errors
    assert "Files changed." in errors


@pytest.mark.parametrize("arguments", [["-"], ["--diff"], ["--show-files"], ["--add-ignore"], ["--write-baseline=b"]])
def test_what_is_done_once_is_not_watched(arguments: list[str]) -> None:
    result = CliRunner().invoke(cli, ["check", "--watch", *arguments])
    assert result.exit_code == 2
    assert "--watch" in result.stderr


def test_what_is_not_there_is_not_waited_for() -> None:
    result = CliRunner().invoke(cli, ["check", "--watch", "nowhere.py"])
    assert (result.exit_code, result.stderr) == (2, "error: nowhere.py: no such file or directory\n")
