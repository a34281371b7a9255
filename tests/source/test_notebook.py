"""Cells as one program, and places and edits of the program as those of cells."""

from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from nanlint.diagnostic import Applicability, Confidence, Diagnostic, Edit, Fix, Span
from nanlint.source.edits import edited
from nanlint.source.notebook import Notebook

_LINES = ["x = 1", "%time y = f(x)", "!ls", "x?", "", "if x:", "    y = 2", "# é", "z = (1,", "2)", "%%time", "%%bash"]
_CELL = st.lists(st.sampled_from(_LINES), max_size=6).map("\n".join)
_CELLS = st.lists(st.builds(lambda text, end: text + end, _CELL, st.sampled_from(["", "\n", "\n\n"])), max_size=6)


def _file(cells: list[str]) -> bytes:
    code = [{"cell_type": "code", "metadata": {}, "source": cell.splitlines(keepends=True)} for cell in cells]
    return json.dumps({"cells": code, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}, indent=1).encode()


@given(_CELLS)
def test_the_program_has_a_tree_and_the_extent_of_its_cells(cells: list[str]) -> None:
    notebook = Notebook.from_bytes(_file(cells), "a.ipynb")
    assert notebook.tree is not None
    assert [len(line) for line in notebook.lines] == [len(line) for line in notebook.shown]
    assert notebook.to_bytes() == _file(cells)
    for row in range(1, len(notebook.lines) if notebook.cells else 1):
        span = Span(row, 1, row, 1)
        there = notebook.located(span)
        assert notebook.placed(there) == span
        assert there.cell == notebook.cell_at(row)


@given(_CELLS, st.data())
def test_an_edit_in_a_cell_changes_that_cell_only(cells: list[str], data: st.DataObject) -> None:
    notebook = Notebook.from_bytes(_file(cells), "a.ipynb")
    if not notebook.cells:
        return
    chosen = data.draw(st.sampled_from(notebook.cells))
    row = data.draw(st.integers(1, chosen.written.count("\n") + 1))
    mended = edited(notebook, [Edit(Span(row, 1, row, 1, chosen.number), "w = 3\n")])
    lines = chosen.written.split("\n")
    expected = {cell.number: cell.written for cell in notebook.cells}
    expected[chosen.number] = "\n".join([*lines[: row - 1], "w = 3", *lines[row - 1 :]])
    sources = {number: "".join(cell["source"]) for number, cell in enumerate(json.loads(mended.to_bytes())["cells"], 1)}
    assert {number: sources[number] for number in expected} == expected


def _fixable(notebook: Notebook, *edits: Edit) -> bool:
    fix = Fix(Applicability.SAFE, "mend", edits)
    finding = Diagnostic("a.ipynb", Span(1, 1, 1, 2), "NL101", "log-of-softmax", "m", Confidence.CERTAIN, fix=fix)
    found = notebook.fixable(finding).fix
    assert found is not None
    return found.applicability is Applicability.SAFE and found.edits == edits


def test_an_edit_stays_in_its_cell_and_off_what_is_masked() -> None:
    notebook = Notebook.of_cells("a.ipynb", [(1, "%%time\na = 1"), (3, "%time b = 2\nc = 3"), (4, "d = 4")])
    assert notebook.text == "_     \na = 1\n\n_;    b = 2\nc = 3\n\nd = 4\n\n"
    assert _fixable(notebook, Edit(Span(2, 5, 2, 6), "2"), Edit(Span(3, 1, 3, 1), "import x\n"))
    assert _fixable(notebook, Edit(Span(4, 11, 4, 12), "3"))  # what %time runs
    assert not _fixable(notebook, Edit(Span(1, 1, 1, 1), "import x\n"))  # above a cell's magic
    assert not _fixable(notebook, Edit(Span(4, 1, 4, 12), "b = 3"))  # with the magic
    assert not _fixable(notebook, Edit(Span(2, 5, 5, 6), "2"))  # from cell to cell
    assert not _fixable(notebook, Edit(Span(5, 1, 6, 1), ""), Edit(Span(7, 1, 7, 1), "c = 3\n"))  # moves a line


def test_cells_of_an_editor_need_no_file() -> None:
    notebook = Notebook.of_cells("untitled", [(2, "x = 1")])
    assert notebook.located(Span(1, 1, 1, 2)) == Span(1, 1, 1, 2, 2)
    assert edited(notebook, [Edit(Span(1, 5, 1, 6, 2), "2")]).text == "x = 2\n\n"
