"""``--output-format full``: the code frame, with the cause underlined by ─ and the effect by ^.

loss.py:12:20 NL101 [certain] log of a softmax: -inf as soon as one class underflows
   9 │     probs = F.softmax(logits, dim=-1)
     │             ───────────────────────── is exactly 0 when a logit is 104 below the largest (float32)
  12 │     return -(labels * torch.log(probs)).sum()
     │                       ^^^^^^^^^^^^^^^^ log(0) = -inf, and 0 * -inf = nan
     = witness: logits = [0., 200.] gives loss = nan
     = fix (safe): replace with `F.log_softmax(logits, dim=-1)`
  12 -     return -(labels * torch.log(probs)).sum()
  12 +     return -(labels * F.log_softmax(logits, dim=-1)).sum()
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate

from nanlint.diagnostic import Diagnostic, Excerpt, Severity
from nanlint.output.address import link_to
from nanlint.output.changes import MOST, ChangedLine, changed_lines, label, left_out, with_headings
from nanlint.output.frame import Mark, marks_of
from nanlint.output.paint import Paint, plain, visible
from nanlint.output.view import View

_TAB = "    "
_WIDEST = 120  # columns of source shown of one line; what is longer is shown through a window around the underline
_WIDEST_CHANGED = 400  # the same of a line of a diff: what a fix writes should be seen whole
_BEFORE = 20  # columns shown before the underline in such a window
_ELLIPSIS = "…"


def render(view: View) -> str:
    return "".join(render_full([one], file.excerpt, paint=view.paint) for file, one in view.findings())


def render_full(diagnostics: Iterable[Diagnostic], excerpt: Excerpt, *, paint: Paint = plain) -> str:
    """The frames of one file's findings, an empty line after each; ``excerpt`` holds the lines they speak of.

    Where a cause is in another file than its effect, or in another cell of a notebook, a line above tells whose rows
    follow.
    """
    return "".join(_frame(diagnostic, excerpt, paint) + "\n" for diagnostic in diagnostics)


def _frame(diagnostic: Diagnostic, excerpt: Excerpt, paint: Paint) -> str:
    level = "" if diagnostic.severity is Severity.ERROR else f", {diagnostic.severity}"
    code = paint(diagnostic.code, str(diagnostic.severity), link=link_to(diagnostic.code, diagnostic.name))
    out = [f"{paint(diagnostic.place, 'path')} {code} [{diagnostic.confidence}{level}] {diagnostic.sentence}\n"]
    marks = marks_of(diagnostic, excerpt)
    changes = changed_lines(diagnostic.fix, excerpt) if diagnostic.fix is not None else []
    rows = [diagnostic.span.row, *(mark.row for mark in marks), *(line.row for line in changes[:MOST])]
    width = len(str(max(rows)))
    bar = paint("│", "gutter")
    blank = " " * (width + 3)
    several_parts = len({mark.part for mark in marks}) > 1
    shown_part = shown = None
    for mark in marks:
        line = _Line(mark.text)
        if several_parts and mark.part != shown_part:
            here = f"{mark.path or diagnostic.path}:{mark.row}:{mark.start}"
            out.append(f"{paint('  ' + (here if mark.cell is None else f'cell {mark.cell}'), 'gutter')}\n")
            shown_part = mark.part
        if mark.gap_before and mark.place != shown:
            out.append(f"{paint('...', 'gutter')}\n")
        if mark.place != shown or line.long:
            number = paint(f"  {mark.row:>{width}} ", "gutter")
            out.append(f"{number}{bar} {line.window(mark.start)}".rstrip() + "\n")
            shown = mark.place
        indent, length = line.underline(mark)
        message = f" {mark.message}" if mark.message else ""
        out.append(f"{blank}{bar} {' ' * indent}{paint(mark.sign * length + message, mark.role)}\n")
    for title, text in _notes(diagnostic, changes):
        first, *others = text.splitlines() or [""]
        lead = f"{blank}= {title}: "
        out.append(f"{blank}{paint('=', 'gutter')} {paint(title + ':', 'note')} {first}".rstrip() + "\n")
        out.extend(f"{' ' * len(lead)}{other}".rstrip() + "\n" for other in others)
    out.extend(_diff(diagnostic, changes, width, paint))
    return "".join(out)


def _notes(diagnostic: Diagnostic, changes: Sequence[ChangedLine]) -> Iterator[tuple[str, str]]:
    fix = diagnostic.fix
    if diagnostic.witness:
        yield "witness", diagnostic.witness.text
    if diagnostic.observed:
        yield "observed", diagnostic.observed
    if fix is not None:
        yield fix.title, label(fix) if changes else fix.display if "\n" in fix.display else fix.message


def _diff(diagnostic: Diagnostic, changes: Sequence[ChangedLine], width: int, paint: Paint) -> Iterator[str]:
    """The first lines that a fix changes, each with its number and sign; above those of another place, which it is."""
    for heading, line in with_headings(changes[:MOST], diagnostic):
        if heading:
            yield f"{paint(f'  {heading}', 'gutter')}\n"
        text = _Line(line.text, _WIDEST_CHANGED).window(line.column)
        role = "added" if line.sign == "+" else "removed"
        yield f"{paint(f'  {line.row:>{width}} ', 'gutter')}{paint(f'{line.sign} {text}'.rstrip(), role)}\n"
    if len(changes) > MOST:
        yield f"{' ' * (width + 3)}{paint(left_out(len(changes) - MOST), 'gutter')}\n"


class _Line:
    """A line as a terminal shows it: tabs spaced, wide characters two columns, control characters made visible."""

    def __init__(self, text: str, widest: int = _WIDEST) -> None:
        self._cells = [_cell(character) for character in text.rstrip("\r\n")]
        self._starts = [0, *accumulate(map(_width, self._cells))]
        self._widest = widest
        self.long = self._starts[-1] > widest

    def window(self, start: int) -> str:
        """All of a short line, else what is around the column ``start``."""
        first, last = self._bounds(start)
        before = _ELLIPSIS if first > 0 else ""
        after = _ELLIPSIS if last < len(self._cells) else ""
        return before + "".join(self._cells[first:last]) + after

    def underline(self, mark: Mark) -> tuple[int, int]:
        """(columns before the underline, columns of it) within the window."""
        first, last = self._bounds(mark.start)
        start = self._column(mark.start - 1)
        end = min(self._column(mark.end - 1), self._starts[last])
        beyond = max(mark.end - 1 - len(self._cells), 0) if last == len(self._cells) else 0
        return start - self._starts[first] + (1 if first > 0 else 0), max(end - start + beyond, 1)

    def _bounds(self, start: int) -> tuple[int, int]:
        """The characters shown: all of a short line, else those around a column."""
        if not self.long:
            return 0, len(self._cells)
        left = max(self._column(start - 1) - _BEFORE, 0)
        first = next(index for index, column in enumerate(self._starts) if column >= left)
        last = first
        while last < len(self._cells) and self._starts[last + 1] - self._starts[first] <= self._widest:
            last += 1
        return first, last

    def _column(self, index: int) -> int:
        return self._starts[min(index, len(self._cells))]


def _cell(character: str) -> str:
    return _TAB if character == "\t" else visible(character)


def _width(cell: str) -> int:
    if cell.isascii():
        return len(cell)
    return sum(
        0 if unicodedata.combining(character) else 2 if unicodedata.east_asian_width(character) in "WF" else 1
        for character in cell
    )
