"""Notebooks in the editor: one program over the cells, told and mended by cell."""

from __future__ import annotations

from pathlib import Path

import pytest
from lsprotocol import types

from tests.server.sessions import UTF8, UTF16, Session, applied, session

CELLS = (
    "%matplotlib inline\nimport torch\nimport torch.nn.functional as F",
    "# Losses",
    's = "\U0001f600"; probs = F.softmax(logits, dim=1)',
    "loss = torch.log(probs)\n!ls",
)


def open_notebook(editor: Session) -> list[str]:
    """The notebook with its cells, of which the second is prose; the addresses of the cells."""
    cells = [f"{editor.uri('study.ipynb')}#{number}" for number in range(len(CELLS))]
    kinds = [types.NotebookCellKind.Markup if number == 1 else types.NotebookCellKind.Code for number in range(4)]
    languages = ["markdown" if number == 1 else "python" for number in range(4)]
    notebook = types.NotebookDocument(
        editor.uri("study.ipynb"),
        "jupyter-notebook",
        1,
        [types.NotebookCell(kind, uri) for kind, uri in zip(kinds, cells, strict=True)],
    )
    items = [
        types.TextDocumentItem(uri, language, 1, text)
        for uri, language, text in zip(cells, languages, CELLS, strict=True)
    ]
    editor.client.notebook_document_did_open(types.DidOpenNotebookDocumentParams(notebook, items))
    return cells


def edit_cell(editor: Session, uri: str, text: str) -> None:
    change = types.NotebookDocumentCellContentChanges(
        types.VersionedTextDocumentIdentifier(2, uri), [types.TextDocumentContentChangeWholeDocument(text)]
    )
    editor.client.notebook_document_did_change(
        types.DidChangeNotebookDocumentParams(
            types.VersionedNotebookDocumentIdentifier(2, editor.uri("study.ipynb")),
            types.NotebookDocumentChangeEvent(cells=types.NotebookDocumentCellChanges(text_content=[change])),
        )
    )


@pytest.mark.asyncio
@pytest.mark.parametrize(("profile", "units"), [("VS Code", UTF16), ("Helix", UTF8)])
async def test_a_cell_is_flagged_for_what_another_does_and_mended_in_its_place(
    profile: str, units: types.PositionEncodingKind, tmp_path: Path
) -> None:
    async with session(profile, tmp_path) as editor:
        cells = open_notebook(editor)
        (found,) = await editor.diagnostics(cells[3])
        assert found.code == "NL101"
        assert found.range == types.Range(types.Position(0, 7), types.Position(0, 23))
        (cause,) = found.related_information or ()
        assert cause.location.uri == cells[2]
        line = CELLS[2].encode("utf-8" if units is UTF8 else "utf-16-le")
        width = 1 if units is UTF8 else 2
        cut = line[cause.location.range.start.character * width : cause.location.range.end.character * width]
        assert cut.decode("utf-8" if units is UTF8 else "utf-16-le") == "F.softmax(logits, dim=1)"
        assert await editor.diagnostics(cells[0]) == []
        actions = await editor.actions(cells[3], found.range, [found])
        for words, text in (
            ("log_softmax", "loss = F.log_softmax(logits, dim=1)\n!ls"),
            ("disable for this line", "loss = torch.log(probs)  # nanlint: ignore[NL101]\n!ls"),
        ):
            edit = next(one for one in actions if words in one.title).edit
            assert edit is not None
            touched = list(edit.changes or ()) or [
                one.text_document.uri for one in edit.document_changes or () if isinstance(one, types.TextDocumentEdit)
            ]
            assert touched == [cells[3]]
            assert applied(CELLS[3], edit, units) == text
        edit_cell(editor, cells[2], "probs = logits.exp() + 1")
        assert await editor.diagnostics(cells[3]) == []


@pytest.mark.asyncio
async def test_a_name_in_a_cell_has_its_record_from_the_cell_before(tmp_path: Path) -> None:
    async with session("VS Code", tmp_path) as editor:
        cells = open_notebook(editor)
        told = await editor.hover(cells[3], 0, 18)
        assert told is not None
        assert "is exactly 0 when a logit is 104 below the largest (float32)" in told
        assert "(line 1 of cell 3) is exactly 0 when a logit" in (await editor.hover(cells[3], 0, 10) or "")
