"""Notebook: the cells of one notebook as one program, and what is needed to tell them apart again.

    cells ── IPython's escapes masked ──> one text ── as any Source ──> spans of the text ──> spans of cells
                                                        edits of the text ──> sources of cells ──> the file

A cell that is no Python is left out, so is one that does not parse (and is named). What comes after the last line of a
cell, up to its virtual blank line, belongs to it: two cells never share a place.
"""

from __future__ import annotations

import ast
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import accumulate
from typing import TypeVar

from nanlint.diagnostic import Applicability, Diagnostic, Fix, Span
from nanlint.source.ipynb import NotebookFile, read_notebook
from nanlint.source.ipython import cell_program
from nanlint.source.syntax import Unparsable, parse
from nanlint.source.text import Source

#: what follows every cell in the program: the end of its last line, and an empty line where one can still insert
_BORDER = "\n\n"
N = TypeVar("N", bound="Notebook")


@dataclass(frozen=True)
class Cell:
    """A cell of code: its number as the user counts them, its source, and this as Python of the same extent."""

    number: int
    written: str
    program: str
    masked: tuple[range, ...] = ()
    failure: Unparsable | None = None


@dataclass(frozen=True, eq=False)
class Notebook(Source):
    """One notebook as a Source: ``text`` is the program of all ``cells``. ``file`` is None where there is none."""

    cells: tuple[Cell, ...] = ()
    file: NotebookFile | None = None

    @classmethod
    def of_cells(cls: type[N], path: str, cells: Iterable[tuple[int, str]], file: NotebookFile | None = None) -> N:
        """The notebook of cells of Python, given with their numbers."""
        read = tuple(cell for number, text in cells if (cell := _read(number, text)) is not None)
        return cls(path, "".join(cell.program + _BORDER for cell in read), cells=read, file=file)

    @classmethod
    def from_bytes(cls, content: bytes, path: str) -> Notebook:
        """Read a notebook's file; one of another language has no cells. Raises SourceError."""
        file = read_notebook(content, path)
        cells = file.cells if file.language == "python" else ()
        return cls.of_cells(path, ((cell.number, cell.text) for cell in cells), file)

    def to_bytes(self) -> bytes:
        """The file's bytes: what it was, but for the sources of the cells that were edited."""
        if self.file is None:
            raise ValueError(f"{self.path} was not read from a file")
        return self.file.with_sources({cell.number: cell.written for cell in self.cells})

    # Places

    @cached_property
    def _offsets(self) -> Sequence[int]:
        """Where each cell begins in the text, and where the last one ends."""
        return [0, *accumulate(len(cell.program) + len(_BORDER) for cell in self.cells)]

    @cached_property
    def _rows(self) -> Sequence[int]:
        """The first row of each cell."""
        return [self.position(offset)[0] for offset in self._offsets[:-1]]

    @cached_property
    def tree(self) -> ast.Module:
        """The syntax tree of all cells; raises Unparsable."""
        return parse(self.text, "<notebook>")

    @cached_property
    def shown(self) -> Sequence[str]:
        """The lines as they are in the cells."""
        return Source(self.path, "".join(cell.written + _BORDER for cell in self.cells)).lines

    @property
    def foreign(self) -> str | None:
        return None if self.file is None or self.file.language == "python" else self.file.language

    def row_in_cell(self, row: int) -> tuple[int | None, int]:
        """A row of the text as cell and row there."""
        place = self.located(Span(row, 1, row, 1))
        return place.cell, place.row

    @cached_property
    def failures(self) -> tuple[Unparsable, ...]:
        """Why some cells do not parse, at places of the text."""
        try:
            self.tree  # noqa: B018  parsing is lazy, and what parses in parts may be too much as a whole
        except Unparsable as error:
            return (error,)
        moved = []
        for cell, first in zip(self.cells, self._rows, strict=True):
            if cell.failure is not None:
                span, down = cell.failure.span, first - 1
                place = Span(span.row + down, span.column, span.end_row + down, span.end_column)
                moved.append(Unparsable(place, cell.failure.message))
        return tuple(moved)

    def cell_at(self, row: int) -> int | None:
        return self.cells[self._index(row)].number if self.cells else None

    def _index(self, row: int) -> int:
        return max(bisect_right(self._rows, row) - 1, 0)

    def located(self, span: Span) -> Span:
        if not self.cells or span.cell is not None:
            return span
        index = self._index(span.row)
        up = self._rows[index] - 1
        row, end_row, number = span.row - up, span.end_row - up, self.cells[index].number
        lines = (1, 1) if self.file is None else (self.file.line_of(number, row), self.file.line_of(number, end_row))
        return Span(row, span.column, end_row, span.end_column, number, lines)

    def in_cells(self, diagnostic: Diagnostic) -> Diagnostic:
        """A finding in the text as one in cells: with their numbers, at their rows."""
        fix = diagnostic.fix
        if fix is not None:
            here = (replace(edit, span=self.located(edit.span)) for edit in fix.edits_here)
            fix = replace(fix, edits=(*here, *(edit for edit in fix.edits if edit.path)))
        return replace(
            diagnostic,
            span=self.located(diagnostic.span),
            causes=tuple(
                cause if cause.path else replace(cause, span=self.located(cause.span)) for cause in diagnostic.causes
            ),
            fix=fix,
        )

    def placed(self, span: Span) -> Span:
        """A span of a cell as one of the text; the inverse of ``located``."""
        index = next((index for index, cell in enumerate(self.cells) if cell.number == span.cell), None)
        if index is None:
            return span
        down = self._rows[index] - 1
        return Span(span.row + down, span.column, span.end_row + down, span.end_column)

    # Edits

    def fixable(self, diagnostic: Diagnostic) -> Diagnostic:
        """A finding whose fix has edits only if each stays in a cell, off what is masked, and no line changes cells."""
        fix = diagnostic.fix
        if fix is None or not fix.edits:
            return diagnostic
        if all(self._takes(edit.span) for edit in fix.edits_here) and not self._moves_lines(fix):
            return diagnostic
        return replace(diagnostic, fix=Fix(Applicability.DISPLAY, fix.message, display=fix.display))

    def _moves_lines(self, fix: Fix) -> bool:
        """Whether whole lines of one cell go while another cell gets some: cells are run by themselves, too."""
        edits = fix.edits_here
        cells = {self._index(edit.span.row) for edit in edits}
        lines_go = any(edit.span.column == edit.span.end_column == 1 and not edit.content for edit in edits)
        return lines_go and len(cells) > 1

    def _takes(self, span: Span) -> bool:
        start, end = self.offset(span.row, span.column), self.offset(span.end_row, span.end_column)
        index = self._index(span.row)
        if index >= len(self.cells) or end > self._offsets[index + 1]:
            return False
        base = self._offsets[index]
        masked = (range(base + one.start, base + one.stop) for one in self.cells[index].masked)
        if start == end:
            return not any(one.start < start < one.stop or start == one.start == base for one in masked)
        return not any(start < one.stop and one.start < end for one in masked)

    def replaced(self, changes: Sequence[tuple[int, int, str]]) -> Notebook:
        """The notebook after sorted changes (start, end, new text) of the text, each within one cell."""
        cells = []
        for cell, start, end in zip(self.cells, self._offsets, self._offsets[1:], strict=False):
            own = [(first - start, last - start, new) for first, last, new in changes if start <= first < end]
            text = Source(self.path, cell.written + _BORDER).replaced(own).text
            cells.append((cell.number, text.removesuffix("\n").removesuffix("\n")))
        return replace(self.of_cells(self.path, cells, self.file), view=self.view)

    @property
    def parts(self) -> Sequence[tuple[str, str]]:
        """What is compared and shown by itself: each cell under its name."""
        return [(f"{self.path}:cell {cell.number}", cell.written) for cell in self.cells]


def _read(number: int, text: str) -> Cell | None:
    program = cell_program(text)
    if program.failure is not None:
        blank = "".join(sign if sign in "\r\n" else " " for sign in text)
        return Cell(number, text, blank, (range(len(text)),), program.failure)
    return None if program.text is None else Cell(number, text, program.text, program.masked)
