"""The whole output of a run of `nanlint check`, given again while nothing of what it depends on has changed.

It depends on the arguments, the environment, the terminal, the program, and on what was asked of the disk. This is
looked up before click, the configuration or a rule is imported, so only what Python has loaded anyway is used here.
"""

from __future__ import annotations

import os
import sqlite3
import sys
import time

from nanlint import disk
from nanlint.cache import store

TYPE_CHECKING = False
if TYPE_CHECKING:  # typing is not imported before an answer is given
    from collections.abc import Iterator, Sequence

#: variables of the environment that an output depends on, besides those that begin as ours do
VARIABLES = frozenset(
    (
        *("CI", "COLORTERM", "COLUMNS", "DOMTERM", "FORCE_COLOR", "FORCE_HYPERLINK", "HOME", "KONSOLE_VERSION", "LANG"),
        *("LANGUAGE", "LC_ALL", "LC_CTYPE", "LC_MESSAGES", "LINES", "NO_COLOR", "PYTHONIOENCODING", "PYTHONUTF8"),
        *("TERM", "TERMINAL_EMULATOR", "TERM_PROGRAM", "TERM_PROGRAM_VERSION", "VTE_VERSION", "WT_SESSION"),
        *("XDG_CONFIG_DIRS", "XDG_CONFIG_HOME"),
    )
)
PREFIX = "NANLINT_"

_LARGEST = 1 << 22  # bytes of output that are kept

#: what the run has printed so far, and whether to standard error; None if it is not to be kept
printed: list[tuple[bool, bytes]] | None = None
_began = time.time_ns()


def begin() -> None:
    """Keep what the run prints from now on."""
    global printed
    printed = []


def hear(text: str, *, err: bool) -> None:
    """Keep what is being printed."""
    if printed is not None:
        encoding = (sys.stderr if err else sys.stdout).encoding or "utf-8"
        printed.append((err, text.encode(encoding, "backslashreplace")))


def drop() -> None:
    """Keep nothing of the run: its output depends on more than is written down, or it does more than print."""
    global printed
    printed = None


def recall(arguments: Sequence[str]) -> int | None:
    """Print what a run with these arguments prints, if that is known, and return its exit code."""
    directory = store.directory_for(arguments)
    connection = store.existing(directory) if directory is not None else None
    if connection is None:
        return None
    try:
        row = connection.execute(
            "SELECT asked, printed, code, day FROM answers WHERE question = ?", (_question(arguments),)
        ).fetchone()
        if row is None or not _holds(row[0]):
            return None
        streams = [sys.stdout.buffer, sys.stderr.buffer]
        for part in row[1].split(b"\0") if row[1] else ():
            stream = streams[part[:1] == b"e"]
            stream.write(part[1:])
            stream.flush()
        _use(connection, arguments, row[3])
        return int(row[2])
    except sqlite3.Error:
        return None
    finally:
        connection.close()


def _use(connection: sqlite3.Connection, arguments: Sequence[str], day: int) -> None:
    if day != today():
        connection.execute("UPDATE answers SET day = ? WHERE question = ?", (today(), _question(arguments)))


def today() -> int:
    """The number of the day."""
    return int(time.time() // 86_400)


def keep(arguments: Sequence[str], code: int) -> None:
    """Keep what the run printed, if it may be given again; nothing of one that failed, which did not read all."""
    if printed is None or code not in (0, 1) or sum(len(text) for _, text in printed) > _LARGEST:
        return
    directory = store.directory_for(arguments)
    questions = disk.asked()
    asked = _written(questions) if questions is not None else None
    connection = store.prepared(directory) if directory is not None and asked is not None else None
    if connection is None:
        return
    text = b"\0".join((b"e" if err else b"o") + text for err, text in printed)
    if text.count(b"\0") != max(len(printed) - 1, 0):
        return
    try:
        with connection:
            connection.execute("BEGIN IMMEDIATE")
            row = (_question(arguments), today(), asked, text, code)
            connection.execute("INSERT OR REPLACE INTO answers VALUES (?, ?, ?, ?, ?)", row)
            store.tidy(connection, today())
    except sqlite3.Error:
        return
    finally:
        connection.close()


def _question(arguments: Sequence[str]) -> bytes:
    """All that a run depends on and that is no file of what it checks."""
    variables = (
        f"{name}={value}" for name, value in sorted(os.environ.items()) if name in VARIABLES or name.startswith(PREFIX)
    )
    parts = (program(), os.getcwd(), *_terminal(), *arguments, "", *variables)
    return b"\0".join(part.encode("utf-8", "surrogateescape") for part in parts)


def _terminal() -> Iterator[str]:
    for stream in (sys.stdout, sys.stderr):
        terminal = stream is not None and stream.isatty()
        yield f"{getattr(stream, 'encoding', '')} {os.get_terminal_size(stream.fileno()) if terminal else ''}"


def program() -> str:
    """What tells the program from others that would find or say something else: its files and what is installed.

    Packages are told by name and version, so that it is the same where the same ones are installed anew.
    """
    package = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    parts = [package]
    for path in sys.path:
        if os.path.basename(path) in ("site-packages", "dist-packages") and os.path.isdir(path):
            parts += sorted(name for name in os.listdir(path) if name.endswith((".dist-info", ".egg-info")))
    if os.path.isfile(os.path.join(os.path.dirname(package), "pyproject.toml")):  # it may be edited
        parts += sorted(_programs(package))
    return "\n".join(parts)


def _programs(directory: str) -> Iterator[str]:
    """The files of a package, each with its last change. Directories change, too, when bytecode is written."""
    with os.scandir(directory) as entries:
        for entry in entries:
            if entry.name.endswith(".py"):
                yield f"{entry.path} {entry.stat().st_mtime_ns}"
            elif entry.is_dir() and entry.name != "__pycache__":
                yield from _programs(entry.path)


def _written(asked: disk.Asked) -> bytes | None:
    """What was asked of the disk with what it said; None if something may have changed since without a trace."""
    stamps = (stamp for (question, _), stamp in asked.items() if question == disk.CONTENTS)
    if any(disk.is_young(stamp, _began) for stamp in stamps if isinstance(stamp, tuple)):
        return None
    return b"\0\0".join(
        b"\0".join((question.encode(), os.fsencode(path), _encoded(answer)))
        for (question, path), answer in sorted(asked.items(), key=lambda item: item[0])
    )


def _encoded(answer: disk.Answer) -> bytes:
    if isinstance(answer, tuple):
        return b"=" + b"/".join(os.fsencode(str(part)) for part in answer if part != store.DIRECTORY)
    return str(answer).encode()


def _holds(asked: bytes) -> bool:
    for line in asked.split(b"\0\0"):
        question, path, answer = line.split(b"\0")
        if _encoded(disk.answer_now(question.decode(), os.fsdecode(path))) != answer:
            return False
    return True
