"""How long the lines of a file may be: what its project says to a formatter, else to a linter, else to editors."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Mapping
from configparser import Error, RawConfigParser
from fnmatch import fnmatch
from typing import Any, cast

from nanlint.disk import absolute, exists, is_file, parents, read_regular
from nanlint.source.text import Source

#: that of Black and Ruff
DEFAULT = 88
#: the widest that a file is taken to be meant that has wider lines, where nobody says so
WIDEST = 120
#: the narrowest that is common; PEP 8's is one less
NARROW = 80
#: files, their tables and what these call it; formatters first, as they break lines; of a kind the nearest holds
SETTINGS = (
    (
        (".ruff.toml", "", "line-length"),
        ("ruff.toml", "", "line-length"),
        ("pyproject.toml", "tool.ruff", "line-length"),
        ("pyproject.toml", "tool.black", "line-length"),
        ("pyproject.toml", "tool.yapf", "column_limit"),
        (".style.yapf", "style", "column_limit"),
        ("setup.cfg", "yapf", "column_limit"),
        ("pyproject.toml", "tool.autopep8", "max_line_length"),
    ),
    tuple(
        (name, table, key)
        for name in (".flake8", "setup.cfg", "tox.ini")
        for table in ("flake8", "pycodestyle")
        for key in ("max-line-length", "max_line_length")
    ),
    ((".editorconfig", "*", "max_line_length"),),
)


def width_of(source: Source) -> int:
    """The length of the longest line that a formatter would leave in a file."""
    said = said_of(absolute(source.path)) if is_file(source.path) else None
    return said if said is not None else shown_width(source)


def shown_width(source: Source) -> int:
    """The width that a file's lines of code show; what is in strings and comments is not broken by anyone."""
    lengths = [len(line.rstrip()) for line in source.lines if not set("'\"#") & set(line)]
    longest = max(lengths, default=0)
    # five lines that end in the last columns of PEP 8's width, or Google's, and none behind it, are taken for a layout:
    # one or two may be chance in a file that is laid out for more
    if longest <= NARROW and sum(length > NARROW - 6 for length in lengths) >= 5:
        return max(longest, NARROW - 1)
    return max(DEFAULT, min(longest, WIDEST))


def said_of(path: str) -> int | None:
    """The width that the settings of its repository give a file; None where there are none."""
    above: list[str] = []
    for directory in parents(os.path.dirname(path)):
        above.append(directory)
        if exists(os.path.join(directory, ".git")):
            break
    for places in SETTINGS:
        for file, table, key in ((os.path.join(one, name), *rest) for one in above for name, *rest in places):
            found = settings(file, table, path)
            said = "" if found is None else str(found.get(key, DEFAULT if key == "line-length" else ""))
            if said.isdecimal() or said == "off":
                return int(said) if said.isdecimal() else sys.maxsize
    return None


def settings(file: str, table: str, path: str, *, extended: bool = True) -> Mapping[str, Any] | None:
    """A table of a file of settings; of that of editors what holds for ``path``. None if there is none to be read.

    ``extended``: with the file that a file of Ruff's names, if it says nothing itself.
    """
    found: Any = content(file)
    if table == "*" and found is not None:
        ours = os.path.relpath(path, os.path.dirname(file)).replace(os.sep, "/")
        sections = (keys for glob, keys in found.items() if any(fnmatch(ours, one) for one in alternatives(glob)))
        return {key: value for keys in sections for key, value in keys.items()}
    for key in filter(None, table.split(".")):
        found = found.get(key) if isinstance(found, Mapping) else None
    if not isinstance(found, Mapping):
        return None
    base = found.get("extend") if extended and "line-length" not in found else None
    if not isinstance(base, str):
        return found
    base = os.path.join(os.path.dirname(file), base)
    return settings(base, "tool.ruff" if base.endswith("pyproject.toml") else "", path, extended=False) or found


def alternatives(glob: str) -> list[str]:
    """A pattern of an EditorConfig file as patterns without braces, for paths from its directory."""
    braces = re.search(r"\{([^{}]*,[^{}]*)\}", glob)
    if braces is None:
        return [glob.removeprefix("/")] if "/" in glob else [glob, f"*/{glob}"]
    return [one for text in braces[1].split(",") for one in alternatives(glob.replace(braces[0], text))]


def content(file: str) -> Mapping[str, Any] | None:
    """The tables of a file of settings; None if there is none that can be read."""
    from nanlint import toml

    try:
        text = read_regular(file).decode("utf-8-sig")
        if file.endswith(".toml"):
            return cast(Mapping[str, Any], toml.loads(text))
        parser = RawConfigParser(strict=False)
        parser.read_string(f"[root]\n{text}" if file.endswith(".editorconfig") else text)
    except (OSError, toml.TOMLDecodeError, Error, UnicodeDecodeError, RecursionError):
        return None
    return {name: dict(parser[name]) for name in parser.sections()}
