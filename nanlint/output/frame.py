"""The code frame of a finding: which lines it shows, and what of them is underlined. The formats draw it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from nanlint.diagnostic import Annotation, Diagnostic, Excerpt


@dataclass(frozen=True)
class Mark:
    """One underline on one row: character columns, 1-based, end exclusive; the message only under a span's last row.

    ``path``: the other file that the row is in, if it is in another one; ``text``: the row itself.
    """

    path: str
    cell: int | None
    row: int
    text: str
    start: int
    end: int
    sign: str
    role: str
    message: str
    gap_before: bool = False

    @property
    def part(self) -> tuple[str, int | None]:
        """Whose row it is: a file's, or a cell's."""
        return self.path, self.cell

    @property
    def place(self) -> tuple[str, int | None, int]:
        return self.path, self.cell, self.row


def marks_of(diagnostic: Diagnostic, excerpt: Excerpt) -> list[Mark]:
    """All underlines by row; within a row the farthest cause first and the effect last, as one would tell it.

    The rows of other files come before those of the file itself.
    """
    marks: list[Mark] = []
    for cause in reversed(diagnostic.causes):
        marks += _of_span(cause, "─", "cause", cause.excerpt(excerpt))
    marks += _of_span(Annotation(diagnostic.span, diagnostic.effect), "^", "effect", excerpt)
    others = list(dict.fromkeys(mark.path for mark in marks if mark.path))
    order = {path: number for number, path in enumerate((*others, ""))}
    return sorted(marks, key=lambda mark: (order[mark.path], mark.cell or 0, mark.row))


def _of_span(marked: Annotation, sign: str, role: str, excerpt: Excerpt) -> Iterator[Mark]:
    span, message = marked.span, marked.message
    rows = [row for row in span.shown_rows if (span.cell, row) in excerpt]
    previous = span.row
    for row in rows:
        line = excerpt[span.cell, row].rstrip("\r\n")
        first_column = len(line) - len(line.lstrip()) + 1
        start = span.column if row == span.row else first_column
        end = span.end_column if row == span.end_row else len(line.rstrip()) + 1
        last = row == rows[-1]
        if start < end or last:
            yield Mark(
                path=marked.path,
                cell=span.cell,
                row=row,
                text=line,
                start=start,
                end=max(end, start + 1),
                sign=sign,
                role=role,
                message=message if last else "",
                gap_before=row > previous + 1,
            )
        previous = row
