"""The lines that a fix changes, as a short diff: for the formats that people read."""

from __future__ import annotations

import difflib
import io
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from nanlint.diagnostic import Diagnostic, Edit, Excerpt, Fix, Span
from nanlint.source import Source
from nanlint.source.brief import brief
from nanlint.source.edits import apply_edits

MOST = 12  # lines of a diff at the terminal: more than that is for --diff
_LONGEST_CODE = 60  # characters of code in the sentence above the diff


@dataclass(frozen=True)
class ChangedLine:
    """A line that goes or comes: its sign, ``-`` or ``+``, and its number before or after the fix.

    ``path``: the other file that it is in, empty in the file of the finding; ``cell`` as in Span. ``column``: the first
    character, from 1, in which it differs from the line that it replaces or is replaced by.
    """

    path: str
    cell: int | None
    row: int
    sign: str
    text: str
    column: int = 1


def changed_lines(fix: Fix, excerpt: Excerpt) -> list[ChangedLine]:
    """What a fix changes, by file, cell and row; nothing if it has no edits or their lines are not in the excerpt."""
    found: list[ChangedLine] = []
    edits = sorted(fix.edits, key=lambda edit: (edit.path, edit.span.cell or 0, edit.span))
    for (path, cell), group in groupby(edits, key=lambda edit: (edit.path, edit.span.cell)):
        own = list(group)
        rows = {row: line for edit in own for row, line in edit.lines}
        if not path:
            rows = {row: line for (of, row), line in excerpt.items() if of == cell}
        down = 0
        for run in _runs(own):
            old = _before(run, rows)
            if old is None:
                return []
            new = _after(run, old)
            found += _compared(path, cell, run[0].span.row, down, old, new)
            down += len(new) - len(old)
    return found


def with_headings(changes: Iterable[ChangedLine], diagnostic: Diagnostic) -> Iterator[tuple[str, ChangedLine]]:
    """Each line with the heading above it: the file or cell, where another one begins than that of the finding."""
    place = ("", diagnostic.cell)
    for line in changes:
        heading = ""
        if (line.path, line.cell) != place:
            place = (line.path, line.cell)
            heading = line.path or diagnostic.path if line.cell is None else f"cell {line.cell}"
        yield heading, line


def label(fix: Fix) -> str:
    """What is said above the diff of a fix: its message, in which long code is cut, for the diff shows it."""
    if len(fix.display) <= _LONGEST_CODE and "\n" not in fix.display:
        return fix.message
    code = brief(fix.display, _LONGEST_CODE)
    shown = f"`{code}`" if len(code) <= _LONGEST_CODE else "the code below"
    return fix.message.replace(f"`{fix.display}`", shown)


def left_out(count: int) -> str:
    """That a diff has more lines than are shown."""
    return f"…and {count} more line{'' if count == 1 else 's'}: --diff"


def _runs(edits: Sequence[Edit]) -> Iterator[list[Edit]]:
    """Sorted edits of one text, those together that touch the same lines."""
    run: list[Edit] = []
    for edit in edits:
        if run and edit.span.row > max(one.span.end_row for one in run):
            yield run
            run = []
        run.append(edit)
    if run:
        yield run


def _before(run: Sequence[Edit], rows: dict[int, str]) -> list[str] | None:
    """The lines that a run touches, without their ends; None where one is not known."""
    lines = []
    for row in range(run[0].span.row, max(edit.span.end_row for edit in run) + 1):
        if row not in rows and not all(_stops_before(edit, row) for edit in run):
            return None
        lines.append(rows.get(row, "").rstrip("\r\n"))
    return lines


def _stops_before(edit: Edit, row: int) -> bool:
    """Whether nothing of a row is changed: what is inserted behind the last line is at the beginning of the next."""
    span = edit.span
    return span.end_row < row or ((span.end_row, span.end_column) == (row, 1) and (span.row < row or span.empty))


def _after(run: Sequence[Edit], old: Sequence[str]) -> list[str]:
    """The lines that a run leaves in place of the old ones."""
    up = run[0].span.row - 1
    edits = (
        Edit(Span(one.span.row - up, one.span.column, one.span.end_row - up, one.span.end_column), one.content)
        for one in run
    )
    text = apply_edits(Source("", "\n".join(old)), edits)
    return [line.rstrip("\r\n") for line in io.StringIO(text + "\n", newline="")]


def _compared(
    path: str, cell: int | None, first: int, down: int, old: Sequence[str], new: Sequence[str]
) -> Iterator[ChangedLine]:
    """The lines in which the two differ."""
    for tag, i1, i2, j1, j2 in difflib.SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if tag == "equal":
            continue
        for i in range(i1, i2):
            column = _differs(old[i], new[j1 + i - i1]) if j1 + i - i1 < j2 else 1
            yield ChangedLine(path, cell, first + i, "-", old[i], column)
        for j in range(j1, j2):
            column = _differs(old[i1 + j - j1], new[j]) if i1 + j - j1 < i2 else 1
            yield ChangedLine(path, cell, first + down + j, "+", new[j], column)


def _differs(one: str, other: str) -> int:
    """The first column in which two lines differ."""
    same = next((at for at, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))
    return same + 1
