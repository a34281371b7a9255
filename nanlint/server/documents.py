"""What is open in the editor: texts by address and version, as values that a thread may read while the user types."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from lsprotocol import types
from pygls.uris import to_fs_path

from nanlint.server.positions import edited

#: languages that are Python to nanlint, by the names editors give them
PYTHON = ("python", "python3", "py")


@dataclass(frozen=True)
class Document:
    """One open text. ``path`` is None for a text that is in no file yet."""

    uri: str
    version: int
    text: str
    language: str

    @property
    def path(self) -> str | None:
        """Where the text lies on disk."""
        return path_of(self.uri)

    @property
    def is_python(self) -> bool:
        """Whether there is something in it to check."""
        return self.language in PYTHON or self.uri.endswith((".py", ".pyi"))


def path_of(uri: str) -> str | None:
    """The absolute path that an address names; None where it names no file."""
    return to_fs_path(uri) if uri.startswith("file:") else None


class Documents:
    """The open documents."""

    def __init__(self) -> None:
        self.encoding = types.PositionEncodingKind.Utf16
        self._open: dict[str, Document] = {}

    def __iter__(self) -> Iterator[Document]:
        return iter(tuple(self._open.values()))

    def get(self, uri: str) -> Document | None:
        """The document, if it is open."""
        return self._open.get(uri)

    def opened(self, item: types.TextDocumentItem) -> Document:
        """Keep what the editor has opened."""
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
        """Forget a document."""
        self._open.pop(uri, None)
