"""The other files of a project: found by the names that a file imports, read, and never imported or run."""

from __future__ import annotations

import ast
import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import PurePath

from nanlint.ops.roots import FRAMEWORKS, ROOTS
from nanlint.source.decoding import SourceError
from nanlint.source.reading import read_source
from nanlint.source.syntax import Unparsable

#: files of which one marks the top of a project
MARKERS = (".git", ".hg", "pyproject.toml", "setup.py", "setup.cfg", "nanlint.toml")
#: bytes of a file that is read for the sake of others; larger ones are data, or generated
MAX_BYTES = 1_000_000
#: names of directories that packages are installed in
INSTALLED = ("site-packages", "dist-packages")
#: files that are kept, as trees
KEPT = 256
_INIT = "__init__.py"

#: what changes whenever a file does
Stamp = tuple[int, int]


@dataclass(frozen=True, eq=False)
class Module:
    """A file of a project, by the dotted name that it is imported under.

    ``package``: what its relative imports start from.
    """

    name: str
    path: str
    tree: ast.Module
    package: tuple[str, ...]


@dataclass(eq=False)
class View:
    """What a file sees of its project: the modules that its imports, and theirs, may mean.

    ``package``: the file's own. ``directories``: where absolute names start, in the order in which they are looked up.
    ``unsaved``: texts that stand for what is on disk, by real path. ``read``: the files that were asked for, with what
    they were like. ``unresolved``: names of the project for which there is no file, or none that can be read -> why.
    """

    path: str
    package: tuple[str, ...]
    directories: tuple[str, ...]
    unsaved: Mapping[str, str] = field(default_factory=dict)
    read: dict[str, Stamp | None] = field(default_factory=dict)
    unresolved: dict[str, str] = field(default_factory=dict)
    _modules: dict[str, Module | None] = field(default_factory=dict)
    _roots: dict[str, bool] = field(default_factory=dict)

    @classmethod
    def of(cls, path: str, unsaved: Mapping[str, str] | None = None) -> View:
        """The view from a file on disk, or from one that would be there."""
        real = os.path.realpath(path)
        outermost, package = package_around(real)
        top = top_of(outermost)
        if os.path.basename(outermost) in INSTALLED:
            top = outermost
        directories = dict.fromkeys((outermost, top, os.path.join(top, "src")))
        if not package and outermost != top:
            # without an __init__.py a directory may be a package none the less
            package = tuple(os.path.relpath(outermost, top).split(os.sep))
        return cls(real, package, tuple(directories), unsaved or {})

    def module(self, name: str) -> Module | None:
        """The file that a dotted name means; None for what is no file of the project."""
        if name not in self._modules:
            self._modules[name] = self._found(name)
        return self._modules[name]

    def longest(self, name: str) -> tuple[Module, tuple[str, ...]] | None:
        """The module that a dotted name begins with, and what follows: names in it."""
        parts = name.split(".")
        if not self._may_be_here(parts[0]):
            return None
        for end in range(len(parts), 0, -1):
            module = self.module(".".join(parts[:end]))
            if module is not None:
                return module, tuple(parts[end:])
        return None

    @property
    def installed(self) -> bool:
        """Whether the file is part of a package that is installed, among others that are no part of its project."""
        return os.path.basename(self.directories[0]) in INSTALLED

    def _may_be_here(self, root: str) -> bool:
        if root not in self._roots:
            own = root == self.package[0] if self.package else False
            others = root in ROOTS or root in sys.stdlib_module_names or self.installed
            foreign = not root or root in FRAMEWORKS or (others and not own)
            self._roots[root] = not foreign and any(
                os.path.isdir(start) or os.path.isfile(f"{start}.py") or f"{start}.py" in self.unsaved
                for start in (os.path.join(directory, root) for directory in self.directories)
            )
        return self._roots[root]

    def _found(self, name: str) -> Module | None:
        parts = name.split(".")
        for directory in self.directories:
            base = os.path.join(directory, *parts)
            for path, package in ((os.path.join(base, _INIT), parts), (f"{base}.py", parts[:-1])):
                if os.path.realpath(path) == self.path:
                    # the file itself, which is read already
                    return Module(name, self.path, ast.Module([], []), tuple(package))
                if (read := self._tree(path, name)) is not None:
                    return Module(name, path, read, tuple(package))
        return None

    def _tree(self, path: str, name: str) -> ast.Module | None:
        text = self.unsaved.get(os.path.realpath(path)) if self.unsaved else None
        stamp = stamp_of(path)
        self.read[path] = stamp
        if text is None and stamp is None:
            return None
        found = tree_of(path, stamp, text)
        if isinstance(found, str):
            self.unresolved[name] = found
            return None
        return found


def stamp_of(path: str) -> Stamp | None:
    """What changes whenever a file does; None where there is none."""
    try:
        found = os.stat(path)
    except OSError:
        return None
    return (found.st_mtime_ns, found.st_size) if os.path.isfile(path) else None


def package_around(path: str) -> tuple[str, tuple[str, ...]]:
    """The directory that holds the outermost package around a file, and the package that the file is in."""
    directory = os.path.dirname(path)
    package: list[str] = []
    while os.path.isfile(os.path.join(directory, _INIT)):
        parent = os.path.dirname(directory)
        if parent == directory:
            break
        package.insert(0, os.path.basename(directory))
        directory = parent
    return directory, tuple(package)


def top_of(directory: str) -> str:
    """The top of the project that a directory belongs to: the nearest with a marker; itself where there is none."""
    for above in (directory, *map(str, PurePath(directory).parents)):
        if any(os.path.exists(os.path.join(above, marker)) for marker in MARKERS):
            return above
    return directory


@lru_cache(maxsize=KEPT)
def tree_of(path: str, stamp: Stamp | None, text: str | None = None) -> ast.Module | str:
    """The syntax of a file as it is now, which is nobody else's to change; or why it cannot be read."""
    if stamp is not None and stamp[1] > MAX_BYTES:
        return f"has more than {MAX_BYTES} bytes"
    try:
        if text is None:
            with open(path, "rb") as file:
                source = read_source(file.read(), path)
        else:
            source = read_source(text.encode(), path)
        tree = source.tree
    except (OSError, SourceError, Unparsable) as error:
        return str(error)
    return tree


def home_of(site: ast.AST | None) -> str | None:
    """The path of the other file that a piece of syntax stands in; None for what stands in the file that is checked."""
    return getattr(site, "home", None)
