"""The diff of one fix: what it shows is what the fix writes."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

import pytest

from nanlint import check_source
from nanlint.diagnostic import Applicability, Edit, Excerpt, Fix, Span
from nanlint.lint.one_file import excerpt_of
from nanlint.output.changes import ChangedLine, changed_lines
from nanlint.source import Source
from nanlint.source.edits import apply_edits

PROGRAMS = sorted((Path(__file__).parent.parent / "fixtures").glob("*/bad_*.py"))[::7]


def _applied(text: str, changes: Iterable[ChangedLine]) -> list[str]:
    """The lines of a text after a diff, by the numbers of its lines alone."""
    lines: dict[int, str] = dict(enumerate(_lines(text), 1))
    changes = list(changes)
    for change in changes:
        if change.sign == "-":
            assert lines.pop(change.row) == change.text
    kept = iter(lines.values())
    added = {change.row: change.text for change in changes if change.sign == "+"}
    rows = range(1, len(lines) + len(added) + 1)
    return [added[row] if row in added else next(kept) for row in rows]


def _lines(text: str) -> list[str]:
    return re.split("\r\n|\n|\r", text)


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_the_lines_shown_are_those_that_the_fix_makes(newline: str) -> None:
    shown = 0
    for path in PROGRAMS:
        text = path.read_text("utf-8").replace("\n", newline)
        source = Source(str(path), text)
        for finding in check_source(text, str(path), select=["ALL"], confidence="possible"):
            if finding.fix is None or not finding.fix.edits:
                continue
            changes = changed_lines(finding.fix, excerpt_of(source, [finding]))
            assert _applied(text, changes) == _lines(apply_edits(source, finding.fix.edits))
            shown += 1
    assert shown > 30


@pytest.mark.parametrize(
    ("text", "edit", "shown"),
    [
        ("a\nb\n", Edit(Span(3, 1, 3, 1), "c\n"), ["3 + c"]),
        ("a\nb", Edit(Span(2, 2, 2, 2), "\nc"), ["3 + c"]),
        ("a\nb\nc\n", Edit(Span(2, 1, 3, 1), ""), ["2 - b"]),
        ("a\nb\n", Edit(Span(2, 1, 3, 1), ""), ["2 - b"]),
        ("(a,\n b,\n c)\n", Edit(Span(1, 1, 3, 4), "d"), ["1 - (a,", "2 -  b,", "3 -  c)", "1 + d"]),
        ("x = é + 1\n", Edit(Span(1, 9, 1, 10), "2"), ["1 - x = é + 1", "1 + x = é + 2"]),
    ],
)
def test_lines_that_come_and_go(text: str, edit: Edit, shown: list[str]) -> None:
    source = Source("a.py", text)
    excerpt: Excerpt = {
        (None, row): source.lines[row - 1]
        for row in range(edit.span.row, edit.span.end_row + 1)
        if row <= len(_lines(text))
    }
    changes = changed_lines(Fix(Applicability.SAFE, "m", (edit,)), excerpt)
    assert [f"{one.row} {one.sign} {one.text}" for one in changes] == shown


def test_each_cell_has_its_own_numbers() -> None:
    edits = (
        Edit(Span(1, 1, 1, 1, cell=1), "import math\n"),
        Edit(Span(1, 1, 1, 2, cell=3), "math.pi"),
    )
    changes = changed_lines(Fix(Applicability.SAFE, "m", edits), {(1, 1): "import torch\n", (3, 1): "p"})
    assert [(one.cell, one.row, one.sign, one.text) for one in changes] == [
        (1, 1, "+", "import math"),
        (3, 1, "-", "p"),
        (3, 1, "+", "math.pi"),
    ]


def test_the_first_column_that_differs_is_known() -> None:
    fix = Fix(Applicability.SAFE, "m", (Edit(Span(1, 5, 1, 6), "z"),))
    assert {one.column for one in changed_lines(fix, {(None, 1): "x = y"})} == {5}
