"""Source: the text of one file with its tree and its geography (rows, columns, offsets, spans). No analysis here."""

from __future__ import annotations

import ast
import io
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import accumulate
from typing import Protocol

from nanlint.diagnostic import Diagnostic, Span
from nanlint.source.decoding import SourceError, decode
from nanlint.source.syntax import Unparsable, parse, parse_once


class Located(Protocol):
    """A node of ``ast`` with a position: expressions, statements, arguments, keywords, aliases, handlers."""

    lineno: int
    col_offset: int
    end_lineno: int | None
    end_col_offset: int | None


class Around(Protocol):
    """What is seen of the project around a text: a ``View``, which ``source.project`` gives as one."""

    @property
    def path(self) -> str: ...


@dataclass(frozen=True, eq=False)
class Source:
    """One file's text as decoded (newlines verbatim, no byte order mark) and what is needed to write it back.

    Rows and columns are 1-based and columns count characters, as in Span; lines end at ``\\n``, ``\\r\\n`` or ``\\r``
    and nowhere else, as Python's tokenizer has it. ``view``: what is seen of the project around it; None for a text
    that stands by itself.
    """

    path: str
    text: str
    encoding: str = "utf-8"
    bom: bytes = b""
    view: Around | None = field(default=None, kw_only=True, repr=False)

    @classmethod
    def from_bytes(cls, content: bytes, path: str) -> Source:
        """Decode ``content``; raises SourceError."""
        text, encoding, bom = decode(content, path)
        return cls(path, text, encoding, bom)

    def to_bytes(self) -> bytes:
        """The file's bytes; raises SourceError when the text does not fit its encoding."""
        try:
            return self.bom + self.text.encode(self.encoding)
        except UnicodeError as error:
            raise SourceError(f"{self.path}: cannot be written in its encoding {self.encoding}: {error}") from None

    @cached_property
    def tree(self) -> ast.Module:
        """The syntax tree; raises Unparsable."""
        return parse(self.text, self.path) if self.view is None else parse_once(self.text, self.view.path)

    @cached_property
    def failures(self) -> tuple[Unparsable, ...]:
        """Why it does not parse, or parts of it do not."""
        try:
            self.tree  # noqa: B018  parsing is lazy
        except Unparsable as error:
            return (error,)
        return ()

    @cached_property
    def lines(self) -> Sequence[str]:
        """The lines with their ends; a text that ends in a newline has an empty last line, where one can insert."""
        lines = list(io.StringIO(self.text, newline=""))
        if not lines or lines[-1].endswith(("\n", "\r")):
            lines.append("")
        return lines

    @property
    def shown(self) -> Sequence[str]:
        """The lines as their author sees them; where they differ from ``lines``, positions do not."""
        return self.lines

    @cached_property
    def newline(self) -> str:
        """The line end of the first line, taken as the file's style; ``\\n`` where there is none."""
        first = self.lines[0]
        return "\r\n" if first.endswith("\r\n") else "\r" if first.endswith("\r") else "\n"

    @cached_property
    def _starts(self) -> Sequence[int]:
        return [0, *accumulate(map(len, self.lines))][:-1]

    @cached_property
    def _ascii(self) -> bool:
        return self.text.isascii()

    def column(self, row: int, byte_offset: int) -> int:
        """The 1-based character column of ast's 0-based UTF-8 ``byte_offset`` in ``row``."""
        if self._ascii:
            return byte_offset + 1
        line = self.lines[row - 1]
        if line.isascii():
            return byte_offset + 1
        return len(line.encode("utf-8", "surrogatepass")[:byte_offset].decode("utf-8", "replace")) + 1

    def span(self, node: Located) -> Span:
        row, end_row = node.lineno, node.end_lineno
        start = self.column(row, node.col_offset)
        if end_row is None or node.end_col_offset is None:
            return Span(row, start, row, start)
        return Span(row, start, end_row, self.column(end_row, node.end_col_offset))

    def offset(self, row: int, column: int) -> int:
        """The index into ``text`` of a position; a position beyond its line or the text is moved to its end."""
        if row > len(self.lines):
            return len(self.text)
        return min(self._starts[row - 1] + column - 1, self._starts[row - 1] + len(self.lines[row - 1]))

    def position(self, offset: int) -> tuple[int, int]:
        """The (row, column) of an index into ``text``; the inverse of ``offset``."""
        row = bisect_right(self._starts, offset)
        return row, offset - self._starts[row - 1] + 1

    # What a notebook answers otherwise

    def cell_at(self, row: int) -> int | None:
        """The number of the cell that a row belongs to; None where there are no cells."""
        return None

    def in_cells(self, diagnostic: Diagnostic) -> Diagnostic:
        """A finding in the text as one in cells: with their numbers, at their rows."""
        return diagnostic

    def placed(self, span: Span) -> Span:
        """A span of a cell as one of the text."""
        return span

    def row_in_cell(self, row: int) -> tuple[int | None, int]:
        """A row of the text as cell and row there."""
        return None, row

    def fixable(self, diagnostic: Diagnostic) -> Diagnostic:
        """A finding whose fix has edits only if they can be made."""
        return diagnostic

    @property
    def foreign(self) -> str | None:
        """The language, if it is not Python."""
        return None

    def replaced(self, changes: Sequence[tuple[int, int, str]]) -> Source:
        """The same file after sorted changes (start, end, new text) without overlap."""
        pieces: list[str] = []
        at = 0
        for start, end, new in changes:
            pieces += (self.text[at:start], new)
            at = end
        text = "".join((*pieces, self.text[at:]))
        return Source(self.path, text, self.encoding, self.bom, view=self.view)

    @property
    def parts(self) -> Sequence[tuple[str, str]]:
        """(label, text) of what is compared and shown by itself: the file."""
        return ((self.path, self.text),)

    def segment(self, span: Span) -> str:
        """The text under ``span``."""
        return self.text[self.offset(span.row, span.column) : self.offset(span.end_row, span.end_column)]
