"""Whatever the program is given or started in: a clear error, and no traceback, no endless waiting."""

from __future__ import annotations

import os
import subprocess
import sys
from contextlib import suppress
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
    "a pipe": ("mkfifo p.py; nanlint p.py", 2, "error: p.py: could not be read: is a pipe, not a regular file\n"),
    "a pipe to be fixed": ("mkfifo p.py; nanlint --fix p.py", 2, "error: p.py: could not be read: is a pipe"),
    "a pipe to be explained": ("mkfifo p.py; nanlint explain p.py:1", 2, "error: p.py: could not be read: is a pipe"),
    "a device": ("nanlint /dev/zero", 2, "error: /dev/zero: could not be read: is a device, not a regular file\n"),
    "a device to be explained": ("nanlint explain /dev/zero:1", 2, "error: /dev/zero: could not be read: is a device"),
    "a pipe for a configuration": (
        "mkfifo c.toml; nanlint --config c.toml loss.py",
        2,
        "error: c.toml: cannot be read: is a pipe, not a regular file",
    ),
    "a pipe for a baseline": ("mkfifo b; nanlint --baseline b loss.py", 2, "error: b: could not be read: is a pipe"),
    "an endless standard input": ("nanlint - < /dev/zero", 2, "error: standard input: has more than 256 MiB\n"),
    "a working directory that is gone": (
        "mkdir d; cd d; rmdir ../d; nanlint .",
        2,
        "error: the working directory no longer exists; change to another one\n",
    ),
    "the same with another one": (
        "mkdir d; cd d; rmdir ../d; nanlint config --show",
        2,
        "working directory no longer exists",
    ),
    "standard output that is closed": (
        "nanlint loss.py >&-",
        2,
        "error: standard output is closed; to discard the output",
    ),
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


#: sets the title of a terminal, clears it, and rings
OBEYED = "\x1b]0;title\x07\x1b[2J\x1b[31m"
NAMED = f"lo{OBEYED}ss.py"
SAID = {
    "a file": ["check", NAMED],
    "its lines": ["check", "lines.py"],
    "a broken file": ["check", f"broken{OBEYED}.py"],
    "a suppression": ["check", "suppressed.py"],
    "a file that is not there": ["check", f"no{OBEYED}.py"],
    "concise lines": ["check", "--output-format", "concise", "."],
    "groups": ["check", "--output-format", "grouped", "."],
    "what GitHub reads": ["check", "--output-format", "github", "."],
    "a diff": ["check", "--diff", "."],
    "what was not resolved": ["check", "--verbose", "."],
    "the files": ["check", "--show-files", "."],
    "statistics": ["check", "--statistics", "."],
    "a story": ["explain", f"{NAMED}:5"],
    "the story of lines": ["explain", "lines.py:2"],
    "a story of nothing": ["explain", f"{NAMED}:900"],
    "a graph": ["graph", f"{NAMED}:loss"],
    "a rule": ["rule", f"NL{OBEYED}"],
    "an option": ["check", f"--op{OBEYED}"],
    "a value": ["check", "--color", OBEYED],
    "a run": ["inspect", f"run{OBEYED}"],
    "a run that is made": ["verify", "-c", f"name = '{OBEYED.encode('unicode_escape').decode()}'"],
}


@pytest.mark.parametrize("what", SAID)
def test_no_terminal_obeys_what_others_named_or_wrote(what: str, folder: Path) -> None:
    (folder / NAMED).write_text(LOSS, encoding="utf-8")
    (folder / f"broken{OBEYED}.py").write_text("import torch\nx = (\n", encoding="utf-8")
    lines = f"import torch\ny = '{OBEYED}'; x = torch.log(torch.softmax(torch.zeros(2), -1))  # {OBEYED}\n"
    (folder / "lines.py").write_text(lines, encoding="utf-8")
    (folder / "suppressed.py").write_text(f"import torch\nx = 1  # nanlint: ignore[NL{OBEYED}]\n", encoding="utf-8")
    said = on_terminal([sys.executable, "-m", "nanlint", *SAID[what]], folder)
    assert "Traceback" not in said
    assert not any(obeyed in said for obeyed in ("\x1b]0;", "\x07", "\x1b[2J")), said


def on_terminal(command: list[str], cwd: Path) -> str:
    """What a command shows where both of its streams are a terminal."""
    ours, theirs = os.openpty()
    environ = {**environment(), "TERM": "xterm-256color"}
    with subprocess.Popen(command, cwd=cwd, env=environ, stdin=theirs, stdout=theirs, stderr=theirs):
        os.close(theirs)
        shown = b""
        with suppress(OSError):  # the end of a terminal, on Linux
            while part := os.read(ours, 65536):
                shown += part
    os.close(ours)
    return shown.decode(errors="replace")


def test_a_patch_is_what_it_is(folder: Path) -> None:
    (folder / "lines.py").write_text(LOSS + f"# {OBEYED}\n", encoding="utf-8")
    shell("nanlint check --diff lines.py > patch; patch -p0 < patch", folder)
    assert "log_softmax" in (folder / "lines.py").read_text(encoding="utf-8")
    assert OBEYED in (folder / "lines.py").read_text(encoding="utf-8")


def test_what_is_closed_and_not_needed_is_not_missed(folder: Path) -> None:
    done = shell("nanlint --output-format concise loss.py <&- 2>&-", folder)
    assert (done.code, done.stdout.count("NL101")) == (1, 1)
    assert shell("nanlint --output sarif:report.sarif loss.py <&-", folder).code == 1
    assert (folder / "report.sarif").read_text(encoding="utf-8").startswith("{")
    assert shell("nanlint --version", folder).code == 0
    assert shell("mkdir d; cd d; rmdir ../d; nanlint --version", folder).code == 0
