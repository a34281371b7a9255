"""Edits of the model, or a text before and after, -> edits of the protocol. Pure."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from lsprotocol import types

from nanlint.diagnostic import Edit, Span
from nanlint.server.positions import Ruler
from nanlint.source import Source
from nanlint.source.notebook import Notebook


def text_edits(edits: Iterable[Edit], ruler: Ruler) -> list[types.TextEdit]:
    """The edits of one fix, in order, equal ones once, with what is inserted at a replacement's start made part of it.

    Clients disagree on the order of two edits at one place, so there are none.
    """
    source = ruler.source
    merged: list[Edit] = []
    for edit in sorted(set(edits), key=lambda edit: (edit.span, edit.content)):
        last = merged[-1] if merged else None
        if last is not None and _end(last.span) == (edit.span.row, edit.span.column):
            span = Span(last.span.row, last.span.column, edit.span.end_row, edit.span.end_column)
            merged[-1] = Edit(span, last.content + edit.content)
        else:
            merged.append(edit)
    newline = source.newline
    return [
        types.TextEdit(ruler.range(edit.span), edit.content.replace("\r\n", "\n").replace("\n", newline))
        for edit in merged
    ]


def _end(span: Span) -> tuple[int, int]:
    return span.end_row, span.end_column


def difference(before: Source, after: Source) -> list[Edit]:
    """Edits, as small as whole lines and the ends they share allow, that make the one text the other.

    Those of a notebook keep within its cells, of which there must be as many.
    """
    if isinstance(before, Notebook) and isinstance(after, Notebook):
        pairs = zip(before.cells, after.cells, strict=True)
        return [
            replace(edit, span=before.placed(replace(edit.span, cell=old.number)))
            for old, new in pairs
            for edit in _difference(Source("", old.written), Source("", new.written))
        ]
    return _difference(before, after)


def _difference(before: Source, after: Source) -> list[Edit]:
    matcher = difflib.SequenceMatcher(None, before.lines, after.lines, autojunk=False)
    return list(_changed(before.lines, after.lines, matcher.get_opcodes()))


def _changed(
    before: Sequence[str], after: Sequence[str], steps: Iterable[tuple[str, int, int, int, int]]
) -> Iterator[Edit]:
    for kind, start, end, new_start, new_end in steps:
        if kind == "equal":
            continue
        old, new = before[start:end], after[new_start:new_end]
        if len(old) == len(new):
            for row, (one, other) in enumerate(zip(old, new, strict=True), start + 1):
                yield from _changed_line(row, one, other)
        else:
            yield Edit(Span(start + 1, 1, end + 1, 1), "".join(new))


def _changed_line(row: int, old: str, new: str) -> Iterator[Edit]:
    if old == new:
        return
    shortest = min(len(old), len(new))
    head = next((i for i in range(shortest) if old[i] != new[i]), shortest)
    tail = next((i for i in range(shortest - head) if old[-1 - i] != new[-1 - i]), shortest - head)
    yield Edit(Span(row, head + 1, row, len(old) - tail + 1), new[head : len(new) - tail])
