"""The bytes of a file -> its Source, whatever kind of file it is: Python as it stands, or the cells of a notebook."""

from __future__ import annotations

from nanlint.source.text import Source

NOTEBOOK = ".ipynb"


def is_notebook(path: str) -> bool:
    return path.endswith(NOTEBOOK)


def read_source(content: bytes, path: str) -> Source:
    """Decode ``content``; raises SourceError."""
    if is_notebook(path):
        from nanlint.source.notebook import Notebook

        return Notebook.from_bytes(content, path)
    return Source.from_bytes(content, path)
