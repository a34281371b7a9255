"""Statements that fixes changed -> as the project's formatter lays them out: Ruff or Black, if it is set up for one.

The formatter is a program. It is taken from beside nanlint's own interpreter or from an absolute entry of PATH, never
from inside of the project: a repository must not run what it brings with it.
"""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from nanlint import toml
from nanlint.disk import absolute, exists, is_file, note, oracle, parents, read_regular
from nanlint.source.project import view_of
from nanlint.source.text import Source

#: the width of Black and Ruff
DEFAULT = 88
#: the widest that a file is taken to be meant that has wider lines, where nobody says so
WIDEST = 120
#: the narrowest that is common; PEP 8's is one less
NARROW = 80
#: seconds that a formatter may take
PATIENCE = 20

Rows = tuple[int, int]


@dataclass(frozen=True)
class Formatter:
    """What a project is formatted with, by the settings in ``directory``; ``top``: the directory of its repository."""

    name: str
    directory: str
    top: str
    width: int

    def program(self) -> str | None:
        """The program that may be run, if there is one."""
        beside = os.path.dirname(sys.executable or "")
        for directory in (beside, *os.environ.get("PATH", "").split(os.pathsep)):
            program = os.path.join(directory, self.name + (".exe" if os.name == "nt" else ""))
            inside = any(is_below(os.path.realpath(one), os.path.realpath(self.top)) for one in (directory, program))
            if os.path.isabs(directory) and not inside and os.path.isfile(program) and os.access(program, os.X_OK):
                return program
        return None

    def formatted(self, program: str, text: str, path: str, rows: Sequence[Rows]) -> str:
        """A text with some of its rows laid out; as it is where the formatter fails."""
        if self.name == "black":
            ranges = [f"--line-ranges={first}-{last}" for first, last in rows]
            return self._run([program, "--quiet", *ranges, f"--stdin-filename={path}", "-"], text)
        options = ["format", "--quiet", "--no-cache", "--force-exclude", f"--stdin-filename={path}"]
        for first, last in reversed(rows):  # the end is exclusive
            text = self._run([program, *options, f"--range={first}-{last + 1}", "-"], text)
        return text

    def _run(self, command: Sequence[str], text: str) -> str:
        # no module of the project is to be found by what a formatter in Python imports
        environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
        try:
            done = subprocess.run(
                command,
                input=text.encode(),
                capture_output=True,
                cwd=self.directory,
                env=environment,
                timeout=PATIENCE,
                check=False,
            )
            return done.stdout.decode() if done.returncode == 0 and done.stdout else text
        except (OSError, subprocess.TimeoutExpired, UnicodeError):
            return text


def is_below(path: str, directory: str) -> bool:
    return path == directory or path.startswith(directory.rstrip(os.sep) + os.sep)


def formatter_of(path: str) -> Formatter | None:
    """What the nearest settings of its repository say that a file is formatted with, if it is one."""
    if not is_file(path):
        return None
    above: list[str] = []
    for directory in parents(os.path.dirname(path)):
        above.append(directory)
        if exists(os.path.join(directory, ".git")):
            break
    for directory in above:
        name, table = settings_in(directory)
        if name:
            width = table.get("line-length", DEFAULT)
            top = above[-1] if exists(os.path.join(above[-1], ".git")) else directory
            return Formatter(name, directory, top, width if isinstance(width, int) else DEFAULT)
    return None


def settings_in(directory: str) -> tuple[str, Mapping[str, Any]]:
    """The formatter that a directory has settings of, and these. Who has Black uses Ruff as a linter, mostly."""
    for name in (".ruff.toml", "ruff.toml"):
        if (table := content(os.path.join(directory, name))) is not None:
            return "ruff", table
    tool = (content(os.path.join(directory, "pyproject.toml")) or {}).get("tool")
    tools = {name: table for name, table in tool.items() if isinstance(table, dict)} if isinstance(tool, dict) else {}
    names = ("ruff", "black") if "format" in tools.get("ruff", {}) else ("black", "ruff")
    name = next((name for name in names if name in tools), "")
    return name, tools.get(name, {})


def content(file: str) -> Mapping[str, Any] | None:
    """The tables of a file of settings; None if there is none that can be read."""
    try:
        return cast(Mapping[str, Any], toml.loads(read_regular(file).decode("utf-8-sig")))
    except (OSError, toml.TOMLDecodeError, UnicodeDecodeError, RecursionError):
        return None


def width_of(source: Source) -> int:
    """The length of the longest line that a formatter would leave in a file, as far as it is known."""
    known = formatter_of(path_of(source))
    return shown_width(source) if known is None else known.width


def path_of(source: Source) -> str:
    view = view_of(source)
    return absolute(source.path) if view is None else view.path


def shown_width(source: Source) -> int:
    """The width that a file's lines of code show; what is in strings and comments is not broken by anyone."""
    lengths = [len(line.rstrip()) for line in source.lines if not set("'\"#") & set(line)]
    longest = max(lengths, default=0)
    # five lines that end in the last columns of PEP 8's width, or Google's, and none behind it, are taken for a layout:
    # one or two may be chance in a file that is laid out for more
    if longest <= NARROW and sum(length > NARROW - 6 for length in lengths) >= 5:
        return max(longest, NARROW - 1)
    return max(DEFAULT, min(longest, WIDEST))


def formatted(before: Source, after: Source) -> Source:
    """``after`` with its changed statements laid out by the formatter of the project, where they do not fit on a line.

    Where there is none, or the project is on another machine, they stay as they are.
    """
    path = path_of(after)
    here = oracle.get() is None and after.cell_at(1) is None
    known = formatter_of(path) if here else None
    if known is None:
        return after
    rows = sorted(set(changed(before, after, known.width)))
    program = known.program() if rows else None
    if program is None:
        return after
    note(None)  # what it answers hangs on more than what nanlint asks of the disk
    text = known.formatted(program, after.text, path, rows)
    neat = after.replaced([(0, len(after.text), text)])
    same = not neat.failures and ast.dump(neat.tree) == ast.dump(after.tree)
    return neat if same else after


def changed(before: Source, after: Source, width: int) -> Iterator[Rows]:
    """The rows of changed statements that are not on one line that fits; of a compound one those up to its body."""
    kept = {*before.lines}
    statements = (n for n in ast.walk(after.tree) if isinstance(n, ast.stmt))
    innermost = {row: n for n in statements for row in range(n.lineno, (n.end_lineno or n.lineno) + 1)}
    for row, line in enumerate(after.lines, 1):
        statement = innermost.get(row)
        if line in kept or statement is None:
            continue
        body = next((s for s in ast.walk(statement) if isinstance(s, ast.stmt) and s is not statement), None)
        last = max(statement.lineno, body.lineno - 1) if body is not None else statement.end_lineno or row
        if last > statement.lineno or len(line.rstrip().expandtabs(4)) > width:
            yield statement.lineno, last
