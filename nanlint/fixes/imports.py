"""What a file imports under which names, how it would spell a framework's function, and where a new import belongs."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import cast

from nanlint.diagnostic import Edit, Span
from nanlint.fixes.outline import Outline, Scope
from nanlint.source import Source
from nanlint.source.roots import CONVENTION
from nanlint.source.text import Located

#: modules that hold the same functions as another one, longer names first
_SAME = (
    ("tensorflow.compat.v1", "tensorflow"),
    ("tensorflow.compat.v2", "tensorflow"),
    ("tensorflow_core", "tensorflow"),
    ("autograd.numpy", "jax.numpy"),
    ("cupy", "numpy"),
    ("tensorflow.keras", "keras"),
)
#: modules that an import of their package brings along
_ROOTS = {
    "torch": "torch",
    "tensorflow": "tensorflow",
    "jax": "jax",
    "jax.numpy": "jax.numpy",
    "numpy": "numpy",
    "keras": "keras",
    "scipy.special": "scipy.special",
    "math": "math",
}


@dataclass(frozen=True)
class Spelled:
    """A function's name as the file writes it, and the import that has to be added for it."""

    text: str
    edits: tuple[Edit, ...] = ()


@dataclass(frozen=True)
class Imported:
    """A name that an import binds: what it stands for, and where."""

    name: str
    target: str
    alias: ast.alias
    statement: ast.Import | ast.ImportFrom
    scope: Scope


class Imports:
    """The imports of one file."""

    def __init__(self, source: Source, outline: Outline) -> None:
        self.source = source
        self.outline = outline
        self.all = list(self._collect())
        self._by_name: dict[str, list[Imported]] = {}
        for imported in self.all:
            self._by_name.setdefault(imported.name, []).append(imported)
        self.roots = {i.target.partition(".")[0] for i in self.all if not i.target.startswith(".")}
        froms = (node for node in outline.parents if isinstance(node, ast.ImportFrom))
        #: whether names may come from where nothing names them
        self.takes_everything = any(alias.name == "*" for node in froms for alias in node.names)

    def _collect(self) -> Iterator[Imported]:
        for node in self.outline.parents:
            if isinstance(node, ast.Import):
                for alias in node.names:
                    target = alias.name if alias.asname else alias.name.partition(".")[0]
                    yield Imported(alias.asname or target, target, alias, node, self._scope(node))
            elif isinstance(node, ast.ImportFrom):
                module = "." * node.level + (node.module or "")
                for alias in node.names:
                    if alias.name != "*":
                        yield Imported(
                            alias.asname or alias.name, f"{module}.{alias.name}", alias, node, self._scope(node)
                        )

    def _scope(self, node: ast.AST) -> Scope:
        return next(iter(self.outline.scopes(node)), self.outline.tree)

    # Reading

    def means(self, name: str, at: ast.AST) -> str | None:
        """The module or function that a name stands for at a place, if an import and nothing else binds it."""
        found = self.outline.binding(name, at)
        if found is None:
            return None
        scope, binders = found
        imported = [i for i in self._by_name.get(name, ()) if i.scope is scope]
        aliases = {id(i.alias) for i in imported}
        if not imported or any(id(b) not in aliases and not self._fallback(b) for b in binders):
            return None
        if any(self._for_types_only(i.statement) for i in imported) or len({same(i.target) for i in imported}) > 1:
            return None
        if scope is self.outline.function(at) and not all(_precedes(i.statement, at) for i in imported):
            return None
        return imported[0].target

    def _fallback(self, binder: ast.AST) -> bool:
        """``name = None`` in the ``except`` of an import that failed."""
        statement = self.outline.statement(binder)
        assigns_none = (
            isinstance(statement, ast.Assign)
            and isinstance(statement.value, ast.Constant)
            and statement.value.value is None
        )
        return assigns_none and isinstance(self.outline.parents.get(cast(ast.AST, statement)), ast.ExceptHandler)

    def _for_types_only(self, statement: ast.AST) -> bool:
        return any(
            isinstance(p, ast.If) and "TYPE_CHECKING" in ast.dump(p.test) for p, _ in self.outline.above(statement)
        )

    def dotted(self, e: ast.expr) -> str | None:
        """The full dotted name of an imported function or module, as ``e`` writes it; None for anything else."""
        parts: list[str] = []
        while isinstance(e, ast.Attribute):
            parts.append(e.attr)
            e = e.value
        if not isinstance(e, ast.Name):
            return None
        target = self.means(e.id, e)
        return ".".join([target, *reversed(parts)]) if target is not None else None

    # Writing

    def spell(
        self, function: str, at: ast.AST, *, compat: bool = False, from_module: str | None = None
    ) -> Spelled | None:
        """How the file writes a function (by dotted name) at a place; None where it cannot be named there.

        ``compat``: TensorFlow's functions are written ``tf.compat.v1.…`` around it. ``from_module``: the style there is
        ``from module import function``.
        """
        candidates: list[tuple[int, int, str]] = []
        for imported in self.all:
            target = same(imported.target)
            if self.means(imported.name, at) != imported.target:
                continue
            if target == function:
                candidates.append((0, 0, imported.name))
            elif function.startswith(target + "."):
                rest = function[len(target) + 1 :]
                path = f"compat.v1.{rest}" if compat and imported.target == "tensorflow" else rest
                if imported.target in ("autograd", "tensorflow") or self._reachable(imported.target, rest):
                    candidates.append((1 + rest.count("."), len(imported.name), f"{imported.name}.{path}"))
        if from_module is not None and not any(rank == 0 for rank, *_ in candidates):
            module, _, name = function.rpartition(".")
            added = self._extended(module, name, at)
            if added is not None:
                return Spelled(name, (added,))
        if candidates:
            return Spelled(min(candidates)[2])
        return self._imported(function, at)

    def _reachable(self, target: str, rest: str) -> bool:
        """Whether attributes of a module lead to a function without another import.

        SciPy's packages are no attributes of it but where something imports them: ``import scipy.special`` does.
        """
        if target == "scipy":
            package = f"scipy.{rest.partition('.')[0]}"
            imports = (i.statement for i in self.all if isinstance(i.statement, ast.Import))
            return any(alias.name == package for statement in imports for alias in statement.names)
        return target.partition(".")[0] not in ("flax", "haiku", "optax")

    def _extended(self, module: str, name: str, at: ast.AST) -> Edit | None:
        """``name`` put into an existing ``from module import …`` at module level, in alphabetical order."""
        if not self._free(name, at):
            return None
        for statement in self.outline.tree.body:
            if not isinstance(statement, ast.ImportFrom) or statement.level or same(statement.module or "") != module:
                continue
            if not _precedes(statement, at) or all(a.asname or a.name == "*" for a in statement.names):
                continue
            return self._inserted_name(statement, name)
        return None

    def _inserted_name(self, statement: ast.ImportFrom, name: str) -> Edit:
        spans = [self.source.span(cast(Located, a)) for a in statement.names]
        rows = {s.row for s in spans}
        separator = ", "
        if len(rows) == len(spans) > 1 or (len(spans) == 1 and spans[0].row != statement.lineno):
            separator = ",\n" + self.source.lines[spans[0].row - 1][: spans[0].column - 1]
        for alias, span in zip(statement.names, spans, strict=True):
            if _isort_key(alias.name) > _isort_key(name):
                return Edit(Span(span.row, span.column, span.row, span.column), name + separator)
        end = spans[-1]
        return Edit(Span(end.end_row, end.end_column, end.end_row, end.end_column), separator + name)

    def _imported(self, function: str, at: ast.AST) -> Spelled | None:
        """A function named through an import that has to be added."""
        module = next((m for m in sorted(_ROOTS, key=len, reverse=True) if function.startswith(m + ".")), None)
        if module is None:
            return None
        name = CONVENTION.get(module, module.partition(".")[0])
        if not self._free(name, at) and self.means(name, at) != name:
            return None
        text = f"import {module}" if name == module.partition(".")[0] else f"import {module} as {name}"
        edit = self._placed(text, module, at)
        if edit is None:
            return None
        rest = function[len(module) + 1 :] if name in CONVENTION.values() else function.partition(".")[2]
        return Spelled(f"{name}.{rest}", (edit,))

    def _free(self, name: str, at: ast.AST) -> bool:
        """Whether nothing else has the name at a place or anywhere at module level."""
        return not self.outline.bound(self.outline.tree).get(name) and self.outline.binding(name, at) is None

    def _placed(self, text: str, module: str, at: ast.AST) -> Edit | None:
        """The import as isort places it: in the block of the framework that is there already, plain imports first."""
        root = module.partition(".")[0]
        section = 2 if root in sys.stdlib_module_names else 3
        blocks = [[s for s in block if _precedes(s, at)] for block in self._blocks()]
        near = next((block for block in blocks if any(_root(s) == root for s in block)), [])
        own = [s for block in ([near] if near else blocks) for s in block if _section(s) == section]
        mixed = any(isinstance(a, ast.ImportFrom) and isinstance(b, ast.Import) for a, b in pairwise(own))
        for statement in own:
            if (isinstance(statement, ast.ImportFrom) and not mixed) or _module(statement).lower() > module.lower():
                return Edit(Span(statement.lineno, 1, statement.lineno, 1), text + "\n")
        if own:
            row = (own[-1].end_lineno or own[-1].lineno) + 1
            return Edit(Span(row, 1, row, 1), text + "\n") if row <= len(self.source.lines) else None
        later = next((s for block in blocks for s in block if _section(s) > section), None)
        return Edit(Span(later.lineno, 1, later.lineno, 1), text + "\n\n") if later is not None else None

    def _blocks(self) -> list[list[ast.Import | ast.ImportFrom]]:
        """Runs of imports at module level, each on its own lines, without a blank line or statement between."""
        blocks: list[list[ast.Import | ast.ImportFrom]] = []
        before: ast.stmt | None = None
        for statement in self.outline.tree.body:
            if isinstance(statement, (ast.Import, ast.ImportFrom)):
                alone = before is None or (before.end_lineno or before.lineno) < statement.lineno
                near = (
                    before is not None
                    and isinstance(before, (ast.Import, ast.ImportFrom))
                    and self._adjacent(before, statement)
                )
                if not alone:
                    if blocks:
                        blocks[-1] = []
                elif near and blocks:
                    blocks[-1].append(statement)
                else:
                    blocks.append([statement])
            elif before is not None and (before.end_lineno or 0) >= statement.lineno and blocks:
                blocks[-1] = []
            before = statement
        return [b for b in blocks if b]

    def _adjacent(self, before: ast.stmt, after: ast.stmt) -> bool:
        between = self.source.lines[(before.end_lineno or before.lineno) : after.lineno - 1]
        return all(line.strip() for line in between)


def same(module: str) -> str:
    """The name under which a module's functions are known here."""
    for prefix, known in _SAME:
        if module == prefix or module.startswith(prefix + "."):
            return same(known + module[len(prefix) :])
    return module


def _precedes(statement: ast.stmt, at: ast.AST) -> bool:
    return (statement.end_lineno or statement.lineno) <= getattr(at, "lineno", 0)


def _module(statement: ast.Import | ast.ImportFrom) -> str:
    return (
        statement.names[0].name
        if isinstance(statement, ast.Import)
        else "." * statement.level + (statement.module or "")
    )


def _root(statement: ast.Import | ast.ImportFrom) -> str:
    return _module(statement).partition(".")[0]


def _future(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.ImportFrom) and statement.module == "__future__"


def _section(statement: ast.Import | ast.ImportFrom) -> int:
    """isort's sections: future, standard library, third party, relative."""
    if _future(statement):
        return 1
    if isinstance(statement, ast.ImportFrom) and statement.level:
        return 4
    return 2 if _root(statement) in sys.stdlib_module_names else 3


def _isort_key(name: str) -> tuple[int, str]:
    """Constants, classes, then the rest: as isort orders the names of one import."""
    kind = 0 if name.isupper() and len(name) > 1 else 1 if name[:1].isupper() else 2
    return kind, name.lower()
