"""Edits -> text. Pure: which edits go together and what comes out; who may apply them is decided elsewhere."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from nanlint.diagnostic import Edit, Span
from nanlint.source.text import Source


def compatible(edits: Sequence[Edit], taken: Iterable[Edit]) -> bool:
    """Whether ``edits`` can be applied together with those already ``taken``.

    The same insertion twice (an import that two fixes need) is one insertion; two different ones at one place are in
    each other's way, for their order would be a guess. So are two variables of one name, where one would be read for
    the other.
    """
    taken = list(taken)
    return not any(_conflict(edit, other) for other in taken for edit in edits) and not _mixed(edits, taken)


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
