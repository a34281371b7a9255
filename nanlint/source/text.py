"""Source: the text of one file with its tree and its geography (rows, columns, offsets, spans). No analysis here."""

from __future__ import annotations

import ast
import io
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from typing import Protocol

from nanlint.diagnostic import Span
from nanlint.source.decoding import SourceError, decode
from nanlint.source.syntax import parse


class Located(Protocol):
    """A node of ``ast`` with a position: expressions, statements, arguments, keywords, aliases, handlers."""

    lineno: int
    col_offset: int
    end_lineno: int | None
    end_col_offset: int | None


@dataclass(frozen=True, eq=False)
class Source:
    """One file's text as decoded (newlines verbatim, no byte order mark) and what is needed to write it back.

    Rows and columns are 1-based and columns count characters, as in Span; lines end at ``\\n``, ``\\r\\n`` or ``\\r``
    and nowhere else, as Python's tokenizer has it.
    """

    path: str
    text: str
    encoding: str = "utf-8"
    bom: bytes = b""

    @classmethod
    def from_bytes(cls, content: bytes, path: str) -> Source:
        """Decode ``content``; raises SourceError."""
        text, encoding, bom = decode(content, path)
        return cls(path, text, encoding, bom)

    def with_text(self, text: str) -> Source:
        """The same file holding another text."""
        return Source(self.path, text, self.encoding, self.bom)

    def to_bytes(self) -> bytes:
        """The file's bytes; raises SourceError when the text does not fit its encoding."""
        try:
            return self.bom + self.text.encode(self.encoding)
        except UnicodeError as error:
            raise SourceError(f"{self.path}: cannot be written in its encoding {self.encoding}: {error}") from None

    @cached_property
    def tree(self) -> ast.Module:
        """The syntax tree; raises Unparsable."""
        return parse(self.text, self.path)

    @cached_property
    def lines(self) -> Sequence[str]:
        """The lines with their ends; a text that ends in a newline has an empty last line, where one can insert."""
        lines = list(io.StringIO(self.text, newline=""))
        if not lines or lines[-1].endswith(("\n", "\r")):
            lines.append("")
        return lines

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
        """Where ``node`` stands."""
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

    def segment(self, span: Span) -> str:
        """The text under ``span``."""
        return self.text[self.offset(span.row, span.column) : self.offset(span.end_row, span.end_column)]
