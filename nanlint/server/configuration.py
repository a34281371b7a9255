"""Files of configuration in the editor: where they name rules and keys, and where what is wrong stands. Pure."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator

from nanlint.diagnostic import Span
from nanlint.keys import KEYS
from nanlint.lint.known_rules import rule_names
from nanlint.selection import codes_of
from nanlint.source import Source

#: how the reader of TOML says where it stopped
_PLACE = re.compile(r"\(at line (?P<row>\d+), column (?P<column>\d+)\)")
_QUOTED = re.compile(r'"([^"]+)"')
_START = Span(1, 1, 1, 1)


def selector_in_table(source: Source, row: int, column: int) -> tuple[str, Span] | None:
    """The code, prefix or name at a place, where rules are named in nanlint's own table."""
    word, span = _word(source, row, column)
    return (word, span) if word and codes_of(word, rule_names()) else None


def key_in_table(source: Source, row: int, column: int) -> tuple[str, Span] | None:
    """The key at a place, where nanlint's own table gives it a value, or a table of its own."""
    word, span = _word(source, row, column)
    line = source.lines[row - 1]
    before, after = line[: span.column - 1].strip(), line[span.end_column - 1 :].lstrip()
    is_key = not before and after.startswith("=")
    is_table = before.startswith("[") and after.startswith("]")
    return (word, span) if word in KEYS and (is_key or is_table) else None


def _word(source: Source, row: int, column: int) -> tuple[str, Span]:
    """What is written at a place of nanlint's own table; empty elsewhere."""
    if row not in set(own_rows(source)):
        return "", Span(row, column, row, column)
    line = source.lines[row - 1].rstrip("\r\n")
    start = end = min(column - 1, len(line))
    while start > 0 and _of_a_word(line[start - 1]):
        start -= 1
    while end < len(line) and _of_a_word(line[end]):
        end += 1
    return line[start:end], Span(row, start + 1, row, end + 1)


def own_rows(source: Source) -> Iterator[int]:
    """The rows that are nanlint's: all but in a pyproject.toml, where they are those of ``[tool.nanlint]``."""
    own = os.path.basename(source.path) != "pyproject.toml"
    everything = own
    for row, line in enumerate(source.lines, 1):
        if line.lstrip().startswith("[") and not everything:
            name = line.strip().lstrip("[").partition("]")[0].replace('"', "").replace(" ", "")
            own = name == "tool.nanlint" or name.startswith("tool.nanlint.")
        if own:
            yield row


def place_of(message: str, source: Source) -> Span:
    """Where in a file of configuration stands what a message complains of: the word it names, else the table."""
    found = _PLACE.search(message)
    if found is not None:
        row, column = int(found["row"]), int(found["column"])
        return Span(row, column, row, column + 1)
    rows = list(own_rows(source))
    for word in _named(message):
        for row in rows:
            for at in re.finditer(rf"(?<![\w-]){re.escape(word)}(?![\w-])", source.lines[row - 1]):
                return Span(row, at.start() + 1, row, at.end() + 1)
    return Span(rows[0], 1, rows[0], len(source.lines[rows[0] - 1].rstrip()) + 1) if rows else _START


def _named(message: str) -> Iterator[str]:
    """What a message is about, the narrowest first: what it quotes before it proposes something else, then keys."""
    complaint = message.partition("; did you mean")[0]
    yield from _QUOTED.findall(complaint)
    for part in reversed(complaint.split(": ")[1:]):
        if part and all(map(_of_a_word, part)):
            yield part


def _of_a_word(character: str) -> bool:
    return character.isalnum() or character in "-_"
