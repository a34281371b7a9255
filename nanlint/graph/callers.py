"""Who calls what a file defines, in other files of its project: what they give joins what its functions are given."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from nanlint.graph.calls import MAX_SIZE
from nanlint.graph.expressions import CALLABLE
from nanlint.graph.modules import ModuleFrame, descendants, functions_of, names_of, size_of
from nanlint.graph.node import ATTR, CLASS, DICT, FUNCTION, INSTANCE, MODULE, PARAM, TUPLE, Node
from nanlint.ops.op import OPS
from nanlint.source.syntax import KEPT

if TYPE_CHECKING:
    from nanlint.graph.lower import Lowering
    from nanlint.graph.scope import ClassInfo

FunctionDef = ast.FunctionDef | ast.AsyncFunctionDef

#: what a file does when it is run, as a function
MAIN = "<module>"
#: functions of other files that are lowered for what they give to those of one
MAX_CALLERS = 4


def callers_elsewhere(
    lowering: Lowering, tree: ast.Module, wanted: Collection[ast.AST], words: Collection[str]
) -> Iterator[Node]:
    """Functions of other files that use what is worth it of this one, methods bound to an object.

    First those that name it, then those that use what holds it. ``words``: as for ``lower``.
    """
    own = open_to_callers(lowering, tree, wanted, words)
    names = names_of(tree, own)
    if lowering.view is None or not names:
        return
    methods = {function.name for function, cls in functions_of(tree) if cls is not None and function in own}
    found = 0
    for module in lowering.view.importers(names):
        frame = lowering.loaded(module)
        if not isinstance(frame, ModuleFrame):
            continue
        local, through = names_of_own(lowering, frame, names)
        if not local and not through:
            continue
        uses = Uses(frozenset(local), frozenset(through), frozenset(names))
        for function, cls in callers_in(module.tree, uses, methods):
            node = function_elsewhere(lowering, frame, function, cls)
            if node is not None:
                yield node
                found += 1
            if found >= MAX_CALLERS:
                return


# ── what of this file callers may break ─────────────────────────────────────────────────────────────────────────────


def open_to_callers(
    lowering: Lowering, tree: ast.Module, wanted: Collection[ast.AST], words: Collection[str]
) -> Collection[ast.AST]:
    """What of a file breaks, or not, by what callers give.

    An operation depends on a parameter where it may break, or a function calls what it is given. What has not been
    lowered yet may be so.
    """
    rows: set[int] = set()
    seen: set[int] = set()
    #: 0 * inf is asked of factors that are known
    pending = [
        n[name]
        for n in lowering.graph
        if n.site is not None and n.op in OPS and n.op != "mul"
        for name in (OPS[n.op].breaking if OPS[n.op].breaks else n.args if asked_about(n, words) else ())
        if name in n.args
    ]
    while pending:
        node = pending.pop()
        if node.index in seen:
            continue
        seen.add(node.index)
        pending.extend(node.args.values())
        if node.op in (PARAM, ATTR) and (row := getattr(node.site, "lineno", None)) is not None:
            rows.add(row)
    found = {place for place in wanted if not isinstance(place, FunctionDef)}
    for function, cls in functions_of(tree):
        around = cls or function
        given = any(around.lineno <= row <= (around.end_lineno or 0) for row in rows)
        unseen = function.name.startswith("_") and id(function) not in lowering.inlined
        if calls_what_is_given(function, cls) or (function in wanted and (given or unseen)):
            found.add(function)
    named = {function.name for function, cls in functions_of(tree) if cls is None and function in found}
    return found | {function for function, _ in functions_of(tree) if not handed_on(function).isdisjoint(named)}


def asked_about(node: Node, words: Collection[str]) -> bool:
    """Whether rules ask about an operation that has no pole, by the last name of its spelling: a loss."""
    return node.spelling is not None and node.spelling.name.rpartition(".")[2] in words


def calls_what_is_given(function: FunctionDef, cls: ast.ClassDef | None) -> bool:
    """Whether a function calls one of its parameters, or a method what its object was given."""
    called = [n.func for n in descendants(function) if isinstance(n, ast.Call)]
    given = parameters(function)
    if any(isinstance(f, ast.Name) and f.id in given for f in called):
        return True
    held = held_parameters(cls) if cls is not None else frozenset()
    return bool(held) and any(isinstance(f, ast.Attribute) and f.attr in held for f in called)


@lru_cache(maxsize=16 * KEPT)
def handed_on(function: FunctionDef) -> frozenset[str]:
    """The names that a function uses, but does not call: what it returns, keeps or gives to others."""
    called = {id(n.func) for n in descendants(function) if isinstance(n, ast.Call)}
    names = (n for n in descendants(function) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load))
    return frozenset(n.id for n in names if id(n) not in called)


def parameters(function: FunctionDef) -> frozenset[str]:
    """The names of a function's parameters."""
    a = function.args
    return frozenset(arg.arg for arg in (*a.posonlyargs, *a.args, *a.kwonlyargs))


@lru_cache(maxsize=4096)
def held_parameters(cls: ast.ClassDef) -> frozenset[str]:
    """The attributes in which a class keeps what its methods are given, as it is."""
    return frozenset(
        store.name
        for method in cls.body
        if isinstance(method, FunctionDef)
        for store in stores_in(method)
        if isinstance(store.value, ast.Name) and store.value.id in parameters(method)
    )


# ── who uses it ─────────────────────────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True)
class Uses:
    """How another file may use definitions of this one.

    ``local``: the names that stand for them there. ``through``: those that stand for this file, which has them under
    ``names``.
    """

    local: frozenset[str]
    through: frozenset[str]
    names: frozenset[str]

    def of(self, words: frozenset[str]) -> bool:
        """Whether code with these words may use one."""
        return not words.isdisjoint(self.local) or not (words.isdisjoint(self.through) or words.isdisjoint(self.names))


@dataclass(frozen=True)
class Store:
    """An assignment to an attribute of some object."""

    name: str
    value: ast.expr


def callers_in(
    tree: ast.Module, uses: Uses, methods: Collection[str]
) -> Iterator[tuple[FunctionDef, ast.ClassDef | None]]:
    """The functions of another file that may call definitions of this one, those that name them first.

    ``methods``: names of methods of this file, which classes that derive from its own have, too.
    """
    functions = [(f, cls) for f, cls in (*functions_of(tree), *main_of(tree)) if size_of(f) <= MAX_SIZE]
    first = [(f, cls) for f, cls in functions if uses.of(words_in(f))]
    yield from first
    held, derived, holding = holders(tree, uses)
    for function, cls in functions:
        words = words_in(function)
        inherits = cls in derived and not words.isdisjoint(methods)
        if (function, cls) not in first and (inherits or not words.isdisjoint(held) or not words.isdisjoint(holding)):
            yield function, cls


@lru_cache(maxsize=KEPT)
def main_of(tree: ast.Module) -> Sequence[tuple[FunctionDef, ast.ClassDef | None]]:
    """What a file does when it is run, as a function: the statements of its top level that bind nothing themselves."""
    body: list[ast.stmt] = [s for s in tree.body if isinstance(s, ast.If | ast.For | ast.While | ast.With | ast.Expr)]
    if not body:
        return ()
    nothing = ast.arguments([], [], None, [], [], None, [])
    return ((ast.copy_location(ast.FunctionDef(MAIN, nothing, body, []), body[0]), None),)


def holders(tree: ast.Module, uses: Uses) -> tuple[frozenset[str], frozenset[ast.ClassDef], frozenset[str]]:
    """What holds a use: attributes, classes that derive from one, names of the top level."""
    held: set[str] = set()
    derived: set[ast.ClassDef] = set()
    names: set[str] = set()
    for statement in tree.body:
        known = Uses(uses.local | names, uses.through, uses.names)
        if isinstance(statement, ast.ClassDef):
            if any(known.of(words_in(base)) for base in statement.bases):
                derived.add(statement)
                names.add(statement.name)
            methods = [method for method in statement.body if isinstance(method, FunctionDef)]
            held.update(s.name for method in methods for s in stores_in(method) if known.of(words_in(s.value)))
        elif isinstance(statement, ast.Assign) and known.of(words_in(statement.value)):
            names.update(target.id for target in statement.targets if isinstance(target, ast.Name))
    return frozenset(held), frozenset(derived), frozenset(names)


@lru_cache(maxsize=16 * KEPT)
def words_in(code: ast.AST) -> frozenset[str]:
    """The names and attributes that a piece of code uses."""
    return frozenset(
        node.attr if isinstance(node, ast.Attribute) else node.id
        for node in descendants(code)
        if isinstance(node, ast.Attribute | ast.Name)
    )


@lru_cache(maxsize=16 * KEPT)
def stores_in(function: FunctionDef) -> tuple[Store, ...]:
    """The assignments to attributes in a function."""
    return tuple(
        Store(target.attr, node.value)
        for node in descendants(function)
        if isinstance(node, ast.Assign)
        for target in node.targets
        if isinstance(target, ast.Attribute)
    )


def names_of_own(lowering: Lowering, frame: ModuleFrame, names: Collection[str]) -> tuple[set[str], set[str]]:
    """What another file calls the definitions of this one, and this file itself."""
    view = lowering.view
    assert view is not None
    local: set[str] = set()
    through: set[str] = set()
    around = {".".join(view.package[:end]) for end in range(1, len(view.package) + 1)}
    for name, dotted, site in (*frame.outline.imports, *frame.outline.inner_imports):
        dotted = lowering.absolute(dotted, site.level, frame) if isinstance(site, ast.ImportFrom) else dotted
        if dotted in around:
            # a package that this file is in may have its names, too
            through.add(name)
        last = dotted.rpartition(".")[2]
        meant = view.longest(dotted) if last in names or last == view.stem else None
        if meant is None:
            continue
        if meant[0].path == view.path and not meant[1]:
            through.add(name)
            continue
        own = lowering.resolve(lowering.graph.add(MODULE, {}, {"name": dotted}, site))
        if own.site is not None and own.op in CALLABLE | {DICT, TUPLE}:
            local.add(name)
    for star in frame.outline.stars:
        meant = view.longest(lowering.absolute(star.module or "", star.level, frame))
        if meant is not None and meant[0].path == view.path:
            local.update(names)
    return local, through


def function_elsewhere(
    lowering: Lowering, frame: ModuleFrame, function: FunctionDef, cls: ast.ClassDef | None
) -> Node | None:
    """A function of another file; a method with an object of which nothing is known."""
    if function.name == MAIN:
        for part in descendants(function):
            part.home = frame.path  # type: ignore[attr-defined]
        attrs = {"definition": function, "frame": frame, "name": MAIN}
        return lowering.graph.add(FUNCTION, {}, attrs, function, pure=False)
    if cls is None:
        node = frame.read(function.name)
        return node if node is not None and node.attrs.get("definition") is function else None
    made = frame.read(cls.name)
    if made is None or made.op != CLASS:
        return None
    info: ClassInfo = made.attrs["cls"]
    this = lowering.graph.add(INSTANCE, {}, {"cls": info, "name": "self"}, cls, pure=False)
    return lowering.method_value(info, function, this)
