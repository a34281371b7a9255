"""The one text that JupyterLab makes of a notebook, as a notebook again: a cell that does not parse spoils no other.

JupyterLab joins the cells of code with blank lines. It replaces magics and shell lines by calls whose strings it does
not always quote, so that ``!pip install "jax[cpu]"`` is no Python any more. Rows are those of the joined text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from nanlint.diagnostic import Span
from nanlint.source.ipython import cell_program
from nanlint.source.notebook import Notebook

#: what is between two cells
_BORDER = "\n\n\n"
#: parts that a cell with blank lines in it may fall into
_PARTS = 4

_LINE = r"^(?P<before>[ \t]*(?:\S+[ \t]*=[ \t]*)?)get_ipython\(\)"
_SHELL = re.compile(_LINE + r'\.getoutput\("(?P<command>.*)"\)$', re.MULTILINE)
_MAGIC = re.compile(_LINE + r'\.run_line_magic\("(?P<name>[^"\s]+)", "(?P<arguments>.*)"\)$', re.MULTILINE)
_ESCAPED = re.compile(r'\\(["\\])')


@dataclass(frozen=True, eq=False)
class Joined(Notebook):
    """A notebook whose cells are parts of one text: their numbers and rows are nothing that a user sees."""

    @classmethod
    def of_text(cls, path: str, text: str) -> Joined:
        """Take the text apart."""
        return cls.of_cells(path, enumerate(_cells(_as_written(text)), 1))

    def located(self, span: Span) -> Span:
        return span


def _as_written(text: str) -> str:
    """The text with the magics and shell lines that are in the cells."""
    text = _SHELL.sub(r"\g<before>!\g<command>", text)
    return _MAGIC.sub(lambda line: f"{line['before']}%{line['name']}{_unescaped(line['arguments'])}", text)


def _unescaped(text: str) -> str:
    return _ESCAPED.sub(r"\1", text)


def _cells(text: str) -> Iterator[str]:
    """All of it if it parses, else parts of it that do, and parts that do not."""
    if cell_program(text).text is not None:
        yield text
        return
    blocks: list[str] = []
    for block in text.split(_BORDER):
        if blocks and block.lstrip("\n").startswith((" ", "\t")):
            blocks[-1] += _BORDER + block  # the rest of a class
        else:
            blocks.append(block)
    while blocks:
        size = next((size for size in range(1, _PARTS + 1) if _parses(_joined(blocks[:size]))), 1)
        cell = _joined(blocks[:size])
        yield cell if cell_program(cell).failure or _parses(cell) else "\n" * cell.count("\n")
        del blocks[:size]


def _joined(blocks: Sequence[str]) -> str:
    return _BORDER.join(blocks) + "\n"


def _parses(cell: str) -> bool:
    return cell_program(cell).text is not None
