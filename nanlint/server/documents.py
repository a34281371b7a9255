"""What is open in the editor: texts by address and version, as values that a thread may read while the user types."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from lsprotocol import types
from pygls.uris import to_fs_path

from nanlint.server.positions import edited
from nanlint.source import Source

#: languages that are Python to nanlint, by the names editors give them
PYTHON = ("python", "python3", "py")


@dataclass(frozen=True)
class Document:
    """One open text, or an open notebook: that has no text of its own, but ``cells`` of Python by their numbers."""

    uri: str
    version: int
    text: str
    language: str
    cells: tuple[tuple[int, Document], ...] | None = None

    @property
    def path(self) -> str | None:
        """Where the text lies on disk; None for one that is in no file yet."""
        return path_of(self.uri)

    @property
    def is_python(self) -> bool:
        """Whether there is something in it to check."""
        return self.cells is not None or self.language in PYTHON or self.uri.endswith((".py", ".pyi"))

    @property
    def is_joined(self) -> bool:
        """Whether it is a notebook that its editor has made one text of."""
        return self.cells is None and self.language in PYTHON and self.uri.endswith(".ipynb")

    def source(self, path: str) -> Source:
        """What is checked, under the path that is shown."""
        if self.cells is not None:
            from nanlint.source.notebook import Notebook

            return Notebook.of_cells(path, [(number, cell.text) for number, cell in self.cells])
        if self.is_joined:
            from nanlint.server.joined import Joined

            return Joined.of_text(path, self.text)
        return Source(path, self.text.removeprefix("\ufeff"))


def path_of(uri: str) -> str | None:
    """The absolute path that an address names; None where it names no file."""
    path = to_fs_path(uri) if uri.startswith("file:") else None
    return path if path is not None and os.path.isabs(path) and "\0" not in path else None


class Documents:
    """The open documents. A cell is part of its notebook, and what is checked is the notebook."""

    def __init__(self) -> None:
        self.encoding = types.PositionEncodingKind.Utf16
        self._open: dict[str, Document] = {}
        self._notebooks: dict[str, tuple[Document, list[types.NotebookCell]]] = {}
        self._owners: dict[str, str] = {}

    def unsaved(self) -> dict[str, str]:
        """The texts that stand for what is on disk, by real path."""
        texts = (one for one in self._open.values() if one.path is not None and one.is_python and one.cells is None)
        return {os.path.realpath(one.path): one.text for one in texts if one.path is not None}

    def __iter__(self) -> Iterator[Document]:
        """What is checked: texts that are no cells, and notebooks."""
        yield from [document for uri, document in self._open.items() if uri not in self._owners]
        yield from [notebook for notebook, _ in self._notebooks.values()]

    def get(self, uri: str) -> Document | None:
        """What is checked for an address: the text there, or the notebook of the cell; None if it is not open."""
        kept = self._notebooks.get(self._owners.get(uri, uri))
        return kept[0] if kept is not None else self._open.get(uri)

    def opened(self, item: types.TextDocumentItem) -> Document:
        document = Document(item.uri, item.version, item.text, str(item.language_id))
        self._open[item.uri] = document
        return document

    def changed(
        self, uri: str, version: int, changes: Sequence[types.TextDocumentContentChangeEvent]
    ) -> Document | None:
        """The document after ``changes``; None if it is not open."""
        before = self._open.get(uri)
        if before is None:
            return None
        after = replace(before, version=version, text=edited(before.text, changes, self.encoding))
        self._open[uri] = after
        return after

    def closed(self, uri: str) -> None:
        self._open.pop(uri, None)

    # Notebooks

    def notebook_opened(self, notebook: types.NotebookDocument, items: Sequence[types.TextDocumentItem]) -> Document:
        for item in items:
            self.opened(item)
        return self._notebook(notebook.uri, notebook.version, list(notebook.cells))

    def notebook_changed(
        self, uri: str, version: int, change: types.NotebookDocumentCellChanges | None
    ) -> Document | None:
        """The notebook after its cells were moved, opened, closed or edited; None if it is not open."""
        kept = self._notebooks.get(uri)
        if kept is None:
            return None
        cells = kept[1]
        if change is not None and change.structure is not None:
            moved = change.structure.array
            cells[moved.start : moved.start + moved.delete_count] = moved.cells or ()
            for item in change.structure.did_open or ():
                self.opened(item)
            for closed in change.structure.did_close or ():
                self.closed(closed.uri)
                self._owners.pop(closed.uri, None)
        for text in (change.text_content if change is not None else None) or ():
            self.changed(text.document.uri, text.document.version, text.changes)
        return self._notebook(uri, version, cells)

    def notebook_closed(self, uri: str) -> Sequence[str]:
        """Forget a notebook; the addresses of its cells."""
        self._notebooks.pop(uri, None)
        cells = [cell for cell, owner in self._owners.items() if owner == uri]
        for cell in cells:
            self.closed(cell)
            del self._owners[cell]
        return cells

    def _notebook(self, uri: str, version: int, cells: list[types.NotebookCell]) -> Document:
        """Cells are counted from 1 over all of them, as in the file."""
        python: list[tuple[int, Document]] = []
        for number, cell in enumerate(cells, 1):
            self._owners[cell.document] = uri
            document = self._open.get(cell.document)
            if cell.kind is types.NotebookCellKind.Code and document is not None and document.is_python:
                python.append((number, document))
        notebook = Document(uri, version, "", "notebook", tuple(python))
        self._notebooks[uri] = (notebook, cells)
        return notebook
