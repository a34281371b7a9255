"""Whatever the program is given or started in: a clear error, and no traceback, no endless waiting."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.runtime.running import Ran, environment

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="as POSIX has it")

LOSS = "import torch\n\n\ndef loss(x, t):\n    return -(t * torch.log(torch.softmax(x, -1))).sum()\n"
SECONDS = 60


def shell(script: str, cwd: Path) -> Ran:
    """A shell in which ``nanlint`` is ours."""
    command = f'nanlint() {{ "{sys.executable}" -m nanlint "$@"; }}\n{script}'
    done = subprocess.run(
        ["/bin/bash", "-c", command], cwd=cwd, env=environment(), capture_output=True, text=True, timeout=SECONDS,
        stdin=subprocess.DEVNULL, check=False,
    )  # fmt: skip
    return Ran(done.returncode, done.stdout, done.stderr)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "loss.py").write_text(LOSS, encoding="utf-8")
    return tmp_path


REFUSED = {
    "a pipe": ("mkfifo p.py; nanlint p.py", 2, "error: p.py: could not be read: is a pipe, and no regular file\n"),
    "a pipe to be fixed": ("mkfifo p.py; nanlint --fix p.py", 2, "error: p.py: could not be read: is a pipe"),
    "a pipe to be explained": ("mkfifo p.py; nanlint explain p.py:1", 2, "error: p.py: could not be read: is a pipe"),
    "a device": ("nanlint /dev/zero", 2, "error: /dev/zero: could not be read: is a device, and no regular file\n"),
    "a device to be explained": ("nanlint explain /dev/zero:1", 2, "error: /dev/zero: could not be read: is a device"),
    "a pipe for a configuration": (
        "mkfifo c.toml; nanlint --config c.toml loss.py",
        2,
        "error: c.toml: cannot be read: is a pipe, and no regular file",
    ),
    "a pipe for a baseline": ("mkfifo b; nanlint --baseline b loss.py", 2, "error: b: could not be read: is a pipe"),
    "an endless standard input": ("nanlint - < /dev/zero", 2, "error: standard input: has more than 256 MiB\n"),
    "a working directory that is gone": (
        "mkdir d; cd d; rmdir ../d; nanlint .",
        2,
        "error: the working directory is gone; go to one that is there\n",
    ),
    "the same with another one": (
        "mkdir d; cd d; rmdir ../d; nanlint config --show",
        2,
        "working directory is gone",
    ),
    "standard output that is closed": ("nanlint loss.py >&-", 2, "error: standard output is closed; to see nothing"),
    "standard input that is closed": ("nanlint - <&-", 2, "error: standard input is closed\n"),
    "a full disk behind standard output": (
        "nanlint loss.py > /dev/full",
        2,
        "error: standard output: no space left on device\n",
    ),
    "a file of more than is source": (
        "truncate -s 300M big.py; nanlint big.py",
        2,
        "error: big.py: could not be read: has more than 256 MiB; exclude it\n",
    ),
    "a configuration in UTF-16": (
        "printf '[tool.nanlint]\\n' | iconv -t UTF-16 > pyproject.toml; nanlint loss.py",
        2,
        "error: pyproject.toml: is not UTF-8: ",
    ),
    "a configuration in Latin-1": (
        "printf '[tool.nanlint]\\n# \\xe9\\n' > pyproject.toml; nanlint loss.py",
        2,
        "error: pyproject.toml: is not UTF-8: ",
    ),
}


@pytest.mark.parametrize("what", REFUSED)
def test_what_cannot_be_used_is_named(what: str, folder: Path) -> None:
    script, code, message = REFUSED[what]
    done = shell(script, folder)
    assert message in done.stderr
    assert "Traceback" not in done.stderr
    assert (done.code, done.stdout) == (code, "")


def test_a_pipe_beside_the_files_keeps_nobody_waiting(folder: Path) -> None:
    """One in a project, that files import or that a walk meets, is no file of it."""
    os.mkfifo(folder / "helper.py")
    os.mkfifo(folder / ".gitignore")
    os.mkfifo(folder / "nanlint.toml")
    (folder / "pyproject.toml").touch()
    (folder / "loss.py").write_text(f"import helper\n{LOSS}", encoding="utf-8")
    done = shell("nanlint --verbose --output-format concise .", folder)
    assert (done.code, "loss.py:6:18: NL101" in done.stdout) == (1, True)
    assert "Traceback" not in done.stderr


def test_what_is_closed_and_not_needed_is_not_missed(folder: Path) -> None:
    done = shell("nanlint --output-format concise loss.py <&- 2>&-", folder)
    assert (done.code, done.stdout.count("NL101")) == (1, 1)
    assert shell("nanlint --output sarif:report.sarif loss.py <&-", folder).code == 1
    assert (folder / "report.sarif").read_text(encoding="utf-8").startswith("{")
    assert shell("nanlint --version", folder).code == 0
    assert shell("mkdir d; cd d; rmdir ../d; nanlint --version", folder).code == 0
