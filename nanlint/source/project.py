"""The other files of a project: found by the names that a file imports, read, and never imported or run."""

from __future__ import annotations

import ast
import os
from collections import deque
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from hashlib import blake2b

from nanlint import disk
from nanlint.disk import Stamp, has_marker, is_directory, is_file, read_regular, reason, stamp_of
from nanlint.source.decoding import SourceError
from nanlint.source.project_files import (
    INIT,
    INSTALLED,
    MAX_BYTES,
    STDLIB,
    all_files,
    files_with,
    last_part,
    package_around,
    package_in,
    top_of,
    users_of,
    words_of_imports,
)
from nanlint.source.reading import read_source
from nanlint.source.roots import FRAMEWORKS, ROOTS
from nanlint.source.syntax import Unparsable, kept, parse_once, remembered
from nanlint.source.text import Source

#: files that are read to see whether they use another
MAX_USERS = 40
#: files that are looked through for what a file uses of frameworks
MAX_BEHIND = 100
#: files of a project of which it may be said what none of them does
WHOLE = 20
#: where statements hold others, the last first
_BLOCKS = ("finalbody", "orelse", "cases", "handlers", "body")


@dataclass(frozen=True, eq=False)
class Module:
    """A file of a project, by the dotted name that it is imported under.

    ``package``: what its relative imports start from.
    """

    name: str
    path: str
    tree: ast.Module
    package: tuple[str, ...]


@dataclass(frozen=True)
class Seen:
    """What the findings of a file depend on: other files as they were, and who uses names of it, and of its users.

    ``files``: those that were asked for, None where there was none. ``skimmed``: those of which only the imports count,
    with a digest of these. ``users``: files, names of theirs that others may
    import, and the files that may. ``mentions``: words, and the files of the project that have one of them.
    ``left_out``: names of modules that were not followed, since there are too many. ``whole``: whether the project is
    seen whole, None if nobody asked.
    """

    files: tuple[tuple[str, Stamp | None], ...] = ()
    skimmed: tuple[tuple[str, Stamp | None, bytes], ...] = ()
    users: tuple[tuple[tuple[str, frozenset[str]], tuple[str, ...]], ...] = ()
    mentions: tuple[tuple[frozenset[str], tuple[str, ...]], ...] = ()
    left_out: tuple[str, ...] = ()
    whole: bool | None = None


@dataclass(eq=False)
class View:
    """What a file sees of its project: the modules that its imports, and theirs, may mean.

    ``package``: the file's own. ``directories``: where absolute names start, in the order in which they are looked up.
    ``top``: the directory of the project. ``unsaved``: texts that stand for what is on disk, by real path. ``read``:
    the files that were asked for, with what they were like. ``skimmed``: those of which only the imports were looked
    at. ``unresolved``: names of the project for which there is no file, or none that can be read -> why. ``left_out``:
    as in Seen. ``sources``: the texts of the modules that were found, by path, as they were read.
    """

    path: str
    package: tuple[str, ...]
    directories: tuple[str, ...]
    top: str
    unsaved: Mapping[str, str] = field(default_factory=dict)
    read: dict[str, Stamp | None] = field(default_factory=dict)
    skimmed: dict[str, Stamp | None] = field(default_factory=dict)
    unresolved: dict[str, str] = field(default_factory=dict)
    left_out: set[str] = field(default_factory=set)
    sources: dict[str, Source] = field(default_factory=dict)
    _modules: dict[str, Module | None] = field(default_factory=dict)
    _roots: dict[str, bool] = field(default_factory=dict)
    _asked: dict[tuple[str, frozenset[str]], tuple[str, ...]] = field(default_factory=dict)
    _mentions: dict[frozenset[str], tuple[str, ...]] = field(default_factory=dict)

    @classmethod
    def of(cls, path: str, unsaved: Mapping[str, str] | None = None) -> View:
        """The view from a file on disk, or from one that would be there."""
        real = disk.real(path)
        outermost, _ = package_around(real)
        top = outermost if os.path.basename(outermost) in INSTALLED else top_of(outermost)
        directories = dict.fromkeys((outermost, top, os.path.join(top, "src")))
        return cls(real, package_in(top, real), tuple(directories), top, unsaved or {})

    def module(self, name: str, *, skim: bool = False) -> Module | None:
        """The file that a dotted name means; None for what is no file of the project.

        ``skim``: only what it imports will be looked at.
        """
        if name not in self._modules:
            self._modules[name] = self._found(name)
        module = self._modules[name]
        if module is not None and not skim:
            self._read_whole(module)
        return module

    def longest(self, name: str, *, skim: bool = False) -> tuple[Module, tuple[str, ...]] | None:
        """The module that a dotted name begins with, and what follows: names in it. ``skim``: as for a module."""
        parts = name.split(".")
        if not self._may_be_here(parts[0]):
            return None
        for end in range(len(parts), 0, -1):
            module = self.module(".".join(parts[:end]), skim=skim)
            if module is not None:
                return module, tuple(parts[end:])
        return None

    def text(self, path: str) -> Source:
        """A file as this one sees it: as it is on disk, or as it stands where not saved. Raises SourceError."""
        real = disk.real(path)
        return source_of(real, stamp_of(real), self.unsaved.get(real))

    def importers(self, names: Collection[str], path: str, *, skim: bool = False) -> Iterator[Module]:
        """The files of the project that import the one at ``path``, or some of its names through others, by path.

        ``skim``: as for a module.
        """
        self._asked[path, frozenset(names)] = paths = self.paths_with(names, path)
        return self._modules_at(paths, skim=skim)

    def users_of_name(self, name: str, path: str) -> Iterator[Module]:
        """Those of the importers of the file at ``path`` that name something of it."""
        self._asked[path, frozenset((name,))] = paths = self.paths_with((name,), path)
        naming = set(users_of(self.searched).get(name, ()))
        return self._modules_at(one for one in paths if one in naming)

    def mentioning(self, words: frozenset[str]) -> Iterator[Module]:
        """The other files of the project whose text has one of some words, or part of a longer one, by path."""
        return self._modules_at(path for path in self.files_mentioning(words) if path != self.path)

    def files_mentioning(self, words: frozenset[str]) -> tuple[str, ...]:
        """The files of the project whose text has one of some words, or part of a longer one, sorted."""
        self._mentions[words] = paths = files_with(self.searched, words)
        return paths

    @cached_property
    def is_whole(self) -> bool:
        """Whether the project is seen as its authors have it, as a package or with what marks its top, and is large.

        What it does anywhere, its tests and examples show.
        """
        marked = bool(self.package) or has_marker(self.top)
        return marked and not self.installed and len(all_files(self.top)) >= WHOLE

    def _modules_at(self, paths: Iterable[str], *, skim: bool = False) -> Iterator[Module]:
        for path in paths:
            package = package_in(self.top, path)
            stem = os.path.splitext(os.path.basename(path))[0]
            name = ".".join(package if stem == "__init__" else (*package, stem))
            tree = self._tree(path, name, stamp_of(path))
            if tree is not None:
                module = Module(name, path, tree, package)
                if not skim:
                    self._read_whole(module)
                yield module

    def paths_with(self, names: Collection[str], path: str) -> tuple[str, ...]:
        """Files of the project that may import the one at ``path``, then those that may have its names from a package.

        Sorted, and no more than are looked through.
        """
        package = package_in(self.top, path)
        direct = self._importing([last_part(path, package)]) - {path}
        stems = {os.path.basename(os.path.splitext(one)[0]) for one in direct}
        through = self._importing([*package, *stems])
        others = self._importing(names) & through - direct - {path}
        return (*sorted(direct), *sorted(others))[:MAX_USERS]

    def _importing(self, words: Collection[str]) -> set[str]:
        """The files of the project whose import statements have one of some words, as they stand where not saved."""
        users = users_of(self.searched)
        saved = {path for word in words for path in users.get(word, ())} - self.unsaved.keys()
        return saved | {path for path, own in self._unsaved_words.items() if not own.isdisjoint(words)}

    @cached_property
    def _unsaved_words(self) -> Mapping[str, frozenset[str]]:
        below = self.searched.rstrip(os.sep) + os.sep
        return {
            path: words_of_imports(text.encode("utf-8", "replace"))
            for path, text in self.unsaved.items()
            if path.startswith(below)
        }

    def uses(self, path: str, unsaved: Mapping[str, str]) -> bool:
        """Whether what was found depends on another file, or would now. ``unsaved``: as in View, as it is now."""
        now = View.of(self.path, unsaved)
        looked_at = path in self.read or path in self.skimmed
        return looked_at or any(path in now.paths_with(names, asked) for asked, names in self._asked)

    def connected(self, tree: ast.Module) -> bool:
        """Whether values may go from the file, whose tree is given, to others of the project: they or it import."""
        self._asked[self.path, frozenset()] = users = self.paths_with((), self.path)
        return bool(users) or any(True for _ in self._imported(tree, self.package))

    @property
    def seen(self) -> Seen:
        """What was looked at so far."""
        asked, mentions = tuple(self._asked.items()), tuple(self._mentions.items())
        skimmed = tuple((path, stamp, digest_of_imports(self.sources[path])) for path, stamp in self.skimmed.items())
        return Seen(
            tuple(self.read.items()), skimmed, asked, mentions, tuple(sorted(self.left_out)), vars(self).get("is_whole")
        )

    @property
    def searched(self) -> str:
        """The directory in which files that use this one are looked for."""
        return os.path.join(self.directories[0], self.package[0]) if self.installed and self.package else self.top

    def places(self, name: str) -> Iterator[tuple[str, tuple[str, ...]]]:
        """Where the file of a dotted name may be, in the order of looking, and what package it is in then."""
        parts = tuple(name.split("."))
        for directory in self.directories:
            base = os.path.join(directory, *parts)
            yield os.path.join(base, INIT), parts
            yield f"{base}.py", parts[:-1]

    def packages_behind(self, tree: ast.Module) -> Iterator[tuple[int, frozenset[str]]]:
        """The packages outside of the project that a file uses through modules of it, and how many imports lead there.

        The nearest first: those of the modules that it imports, of the modules that these import, and so on.
        """
        seen = {self.path}
        pending = deque([(1, self._imported(tree, self.package))])
        while pending:
            steps, modules = pending.popleft()
            for module in modules:
                if module.path not in seen:
                    seen.add(module.path)
                    yield steps, packages_of(module)
                    pending.append((steps + 1, self._imported(module.tree, module.package)))
                if len(seen) > MAX_BEHIND:
                    return

    def packages_around(self, tree: ast.Module) -> Iterator[frozenset[str]]:
        """The same, and the packages that the files use that import this one."""
        yield from (packages for _, packages in self.packages_behind(tree))
        yield from map(packages_of, self.importers((), self.path, skim=True))

    def _imported(self, tree: ast.Module, package: tuple[str, ...]) -> Iterator[Module]:
        for name, _ in imports_of(tree, package):
            found = self.longest(name, skim=True)
            if found is not None and found[0].path != self.path:
                yield found[0]

    @property
    def installed(self) -> bool:
        """Whether the file is part of a package that is installed, among others that are no part of its project."""
        return os.path.basename(self.directories[0]) in INSTALLED

    @cached_property
    def _stamp(self) -> Stamp | None:
        return stamp_of(self.path)

    def _may_be_here(self, root: str) -> bool:
        if root not in self._roots:
            own = root == self.package[0] if self.package else False
            others = root in ROOTS or root in STDLIB or self.installed
            foreign = not root or root in FRAMEWORKS or (others and not own)
            self._roots[root] = not foreign and any(
                is_directory(start) or is_file(f"{start}.py") or f"{start}.py" in self.unsaved
                for start in (os.path.join(directory, root) for directory in self.directories)
            )
        return self._roots[root]

    def _found(self, name: str) -> Module | None:
        for path, package in self.places(name):
            stamp = stamp_of(path)
            if stamp == self._stamp and disk.real(path) == self.path:
                # the file itself, which is read already
                return Module(name, self.path, ast.Module([], []), package)
            if (read := self._tree(path, name, stamp)) is not None:
                return Module(name, path, read, package)
        return None

    def _tree(self, path: str, name: str, stamp: Stamp | None) -> ast.Module | None:
        text = self.unsaved.get(disk.real(path)) if self.unsaved else None
        if text is None and stamp is None:
            self.read[path] = None
            return None
        try:
            self.sources[path] = source = source_of(path, stamp, text)
            tree = parse_once(source.text, path)
        except (SourceError, Unparsable) as error:
            self.read[path] = stamp
            self.unresolved[name] = str(error)
            return None
        self.skimmed[path] = stamp
        return tree

    def _read_whole(self, module: Module) -> None:
        if module.path in self.skimmed:
            self.read[module.path] = self.skimmed.pop(module.path)


@remembered
def imports_of(tree: ast.Module, package: tuple[str, ...]) -> Sequence[tuple[str, bool]]:
    """The dotted names that a file imports, anywhere in it, and whether it takes all that a module has."""
    found: list[tuple[str, bool]] = []
    pending: list[ast.AST] = [tree]
    while pending:
        statement = pending.pop()
        if isinstance(statement, ast.Import):
            found.extend((alias.name, False) for alias in statement.names)
        elif isinstance(statement, ast.ImportFrom):
            module = absolute(statement.module or "", statement.level, package)
            for alias in statement.names:
                found.append((module, True) if alias.name == "*" else (f"{module}.{alias.name}", False))
        elif not isinstance(statement, (ast.Assign, ast.Expr, ast.Return)):
            pending.extend(part for block in _BLOCKS for part in reversed(getattr(statement, block, ())))
    return found


def digest_of_imports(source: Source) -> bytes:
    """Tells the imports of a file from others. Raises Unparsable."""
    return _digest_of_imports(parse_once(source.text, source.path))


@remembered
def _digest_of_imports(tree: ast.Module) -> bytes:
    statements = [ast.dump(node) for node in ast.walk(tree) if isinstance(node, ast.Import | ast.ImportFrom)]
    return blake2b("\n".join(statements).encode("utf-8", "surrogatepass"), digest_size=16).digest()


def packages_of(module: Module) -> frozenset[str]:
    """The packages and modules that a file imports, by the first part of their names."""
    return frozenset(name.partition(".")[0] for name, _ in imports_of(module.tree, module.package))


def absolute(module: str, level: int, package: tuple[str, ...]) -> str:
    """The name of what is imported relative to a package, as far as that is known."""
    if level == 0:
        return module
    around = package[: len(package) - level + 1] if level - 1 <= len(package) else ()
    return ".".join((*around, *([module] if module else ()))) if around else "." * level + module


def view_of(source: Source) -> View | None:
    """What a source sees of the project around it."""
    return source.view if isinstance(source.view, View) else None


def in_project(source: Source, unsaved: Mapping[str, str] | None = None) -> Source:
    """A source that sees the project around it. ``unsaved``: as in View."""
    return replace(source, view=View.of(source.path, unsaved))


@kept(lambda path, stamp, text=None: len(text) if text is not None else 0 if stamp is None else stamp[2])
def source_of(path: str, stamp: Stamp | None, text: str | None = None) -> Source:
    """A file as it is now. Raises SourceError where it cannot be read."""
    if text is not None:
        return Source(path, text)
    if stamp is not None and stamp[2] > MAX_BYTES:
        raise SourceError(f"has more than {MAX_BYTES} bytes")
    try:
        return read_source(read_regular(path), path)
    except OSError as error:
        raise SourceError(reason(error)) from None
