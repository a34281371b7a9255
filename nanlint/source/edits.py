"""Edits -> text. Pure: which edits go together and what comes out; who may apply them is decided elsewhere."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from nanlint.diagnostic import Edit, Span
from nanlint.source.text import Source


class Taken:
    """Edits that are applied together.

    The same insertion twice (an import that two fixes need) is one insertion; two different ones at one place are in
    each other's way, for their order would be a guess. So are two variables of one name, where one would be read for
    the other.
    """

    def __init__(self, edits: Sequence[Edit] = ()) -> None:
        self._edits: list[Edit] = []
        self._rows: dict[tuple[str, int | None, int], list[Edit]] = {}
        self._assigned: set[tuple[str, str]] = set()
        self._known: set[tuple[Edit, ...]] = set()
        self.take(edits)

    def takes(self, edits: Sequence[Edit]) -> bool:
        """Take edits if they can be applied together with those that were taken, or were taken as they are."""
        known = tuple(edits) in self._known
        if not known and self.admits(edits):
            self.take(edits)
            known = True
        return known

    def take(self, edits: Sequence[Edit]) -> None:
        self._known.add(tuple(edits))
        self._edits += edits
        self._assigned.update(_assigned(edits))
        for edit in edits:
            for row in _rows(edit):
                self._rows.setdefault(row, []).append(edit)

    def admits(self, edits: Sequence[Edit]) -> bool:
        """Whether edits can be applied together with those that were taken."""
        near = (other for edit in edits for row in _rows(edit) for other in self._rows.get(row, ()))
        if any(_conflict(edit, other) for other in near for edit in edits):
            return False
        return self._assigned.isdisjoint(_assigned(edits)) or not _mixed(edits, self._edits)


def _rows(edit: Edit) -> Iterator[tuple[str, int | None, int]]:
    """The rows that an edit touches, each with its file and cell."""
    return ((edit.path, edit.span.cell, row) for row in range(edit.span.row, edit.span.end_row + 1))


def _mixed(edits: Sequence[Edit], taken: Sequence[Edit]) -> bool:
    """Whether a variable that both assign, by two insertions, would be read by the ones as the others left it."""
    for path, name in set(_assigned(edits)) & set(_assigned(taken)):
        word = re.compile(rf"\b{name}\b")
        uses = [
            (edit, own) for own in (edits, taken) for edit in own if edit.path == path and word.search(edit.content)
        ]
        last: Sequence[Edit] | None = None
        for edit, own in sorted(uses, key=lambda use: (use[0].span.cell or 0, use[0].span)):
            if (path, name) in _assigned([edit]):
                last = own
                if edit in edits and edit in taken:
                    break
            elif own is not last:
                return True
    return False


def _assigned(edits: Iterable[Edit]) -> Iterator[tuple[str, str]]:
    """The variables that insertions assign, with the path of their file."""
    for edit in edits:
        if _inserts(edit):
            yield from ((edit.path, name) for name in re.findall(r"^[ \t]*(\w+) = ", edit.content, re.MULTILINE))


def _conflict(edit: Edit, other: Edit) -> bool:
    if edit.path != other.path:
        return False
    if edit == other:
        return not _inserts(edit)
    if _inserts(edit) and _inserts(other):
        return edit.span == other.span
    return edit.span.overlaps(other.span)


def _inserts(edit: Edit) -> bool:
    return edit.span.empty


def edited(source: Source, edits: Iterable[Edit]) -> Source:
    """``source`` after ``edits``, which must be compatible; equal ones are applied once, those of other files not.

    Newlines in what they bring become those of the file. An insertion comes before a replacement at the same place.
    """
    return source.replaced(changes(source, edits))


def changes(source: Source, edits: Iterable[Edit]) -> list[tuple[int, int, str]]:
    """The edits of the file itself as sorted changes (start, end, new text), each once."""
    own = (edit for edit in edits if not edit.path)
    return sorted({(*_offsets(source, edit.span), _in_newlines_of(source, edit.content)) for edit in own})


def apply_edits(source: Source, edits: Iterable[Edit]) -> str:
    """The text of ``edited``."""
    return edited(source, edits).text


def _offsets(source: Source, span: Span) -> tuple[int, int]:
    span = source.placed(span)
    return source.offset(span.row, span.column), source.offset(span.end_row, span.end_column)


def _in_newlines_of(source: Source, content: str) -> str:
    return content if source.newline == "\n" else content.replace("\r\n", "\n").replace("\n", source.newline)
