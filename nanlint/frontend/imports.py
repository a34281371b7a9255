"""Where the imports of a project lead: to a file of it, to a package outside of it, or nowhere, and then why.

They are read in the text of its files and looked up as the lowering looks them up; nothing is imported.
"""

from __future__ import annotations

import ast
import os
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from types import ModuleType

from nanlint.disk import is_directory, stamp_of
from nanlint.frontend.modules import Outline, descendants, outline_of
from nanlint.source.decoding import SourceError
from nanlint.source.discovery import shown_path
from nanlint.source.project import Module, Seen, View, absolute, in_project, source_of, view_of
from nanlint.source.project_files import MAX_FILES, all_files
from nanlint.source.roots import FRAMEWORKS
from nanlint.source.syntax import Unparsable
from nanlint.source.text import Source

#: names that are listed where there may be many
_LISTED = 3
#: names that each module has
_ATTRIBUTES = frozenset({*dir(ModuleType("")), "__file__", "__path__"})


@dataclass(frozen=True, order=True)
class Import:
    """A name that a file imports, and where it leads.

    ``path``, ``cell``, ``row``: where it is imported; cell 0 where there are no cells, row 0 for the file as a whole.
    ``name``: the dotted name, absolute; of a module that is not found no more than its own. ``target``: the file of the
    project that it leads to, if any. ``symbol``: what is taken from that file, ``*`` for all, nothing for the module
    itself. ``problem``: why it is not resolved.
    """

    path: str
    cell: int
    row: int
    name: str
    target: str = ""
    symbol: str = ""
    problem: str = ""

    @property
    def place(self) -> str:
        """Where it is imported, as it is shown."""
        shown = shown_path(self.path)
        cell = f":cell {self.cell}" if self.cell else ""
        return f"{shown}{cell}:{self.row}" if self.row else shown

    @property
    def root(self) -> str:
        """The top-level package that it is imported from."""
        return self.name.partition(".")[0]


@dataclass(frozen=True)
class ModuleGraph:
    """Files of a project and what they import.

    ``files``: real paths, sorted; those that were asked for (``named``), and files that these import. ``imports``: of
    the former. ``unreadable``: those that cannot be read -> why. ``left_out``: how many files there are besides.
    """

    files: tuple[str, ...]
    named: frozenset[str]
    imports: tuple[Import, ...]
    unreadable: Mapping[str, str]
    left_out: int = 0

    @property
    def edges(self) -> Mapping[tuple[str, str, str], Sequence[Import]]:
        """The imports that lead to a file, by importer, file and problem."""
        found: dict[tuple[str, str, str], list[Import]] = {}
        for one in self.imports:
            if one.target and one.target != one.path:
                found.setdefault((one.path, one.target, one.problem), []).append(one)
        return found

    def densest(self, count: int) -> ModuleGraph:
        """So many of its files: those with unresolved imports, then those named, then those with most neighbours."""
        neighbours = Counter(path for edge in self.edges for path in edge[:2])
        failing = {one.path for one in self.imports if one.problem}

        def rank(path: str) -> tuple[bool, bool, int, str]:
            return path not in failing, path not in self.named, -neighbours[path], path

        kept = set(sorted(self.files, key=rank)[:count])
        return replace(
            self,
            files=tuple(path for path in self.files if path in kept),
            imports=tuple(one for one in self.imports if one.path in kept and (not one.target or one.target in kept)),
            left_out=self.left_out + len(self.files) - len(kept),
        )


def module_graph(paths: Iterable[str]) -> ModuleGraph:
    """The graph of some files and of those that they import; no more of them are read than of a project."""
    named = sorted(set(map(os.path.realpath, paths)))
    imports: list[Import] = []
    unreadable: dict[str, str] = {}
    for path in named[:MAX_FILES]:
        try:
            imports += resolved_imports(source_at(path))
        except (SourceError, Unparsable) as error:
            unreadable[path] = _reason(error, path)
    files = {*named[:MAX_FILES], *(one.target for one in imports if one.target)}
    return ModuleGraph(tuple(sorted(files)), frozenset(named), tuple(imports), unreadable, len({*named} - files))


def source_at(path: str) -> Source:
    """A file on disk, as it sees its project. Raises SourceError."""
    return in_project(source_of(path, stamp_of(path)))


def resolved_imports(source: Source) -> tuple[Import, ...]:
    """All imports of a file, in functions and branches too, sorted by place. Raises Unparsable."""
    lookup = _Lookup(source.tree, view_of(source) or View.of(source.path))
    found = []
    for node in descendants(source.tree):
        if isinstance(node, ast.Import):
            leads = [(alias, lookup.certain(lookup.lead(alias.name))) for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            module = absolute(node.module or "", node.level, lookup.view.package)
            leads = [(alias, lookup.lead(module, alias.name)) for alias in node.names]
            if not node.level:
                leads = [(alias, lookup.certain(lead)) for alias, lead in leads]
        else:
            continue
        for alias, lead in leads:
            cell, row = source.row_in_cell(alias.lineno)
            found.append(replace(lead, cell=cell or 0, row=row))
    return tuple(sorted(found))


def limits(seen: Mapping[str, Seen]) -> Iterator[Import]:
    """Where a project has more files than are followed, given what was seen of others from some files."""
    for path, one in seen.items():
        if one.left_out:
            listed = ", ".join(one.left_out[:_LISTED]) + (", …" if len(one.left_out) > _LISTED else "")
            yield Import(path, 0, 0, "", problem=f"imports so many files that some are not followed: {listed}")
    for top in {View.of(path).searched for path in seen}:
        if len(all_files(top)) > MAX_FILES:
            yield Import(
                top, 0, 0, "", problem=f"has more than {MAX_FILES} files: callers in the other files are not seen"
            )


@dataclass(frozen=True)
class _Lookup:
    """Looks up in a project what one file of it imports."""

    tree: ast.Module
    view: View

    def lead(self, module: str, symbol: str = "") -> Import:
        """Where a module leads, or a symbol that is imported from it; its row is not known here."""
        if module.startswith("."):
            return self._import(module + symbol, problem="goes beyond the top-level package")
        name = f"{module}.{symbol}" if symbol not in ("", "*") else module
        found = self.view.longest(name)
        parts = name.split(".")
        known = len(parts) - len(found[1]) if found is not None else 0
        longer = [".".join(parts[:end]) for end in range(known + 1, len(parts) + 1)]
        for prefix in longer:
            if prefix in self.view.unresolved:
                path = next(path for path, _ in self.view.places(prefix) if stamp_of(path) is not None)
                return self._import(prefix, os.path.realpath(path), problem=_reason(self.view.unresolved[prefix], path))
        if found is None and (parts[0] not in self.view.package[:1] or parts[0] in FRAMEWORKS):
            return self._import(name)
        if found is not None and not longer:
            return self._import(name, os.path.realpath(found[0].path), "*" if symbol == "*" else "")
        missing = next((prefix for prefix in longer if not self._is_directory(prefix)), None)
        if missing is None:  # a package without a file of its own
            return self._import(name)
        if found is not None and symbol == parts[-1] and len(longer) == 1:
            problem = self._problem(found[0], symbol)
            return self._import(name, os.path.realpath(found[0].path), symbol, problem)
        return self._import(missing, problem="no such module")

    def certain(self, lead: Import) -> Import:
        """A lead, with a problem if the project has several packages, or modules, of the name that it begins with."""
        if not lead.target or lead.problem:
            return lead
        there = {os.path.realpath(path): path for path, _ in self.view.places(lead.root) if stamp_of(path) is not None}
        if len(there) < 2:
            return lead
        files = ", ".join(map(shown_path, there.values()))
        return replace(lead, name=lead.root, problem=f"is ambiguous, and the first match is used: {files}")

    def _import(self, name: str, target: str = "", symbol: str = "", problem: str = "") -> Import:
        return Import(self.view.path, 0, 0, name, target, symbol, problem)

    def _is_directory(self, name: str) -> bool:
        return any(is_directory(os.path.join(directory, *name.split("."))) for directory in self.view.directories)

    def _outline(self, module: Module) -> Outline:
        return outline_of(self.tree if module.path == self.view.path else module.tree)

    def _problem(self, module: Module, symbol: str) -> str:
        """Why a symbol cannot be taken from a module."""
        path = shown_path(module.path)
        if self._binds(module, symbol, set()):
            circle = self._circle(module, symbol, ())
            return f"re-exported in a cycle: {', '.join(map(shown_path, circle))}" if circle else ""
        if "__getattr__" in self._outline(module).bindings:
            return f"defined at run time by __getattr__ in {path}"
        package = os.path.basename(path) == "__init__.py"
        return f"no such module, and no such name in {path}" if package else f"no such name in {path}"

    def _binds(self, module: Module, symbol: str, seen: set[str]) -> bool:
        """Whether the top level of a module has a name; of what stars bring from elsewhere nobody knows."""
        outline = self._outline(module)
        if symbol in outline.bindings or symbol in _ATTRIBUTES or symbol in outline.changed:
            return True
        seen.add(module.path)
        for star in outline.stars:
            found = self.view.longest(absolute(star.module or "", star.level, module.package))
            if found is None or found[1] or (found[0].path not in seen and self._binds(found[0], symbol, seen)):
                return True
        return False

    def _circle(self, module: Module, symbol: str, chain: tuple[tuple[str, str], ...]) -> tuple[str, ...]:
        """The files that import a name from each other, if nobody defines it."""
        here = module.path, symbol
        if here in chain:
            return tuple(path for path, _ in chain[chain.index(here) :])
        statements = self._outline(module).bindings.get(symbol, ())
        imports = [statement for statement in statements if isinstance(statement, ast.ImportFrom)]
        if not imports or len(imports) < len(statements):
            return ()
        name = next(alias.name for alias in imports[-1].names if (alias.asname or alias.name) == symbol)
        origin = absolute(imports[-1].module or "", imports[-1].level, module.package)
        found = self.view.longest(f"{origin}.{name}")
        if found is None or len(found[1]) != 1:
            return ()
        return self._circle(found[0], found[1][0], (*chain, here))


def _reason(error: Exception | str, path: str) -> str:
    """Why a file cannot be read, without its name."""
    return f"cannot be read: {str(error).removeprefix(f'{path}: ')}"
