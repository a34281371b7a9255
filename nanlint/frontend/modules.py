"""The top level of another file of the project, as far as something asks for it."""

from __future__ import annotations

import ast
import sys
from bisect import insort
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from operator import itemgetter
from typing import TypeAlias

from nanlint.frontend.frames import Env, Frame, kept
from nanlint.graph.node import Node
from nanlint.graph.path import NOTHING
from nanlint.source.roots import FRAMEWORKS
from nanlint.source.syntax import remembered

#: a local name, the dotted name that is imported, as it is written, and the statement
Imported: TypeAlias = "tuple[str, str, ast.Import | ast.ImportFrom]"

#: star imports of one module that are followed: one that gathers more is a list of what there is
MAX_STARS = 32
DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
#: what is done to numbers alone, or most of all: ``+`` and ``%`` also make texts
ARITHMETIC = (ast.Div, ast.Mult, ast.Pow, ast.Sub)
ORDER = (ast.Lt, ast.LtE, ast.Gt, ast.GtE)


def descendants(root: ast.AST) -> list[ast.AST]:
    """A node and all below it, parents first: ``ast.walk``; of a file or a definition kept as long as that is."""
    return [root, *(below(root) if isinstance(root, (ast.Module, *DEFINITIONS)) else _below(root))]


#: fields of pieces of syntax that hold no other piece, or one without a meaning of its own
_PLAIN = frozenset({"arg", "attr", "conversion", "ctx", "id", "is_async", "kind", "level", "simple", "type_comment"})


class _Parts(dict[type[ast.AST], tuple[str, ...]]):
    """The fields that hold pieces, by what a piece is."""

    def __missing__(self, kind: type[ast.AST]) -> tuple[str, ...]:
        names = () if kind is ast.Constant else tuple(name for name in kind._fields if name not in _PLAIN)
        return self.setdefault(kind, names)


_PARTS = _Parts()


def _below(root: ast.AST) -> Sequence[ast.AST]:
    found = [root]
    for node in found:
        for name in _PARTS[type(node)]:
            child = getattr(node, name, None)
            if isinstance(child, list):
                found.extend([c for c in child if isinstance(c, ast.AST)])
            elif isinstance(child, ast.AST):
                found.append(child)
    return found[1:]


below = remembered(_below)


def words_in(code: Sequence[ast.AST]) -> frozenset[str]:
    """The names and attributes among pieces of syntax."""
    return frozenset(
        node.attr if isinstance(node, ast.Attribute) else node.id
        for node in code
        if isinstance(node, (ast.Attribute, ast.Name))
    )


@remembered
def size_of(definition: ast.AST) -> int:
    """How many pieces of syntax a definition has, with those that only say that something is read or written."""
    return sum(1 + hasattr(node, "ctx") for node in descendants(definition))


@remembered
def computes(definition: ast.AST) -> bool:
    """Whether a definition has arithmetic, a number with a point, or asks what is larger: others put texts together,
    read files, ask for types."""
    return any(
        isinstance(node, ORDER)
        or (isinstance(node, (ast.BinOp, ast.AugAssign)) and isinstance(node.op, ARITHMETIC))
        or (isinstance(node, ast.Constant) and isinstance(node.value, float))
        for node in descendants(definition)
    )


def functions_of(tree: ast.Module) -> Iterator[tuple[ast.FunctionDef | ast.AsyncFunctionDef, ast.ClassDef | None]]:
    """Module-level functions, and methods of module-level classes."""
    for statement in tree.body:
        yield from _functions(statement, None)


def _functions(
    s: ast.stmt, cls: ast.ClassDef | None
) -> Iterator[tuple[ast.FunctionDef | ast.AsyncFunctionDef, ast.ClassDef | None]]:
    if isinstance(s, (ast.FunctionDef, ast.AsyncFunctionDef)):
        yield s, cls
    elif isinstance(s, ast.ClassDef):
        for inner in s.body:
            yield from _functions(inner, s)
    elif isinstance(s, (ast.If, ast.Try)):
        for inner in [*s.body, *s.orelse]:
            yield from _functions(inner, cls)


def names_of(tree: ast.Module, wanted: Collection[ast.AST]) -> frozenset[str]:
    """The names of the top level that some of its functions, methods, classes and assignments have."""
    named = {(cls or function).name for function, cls in functions_of(tree) if function in wanted or cls in wanted}
    return frozenset(named.union(*(assigned_by(statement) for statement in tree.body if statement in wanted)))


def assigned_by(statement: ast.stmt) -> list[str]:
    """The names that a statement assigns a value to, each by itself."""
    if isinstance(statement, ast.AnnAssign):
        return [statement.target.id] if isinstance(statement.target, ast.Name) and statement.value is not None else []
    targets = statement.targets if isinstance(statement, ast.Assign) else []
    return [target.id for target in targets if isinstance(target, ast.Name)]


@remembered
def set_by_functions(tree: ast.Module) -> tuple[tuple[str, ast.Attribute], ...]:
    """The attributes that functions of a file set of what the top level names, with that name: ``config.EPS = e``."""
    return tuple(
        (node.value.id, node)
        for function, _ in functions_of(tree)
        for node in descendants(function)
        if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store) and isinstance(node.value, ast.Name)
        if node.value.id not in locals_of(function)
    )


@remembered
def locals_of(function: ast.FunctionDef | ast.AsyncFunctionDef) -> frozenset[str]:
    """The names that a function binds: its parameters, and what it and the functions in it assign."""
    return frozenset(
        node.arg if isinstance(node, ast.arg) else node.id
        for node in descendants(function)
        if isinstance(node, ast.arg) or (isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store))
    )


@dataclass(frozen=True, eq=False)
class Outline:
    """What the top level of a file binds.

    ``body``: its statements. ``bindings``: those that bind a name, in order. ``stars``: the imports that take all names
    of a module; none where there are very many. ``listed``: its ``__all__``, where that is written out.
    """

    body: Sequence[ast.stmt]
    bindings: Mapping[str, tuple[ast.stmt, ...]]
    stars: tuple[ast.ImportFrom, ...]
    listed: tuple[str, ...] | None

    @cached_property
    def places(self) -> Mapping[ast.stmt, int]:
        """The place of each statement of the top level."""
        return {statement: place for place, statement in enumerate(self.body)}

    @cached_property
    def changed(self) -> frozenset[str]:
        """The names that its functions assign to."""
        code = (node for statement in self.body for node in descendants(statement))
        return frozenset(name for node in code if isinstance(node, ast.Global) for name in node.names)

    @cached_property
    def imports(self) -> tuple[Imported, ...]:
        """What its top level imports: the local name, the dotted name as it is written, and the statement."""
        statements = dict.fromkeys(s for statements in self.bindings.values() for s in statements)
        return tuple(one for s in statements if not isinstance(s, DEFINITIONS) for one in imports_in(s))

    @cached_property
    def inner_imports(self) -> tuple[Imported, ...]:
        """The same of what its functions and classes import."""
        return tuple(one for s in self.body if isinstance(s, DEFINITIONS) for one in imports_in(s))

    @cached_property
    def of_frameworks(self) -> frozenset[str]:
        """The names under which the file has frameworks, and what is in them."""
        found = (*self.imports, *self.inner_imports)
        return frozenset(name for name, dotted, _ in found if dotted.partition(".")[0] in FRAMEWORKS)

    @cached_property
    def leads(self) -> Mapping[str, Imported]:
        """The import of its top level that brings a name first, by name."""
        return {one[0]: one for one in reversed(self.imports)}

    @property
    def public(self) -> tuple[str, ...]:
        """The names that others get by a star, but for those that it gets by one itself."""
        return tuple(name for name in self.bindings if not name.startswith("_"))


def imports_in(statement: ast.stmt) -> Iterator[Imported]:
    """What a statement imports, itself or in its blocks."""
    for node in descendants(statement):
        if isinstance(node, ast.Import):
            yield from ((a.asname or a.name.partition(".")[0], a.name, node) for a in node.names)
        elif isinstance(node, ast.ImportFrom):
            module = f"{node.module}." if node.module else ""
            yield from ((a.asname or a.name, module + a.name, node) for a in node.names if a.name != "*")


@remembered
def outline_of(tree: ast.Module) -> Outline:
    """What the top level of a file binds."""
    bindings: dict[str, list[ast.stmt]] = {}
    stars: list[ast.ImportFrom] = []
    listed: tuple[str, ...] | None = None
    for statement in tree.body:
        for name in (*bound_by(statement), *(one for one in handed_over_by(statement) if one in bindings)):
            if statement not in (known := bindings.setdefault(name, [])):
                known.append(statement)
        for inner in descendants(statement) if not isinstance(statement, DEFINITIONS) else ():
            if isinstance(inner, ast.ImportFrom) and any(alias.name == "*" for alias in inner.names):
                stars.append(inner)
        match statement:
            case ast.Assign(targets=[ast.Name(id="__all__")], value=ast.List(elts=names) | ast.Tuple(elts=names)):
                texts = [name.value for name in names if isinstance(name, ast.Constant)]
                listed = tuple(text for text in texts if isinstance(text, str))
    if len(stars) > MAX_STARS:
        stars = []
    return Outline(tree.body, {name: tuple(found) for name, found in bindings.items()}, tuple(stars), listed)


def handed_over_by(statement: ast.stmt) -> Iterator[str]:
    """The names that a call, which is a statement, may change: its receiver and its arguments."""
    if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call):
        receiver: ast.expr = statement.value.func
        while isinstance(receiver, ast.Attribute):
            receiver = receiver.value
        for e in (receiver, *statement.value.args):
            if isinstance(e, ast.Name) and e is not statement.value.func:
                yield e.id


def bound_by(statement: ast.stmt) -> Iterator[str]:
    """The names that a statement of a module's top level binds, itself or in its blocks."""
    pending: list[ast.AST] = [statement]
    while pending:
        node = pending.pop(0)
        if isinstance(node, DEFINITIONS):
            yield node.name
        elif isinstance(node, (ast.Import, ast.ImportFrom)):
            for alias in node.names:
                if alias.name != "*":
                    yield alias.asname or alias.name.partition(".")[0]
        elif isinstance(node, ast.Name):
            if isinstance(node.ctx, ast.Store):
                yield node.id
        elif isinstance(node, (ast.Attribute, ast.Subscript)) and isinstance(node.ctx, ast.Store):
            # what is stored to an object changes it
            while isinstance(node, ast.Attribute | ast.Subscript):
                node = node.value
            pending.append(ast.Name(node.id, ast.Store()) if isinstance(node, ast.Name) else node)
        elif not isinstance(node, ast.Lambda):
            pending.extend(ast.iter_child_nodes(node))


@dataclass(eq=False, kw_only=True)
class ModuleFrame(Frame):
    """The top level of another file: a statement of it is lowered when a name that it binds is asked for.

    A statement finds what others before it have bound. ``lower``: lowers a statement in a frame. ``starred``: what a
    star import brings under a name.
    """

    path: str
    tree: ast.Module
    outline: Outline
    lower: Callable[[Frame, ast.stmt], None]
    starred: Callable[[Frame, str], Node | None]
    #: what each name was bound to so far, with the place of the statement, in order
    _bound: dict[str, list[tuple[int, Node]]] = field(default_factory=dict)
    _done: set[ast.stmt] = field(default_factory=set)
    #: the place of the statement that is being lowered
    _here: int = sys.maxsize

    def read(self, name: str) -> Node | None:
        """What a name of the top level stands for."""
        places = self.outline.places
        statements = self.outline.bindings.get(name, ())
        for statement in [s for s in statements if places[s] < self._here] or statements:
            if statement not in self._done:
                self._done.add(statement)
                self._take(statement)
        if name not in self._bound and self.outline.stars and (found := self.starred(self, name)) is not None:
            self._bound[name] = [(0, found)]
        bound = self._bound.get(name, [])
        before = [node for place, node in bound if place < self._here] or [node for _, node in bound]
        return before[-1] if before else None

    @property
    def bound(self) -> Mapping[str, Node]:
        """What the names that were asked for stand for in the end."""
        return {name: nodes[-1][1] for name, nodes in self._bound.items()}

    def _take(self, statement: ast.stmt) -> None:
        # wherever it is asked for, it is lowered as if nothing was known but what the module has bound
        with kept(self, "env", "facts", "live", "_here"):
            self.env, self.facts, self.live, self._here = Env(), NOTHING, True, self.outline.places[statement]
            self.lower(self, statement)
            for name, node in self.env.items():
                if isinstance(name, str):
                    insort(self._bound.setdefault(name, []), (self._here, node), key=itemgetter(0))
