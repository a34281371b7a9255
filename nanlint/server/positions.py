"""Rows and columns of the model <-> positions of the protocol, in the units the client counts in. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from lsprotocol import types

from nanlint.diagnostic import Span
from nanlint.source import Source


def units(text: str, encoding: types.PositionEncodingKind) -> int:
    """How many code units ``text`` is."""
    if text.isascii() or encoding is types.PositionEncodingKind.Utf32:
        return len(text)
    if encoding is types.PositionEncodingKind.Utf8:
        return len(text.encode("utf-8", "surrogatepass"))
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def characters(text: str, count: int, encoding: types.PositionEncodingKind) -> int:
    """How many characters of ``text`` lie wholly within its first ``count`` code units; at most all of them."""
    if text.isascii() or encoding is types.PositionEncodingKind.Utf32:
        return min(count, len(text))
    for index, character in enumerate(text):
        count -= units(character, encoding)
        if count < 0:
            return index
    return len(text)


@dataclass(frozen=True)
class Ruler:
    """Measures one text for one client."""

    source: Source
    encoding: types.PositionEncodingKind

    def position(self, row: int, column: int) -> types.Position:
        """Where the protocol sees a 1-based row and column; a place beyond the text is its end."""
        lines = self.source.lines
        if row > len(lines):
            row, column = len(lines), len(lines[-1]) + 1
        return types.Position(row - 1, units(lines[row - 1][: column - 1], self.encoding))

    def range(self, span: Span) -> types.Range:
        return types.Range(
            self.position(span.row, span.column),
            self.position(span.end_row, span.end_column),
        )

    def place(self, position: types.Position) -> tuple[int, int]:
        """The 1-based row and column of a position; what lies beyond a line is at its end, before the line break."""
        lines = self.source.lines
        if position.line >= len(lines):
            return len(lines), len(lines[-1]) + 1
        line = lines[position.line].rstrip("\r\n")
        return position.line + 1, characters(line, position.character, self.encoding) + 1

    def span(self, range: types.Range) -> Span:
        return Span(*self.place(range.start), *self.place(range.end))

    def offset(self, position: types.Position) -> int:
        return self.source.offset(*self.place(position))


def edited(
    text: str, changes: Sequence[types.TextDocumentContentChangeEvent], encoding: types.PositionEncodingKind
) -> str:
    """``text`` after ``changes``, each of which speaks of the text that the one before it left."""
    for change in changes:
        if isinstance(change, types.TextDocumentContentChangePartial):
            ruler = Ruler(Source("", text), encoding)
            start, end = ruler.offset(change.range.start), ruler.offset(change.range.end)
            text = text[:start] + change.text + text[end:]
        else:
            text = change.text
    return text
