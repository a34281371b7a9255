"""Which files of a project import which, by what their text says: nothing is imported, and no environment is asked."""

from __future__ import annotations

import ast
import os
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass

from nanlint.disk import read_regular
from nanlint.reaching import reached
from nanlint.source.decoding import SourceError
from nanlint.source.reading import read_source
from nanlint.source.syntax import Unparsable

_PACKAGE = "__init__"


@dataclass(frozen=True)
class _Imports:
    """What a file imports: each name that it binds so, with the files that it may mean; and the words that it uses."""

    bound: tuple[tuple[str, tuple[str, ...]], ...]
    words: frozenset[str]

    def takes(self, name: str) -> bool:
        """Whether the file may use a name that one that it imports has from another."""
        return name == "*" or name in self.words or "*" in self.words

    @property
    def files(self) -> frozenset[str]:
        return frozenset(file for _, files in self.bound for file in files)


def affected_by(changed: Collection[str], files: Collection[str], top: str) -> frozenset[str]:
    """Those of ``files`` of which something else may be found now that some have ``changed``.

    They are changed themselves, import one that is, themselves or through others, or are used by one of these: what is
    found in a function depends on what it uses, and on what it is given.
    """
    known = frozenset(files)
    names = _names(known, top)
    imports = {file: _imports(file, known, names) for file in known}
    found = _with_importers(known.intersection(changed), imports)
    return found.union(*(_used_by(file, imports) for file in found))


def _with_importers(changed: Collection[str], imports: Mapping[str, _Imports]) -> frozenset[str]:
    """Files, and those that import one of them, themselves or through others."""
    importers: dict[str, set[str]] = {}
    for file, own in imports.items():
        for imported in own.files:
            importers.setdefault(imported, set()).add(file)
    return frozenset(reached(changed, lambda file: importers.get(file, ())))


def _used_by(file: str, imports: Mapping[str, _Imports]) -> frozenset[str]:
    """The files that one imports, and those whose names these hand on to it."""
    own = imports[file]

    def handed_on(used: str) -> Iterator[str]:
        return (target for name, files in imports[used].bound if own.takes(name) for target in files)

    return frozenset(reached(own.files, handed_on))


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


def _imports(file: str, files: Collection[str], names: Mapping[str, list[str]]) -> _Imports:
    """What a file imports.

    An import that could mean several files, since it depends on the path that a program is started with, means each.
    """
    bound: list[tuple[str, tuple[str, ...]]] = []
    words: set[str] = set()
    for node in ast.walk(_tree(file)):
        if isinstance(node, ast.Import):
            for alias in node.names:
                bound.append((alias.asname or alias.name.partition(".")[0], _along(alias.name.split("."), names)))
        elif isinstance(node, ast.ImportFrom):
            parts = node.module.split(".") if node.module else []
            for alias in node.names:
                along = [*parts, alias.name]
                meant = _relative(file, node.level, along, files) if node.level else _along(along, names)
                bound.append((alias.asname or alias.name, meant))
                words.add(alias.name)
        elif isinstance(node, ast.Attribute):
            words.add(node.attr)
    return _Imports(tuple(bound), frozenset(words))


def _along(parts: list[str], names: Mapping[str, list[str]]) -> tuple[str, ...]:
    """Who imports ``a.b.c`` imports ``a`` and ``a.b``, too; in ``from a.b import c`` the last may be no module."""
    return tuple(file for end in range(1, len(parts) + 1) for file in names.get(".".join(parts[:end]), ()))


def _relative(file: str, level: int, parts: list[str], files: Collection[str]) -> tuple[str, ...]:
    base = os.path.dirname(file)
    for _ in range(level - 1):
        base = os.path.dirname(base)
    paths = [os.path.join(base, *parts[:end]) for end in range(len(parts) + 1)]
    forms = (".py", ".pyi", f"{os.sep}{_PACKAGE}.py", f"{os.sep}{_PACKAGE}.pyi")
    return tuple(path + form for path in paths for form in forms if path + form in files)


def _tree(file: str) -> ast.AST:
    """The syntax of a file; what cannot be read imports nothing that could be known."""
    try:
        return read_source(read_regular(file), file).tree
    except (OSError, SourceError, Unparsable):
        return ast.Module([], [])
