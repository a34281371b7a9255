"""How long the lines of a file may be: what its project says to its formatter, else as long as they are."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from nanlint.disk import absolute, is_file, read_regular
from nanlint.source.text import Source

#: that of Black and Ruff
DEFAULT = 88
#: files that may say so, with the tables in them, in the order of their precedence
SETTINGS = {
    ".ruff.toml": ((),),
    "ruff.toml": ((),),
    "pyproject.toml": (("tool", "ruff"), ("tool", "black")),
}


def width_of(source: Source) -> int:
    """The length of the longest line that a formatter would leave in a file."""
    said = settings_of(os.path.dirname(absolute(source.path))) if is_file(source.path) else None
    return said if said is not None else max(DEFAULT, longest(source))


def longest(source: Source) -> int:
    """The length of the longest line of code; what is in strings and comments is not broken by anyone."""
    own = (line.rstrip() for line in source.lines if not set("'\"#") & set(line))
    return max(map(len, own), default=0)


def settings_of(directory: str) -> int | None:
    """The width that the nearest settings of a formatter give; None where there are none."""
    while True:
        for name, tables in SETTINGS.items():
            content = _read(os.path.join(directory, name))
            for keys in tables if content is not None else ():
                table: Any = content
                for key in keys:
                    table = table.get(key) if isinstance(table, Mapping) else None
                if isinstance(table, Mapping):
                    said = table.get("line-length", DEFAULT)
                    return said if isinstance(said, int) else DEFAULT
        above = os.path.dirname(directory)
        if above == directory:
            return None
        directory = above


def _read(path: str) -> Mapping[str, Any] | None:
    """A file of settings; None if there is none that can be read."""
    from nanlint import toml

    try:
        table: Mapping[str, Any] = toml.loads(read_regular(path).decode("utf-8-sig"))
    except (OSError, toml.TOMLDecodeError, UnicodeDecodeError, RecursionError):
        return None
    return table
