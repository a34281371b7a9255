"""A checked text and the documents of the editor that it is in: one, or the cells of a notebook. Pure."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from lsprotocol import types
from pygls.uris import from_fs_path

from nanlint.diagnostic import Edit, Span
from nanlint.server.client import Client
from nanlint.server.documents import Document
from nanlint.server.edits import text_edits
from nanlint.server.positions import Ruler
from nanlint.source import Source
from nanlint.source.notebook import Notebook
from nanlint.source.project import View, view_of


@dataclass(frozen=True)
class Sheet:
    """Takes places of ``source`` to places of documents, and back."""

    source: Source
    document: Document
    encoding: types.PositionEncodingKind

    def located(self, span: Span) -> Span:
        return self.source.located(span) if isinstance(self.source, Notebook) else span

    def location(self, span: Span) -> types.Location:
        """The document that a span is in, and where."""
        span = self.located(span)
        return types.Location(self._document(span).uri, self._ruler(span).range(span))

    def range(self, span: Span) -> types.Range:
        return self.location(span).range

    def place(self, uri: str, position: types.Position) -> tuple[int, int]:
        """The row and column of the text that a position of a document is."""
        cell = next((number for number, one in self.document.cells or () if one.uri == uri), None)
        row, column = self._ruler(Span(1, 1, 1, 1, cell)).place(position)
        span = self.source.placed(Span(row, column, row, column, cell))
        return span.row, span.column

    def span(self, uri: str, range: types.Range) -> Span:
        """The span of the text that a range of a document is."""
        return Span(*self.place(uri, range.start), *self.place(uri, range.end))

    def edit(self, edits: Iterable[Edit], client: Client) -> types.WorkspaceEdit:
        """Edits of the text as edits of its documents; of these versions of them, where the client can tell.

        Those of other files are edits of what is open there, or of what is on disk.
        """
        listed = list(edits)
        by_cell: dict[int | None, list[Edit]] = {}
        for edit in (one for one in listed if not one.path):
            span = self.located(edit.span)
            by_cell.setdefault(span.cell, []).append(Edit(span, edit.content))
        changes = []
        for cell, own in sorted(by_cell.items(), key=lambda item: item[0] or 0):
            place = Span(1, 1, 1, 1, cell)
            document = self._document(place)
            identifier = types.OptionalVersionedTextDocumentIdentifier(uri=document.uri, version=document.version)
            changes.append(types.TextDocumentEdit(identifier, text_edits(own, self._ruler(place))))
        for path in sorted({one.path for one in listed if one.path}):
            own = [replace(one, path="") for one in listed if one.path == path]
            changes.append(self._elsewhere(os.path.abspath(path), own))
        if client.document_changes:
            return types.WorkspaceEdit(document_changes=changes)
        plain = {one.text_document.uri: [e for e in one.edits if isinstance(e, types.TextEdit)] for one in changes}
        return types.WorkspaceEdit(changes=plain)

    def _elsewhere(self, path: str, edits: Sequence[Edit]) -> types.TextDocumentEdit:
        view = view_of(self.source) or View.of(path)
        identifier = types.OptionalVersionedTextDocumentIdentifier(uri=from_fs_path(path) or path)
        return types.TextDocumentEdit(identifier, text_edits(edits, Ruler(view.text(path), self.encoding)))

    def _document(self, span: Span) -> Document:
        return next((one for number, one in self.document.cells or () if number == span.cell), self.document)

    def _ruler(self, span: Span) -> Ruler:
        document = self._document(span)
        if document is not self.document:
            return Ruler(document.source(""), self.encoding)
        # what is masked in a notebook need not be as long as what is written
        written = isinstance(self.source, Notebook)
        return Ruler(Source("", "".join(self.source.shown)) if written else self.source, self.encoding)
