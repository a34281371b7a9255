"""Which files of a project import which, by what their text says: nothing is imported, and no environment is asked."""

from __future__ import annotations

import ast
import os
from collections.abc import Collection, Iterator, Mapping

from nanlint.source.decoding import SourceError
from nanlint.source.reading import read_source
from nanlint.source.syntax import Unparsable

_PACKAGE = "__init__"


def with_importers(changed: Collection[str], files: Collection[str], top: str) -> frozenset[str]:
    """Those of ``files`` that are ``changed`` or import one that is, themselves or through others.

    All are absolute real paths below ``top``. An import that could mean several files, since it depends on the path
    that a program is started with, counts for each of them.
    """
    known = frozenset(files)
    names = _names(known, top)
    importers: dict[str, set[str]] = {}
    for file in known:
        for imported in _imported(file, known, names):
            importers.setdefault(imported, set()).add(file)
    found = set(known.intersection(changed))
    pending = list(found)
    while pending:
        for importer in importers.get(pending.pop(), set()) - found:
            found.add(importer)
            pending.append(importer)
    return frozenset(found)


def _names(files: Collection[str], top: str) -> Mapping[str, list[str]]:
    """The files by the dotted names that they can be imported under.

    A name starts below a directory that is no package: the one that holds the outermost package (the project, its
    ``src``, that of a script), or one further up, for packages without an ``__init__.py``.
    """
    packages = {os.path.dirname(file) for file in files if _stem(file) == _PACKAGE}
    names: dict[str, list[str]] = {}
    for file in files:
        parts = [] if _stem(file) == _PACKAGE else [_stem(file)]
        directory = os.path.dirname(file)
        while True:
            if parts and directory not in packages:
                names.setdefault(".".join(parts), []).append(file)
            parent = os.path.dirname(directory)
            if directory == top or parent == directory:
                break
            parts.insert(0, os.path.basename(directory))
            directory = parent
    return names


def _stem(file: str) -> str:
    return os.path.splitext(os.path.basename(file))[0]


def _imported(file: str, files: Collection[str], names: Mapping[str, list[str]]) -> Iterator[str]:
    for node in ast.walk(_tree(file)):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield from _along(alias.name.split("."), names)
        elif isinstance(node, ast.ImportFrom):
            parts = node.module.split(".") if node.module else []
            for alias in node.names:
                if node.level:
                    yield from _relative(file, node.level, [*parts, alias.name], files)
                else:
                    yield from _along([*parts, alias.name], names)


def _along(parts: list[str], names: Mapping[str, list[str]]) -> Iterator[str]:
    """Who imports ``a.b.c`` imports ``a`` and ``a.b``, too; in ``from a.b import c`` the last may be no module."""
    for end in range(1, len(parts) + 1):
        yield from names.get(".".join(parts[:end]), ())


def _relative(file: str, level: int, parts: list[str], files: Collection[str]) -> Iterator[str]:
    base = os.path.dirname(file)
    for _ in range(level - 1):
        base = os.path.dirname(base)
    for end in range(len(parts) + 1):
        path = os.path.join(base, *parts[:end])
        for candidate in (f"{path}.py", f"{path}.pyi", os.path.join(path, f"{_PACKAGE}.py"), f"{path}/{_PACKAGE}.pyi"):
            if candidate in files:
                yield candidate


def _tree(file: str) -> ast.AST:
    """The syntax of a file; what cannot be read imports nothing that could be known."""
    try:
        with open(file, "rb") as stream:
            return read_source(stream.read(), file).tree
    except (OSError, SourceError, Unparsable):
        return ast.Module([], [])
