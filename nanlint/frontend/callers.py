"""Who calls what a file defines, in other files of its project: what they give joins what its functions are given."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING

from nanlint.frontend.formats import is_of_tests
from nanlint.frontend.frames import ClassInfo
from nanlint.frontend.functions import MAX_SIZE
from nanlint.frontend.modules import ModuleFrame, bound_by, descendants, functions_of, names_of, size_of, words_in
from nanlint.frontend.nodes import CALLABLE
from nanlint.graph.node import ATTR, CLASS, DICT, FUNCTION, INSTANCE, MODULE, PARAM, TUPLE, Node, reached
from nanlint.ops.op import OPS
from nanlint.source.project import Module
from nanlint.source.project_files import last_part
from nanlint.source.syntax import remembered

if TYPE_CHECKING:
    from nanlint.frontend.lower import Lowering

FunctionDef = ast.FunctionDef | ast.AsyncFunctionDef

#: what a file does when it is run, as a function
MAIN = "<module>"
#: functions of other files that are lowered for what they give to those of one
MAX_CALLERS = 4
#: callers of callers: how many times it is asked who calls what hands on what it is given
MAX_STEPS = 3


@dataclass(frozen=True, eq=False)
class Called:
    """Definitions of a file whose callers are asked for.

    ``kept``: they are tables that functions are put in, and what reads them.
    """

    home: Module
    definitions: Collection[ast.AST]
    kept: bool = False


@dataclass(frozen=True, eq=False)
class Caller:
    """A function of another file, ``cls``'s method if that is one, that may call what it is asked for."""

    module: Module
    function: FunctionDef
    cls: ast.ClassDef | None
    node: Node


def callers_elsewhere(
    lowering: Lowering,
    tree: ast.Module,
    wanted: Collection[ast.AST],
    words: Collection[str],
    tables: Iterable[Called],
) -> Iterator[Node]:
    """Functions of other files that use what is worth it of this one, methods bound to an object; then those that use
    what of these hands on what it is given.

    ``words``: as for ``lower``. ``tables``: what else holds its functions, wherever that is made. Each has been lowered
    when the next is asked for.
    """
    if lowering.view is None:
        return
    own = open_to_callers(lowering, tree, wanted, words)
    here = Module("", lowering.view.path, tree, lowering.view.package)
    called = [Called(here, own), *tables] if own else []
    known: set[FunctionDef] = set()
    for _ in range(MAX_STEPS if called else 0):
        callers: list[Caller] = []
        found = (caller for one in called for caller in callers_of(lowering, one))
        for caller in islice((one for one in found if one.function not in known), MAX_CALLERS):
            known.add(caller.function)
            callers.append(caller)
            yield caller.node
        if not callers:
            return
        called = handing_on(lowering, callers, words)


def callers_of(lowering: Lowering, called: Called) -> Iterator[Caller]:
    """Functions of other files that may call some of a file's; of another file than the one that is lowered, those of
    that file, too.

    First those that name it, then those that use what holds it. What tests give is made up, and often to be refused.
    """
    home, definitions = called.home, called.definitions
    in_tests = is_of_tests(home.path)
    names = names_of(home.tree, definitions)
    if not names or lowering.view is None:
        return
    methods = {
        function.name for function, cls in functions_of(home.tree) if cls is not None and function in definitions
    }
    for module in (home, *lowering.view.importers(names, home.path)):
        if is_of_tests(module.path) and not in_tests:
            continue
        frame = lowering.project.loaded(module)
        if not isinstance(frame, ModuleFrame):
            continue
        local, through = (names, set()) if module is home else names_of_other(lowering, frame, home, names)
        if not local and not through:
            continue
        uses = Uses(frozenset(local), frozenset(through), frozenset(names), called.kept)
        for function, cls in callers_in(module.tree, uses, methods):
            node = function_elsewhere(lowering, frame, function, cls) if function not in definitions else None
            if node is not None:
                yield Caller(module, function, cls, node)


def handing_on(lowering: Lowering, callers: Sequence[Caller], words: Collection[str]) -> list[Called]:
    """Those of some callers that give on what they are given themselves, by file."""
    rows: dict[str | None, set[int]] = {}
    for node in given_to_operations(lowering, words):
        if node.external_site is not None:
            rows.setdefault(lowering.graph.file_of(node.external_site), set()).add(
                getattr(node.external_site, "lineno", 0)
            )
    found: dict[Module, list[ast.AST]] = {}
    for caller in callers:
        if stands_around(caller.cls or caller.function, rows.get(caller.module.path, set())):
            found.setdefault(caller.module, []).append(caller.function)
    return [Called(home, definitions) for home, definitions in found.items()]


# ── what of this file callers may break ─────────────────────────────────────────────────────────────────────────────


def open_to_callers(
    lowering: Lowering, tree: ast.Module, wanted: Collection[ast.AST], words: Collection[str]
) -> Collection[ast.AST]:
    """What of a file breaks, or not, by what callers give.

    An operation depends on a parameter where it may break, or a function joins what it is given. What has not been
    lowered yet may be so.
    """
    rows = {getattr(node.site, "lineno", 0) for node in given_to_operations(lowering, words)}
    found = {place for place in wanted if not isinstance(place, FunctionDef)}
    functions = words_of(tree).functions
    for function, body in functions.items():
        given = stands_around(body.cls or function, rows)
        unseen = function.name.startswith("_") and id(function) not in lowering.functions.inlined
        if joins_what_is_given(function, body) or (function in wanted and (given or unseen)):
            found.add(function)
    named = {function.name for function, body in functions.items() if body.cls is None and function in found}
    return found | {function for function, body in functions.items() if not body.handed_on.isdisjoint(named)}


def given_to_operations(lowering: Lowering, words: Collection[str]) -> Iterator[Node]:
    """The parameters and attributes on which the operations of this file depend that may break."""
    #: 0 * inf is asked of factors that are known
    asked = (
        n[name]
        for n in lowering.graph
        if n.site is not None and n.op in OPS and n.op != "mul"
        for name in (OPS[n.op].breaking if OPS[n.op].breaks else n.args if asked_about(n, words) else ())
        if name in n.args
    )
    return (node for node in reached(asked, lambda n: n.args.values()) if node.op in (PARAM, ATTR))


def stands_around(definition: FunctionDef | ast.ClassDef, rows: Set[int]) -> bool:
    """Whether some row of its file is one of a definition."""
    return not rows.isdisjoint(range(definition.lineno, (definition.end_lineno or 0) + 1))


def asked_about(node: Node, words: Collection[str]) -> bool:
    """Whether rules ask about an operation that has no pole, by the last name of its spelling: a loss."""
    return node.spelling is not None and node.spelling.name.rpartition(".")[2] in words


def joins_what_is_given(function: FunctionDef, body: Body) -> bool:
    """Whether a function calls two things that it, or a method's object, was given: a model, say, and its loss.

    What it computes is then nothing by itself.
    """
    held = held_parameters(body.cls) if body.cls is not None else frozenset()
    given = parameters(function)
    if len(given) + len(held) < 2:
        return False
    return len(given & body.called) + len(held & body.called) > 1


def parameters(function: FunctionDef) -> frozenset[str]:
    """The names of a function's parameters."""
    a = function.args
    return frozenset(arg.arg for arg in (*a.posonlyargs, *a.args, *a.kwonlyargs))


@remembered
def held_parameters(cls: ast.ClassDef) -> frozenset[str]:
    """The attributes in which a class keeps what its methods are given, as it is."""
    return frozenset(
        target.attr
        for method in cls.body
        if isinstance(method, FunctionDef)
        for node in descendants(method)
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Name) and node.value.id in parameters(method)
        for target in node.targets
        if isinstance(target, ast.Attribute)
    )


# ── who uses it ─────────────────────────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True)
class Uses:
    """How another file may use definitions of this one.

    ``local``: the names that stand for them there. ``through``: those that stand for this file, which has them under
    ``names``. ``kept``: as in Called: what names them in a decorator is put there.
    """

    local: frozenset[str]
    through: frozenset[str]
    names: frozenset[str]
    kept: bool = False

    def by(self, body: Body) -> bool:
        """Whether a function may use one."""
        return self.of(body.undecorated if self.kept else body.words)

    def of(self, words: frozenset[str]) -> bool:
        """Whether code with these words may use one."""
        return not words.isdisjoint(self.local) or not (words.isdisjoint(self.through) or words.isdisjoint(self.names))


@dataclass(frozen=True, eq=False)
class Body:
    """What a function, a method of ``cls``, uses by name.

    ``undecorated``: without its decorators. ``called``: what it calls. ``handed_on``: what it uses, but does not call:
    returns, keeps or gives to others.
    """

    cls: ast.ClassDef | None
    size: int
    words: frozenset[str]
    undecorated: frozenset[str]
    called: frozenset[str]
    handed_on: frozenset[str]


@dataclass(frozen=True, eq=False)
class Words:
    """The names and attributes that the pieces of a file use.

    ``functions``: its functions, and what is done where it is run. ``stores``: the attributes that are assigned to, by
    class. ``names``: what its top level assigns, in order.
    """

    functions: Mapping[FunctionDef, Body]
    stores: Mapping[ast.ClassDef, Sequence[tuple[str, frozenset[str]]]]
    names: Sequence[tuple[ast.stmt, Collection[str], frozenset[str]]]


@remembered
def words_of(tree: ast.Module) -> Words:
    functions: dict[FunctionDef, Body] = {}
    stores: dict[ast.ClassDef, list[tuple[str, frozenset[str]]]] = {}
    for function, cls in (*functions_of(tree), *main_of(tree)):
        code = descendants(function)
        called: list[ast.AST] = []
        named: list[ast.Name | ast.Attribute] = []
        for node in code:
            if isinstance(node, ast.Call):
                called.append(node.func)
            elif isinstance(node, (ast.Name, ast.Attribute)):
                named.append(node)
        callees = {id(f) for f in called}
        others = [n for n in named if isinstance(n, ast.Name) and id(n) not in callees]
        words = words_in(named)
        decorating = {id(n) for decorator in function.decorator_list for n in descendants(decorator)}
        undecorated = words_in([n for n in named if id(n) not in decorating]) if decorating else words
        functions[function] = Body(cls, size_of(function), words, undecorated, words_in(called), words_in(others))
        if cls is not None:
            stores.setdefault(cls, []).extend(
                (target.attr, words_in(descendants(node.value)))
                for node in code
                if isinstance(node, ast.Assign)
                for target in node.targets
                if isinstance(target, ast.Attribute)
            )
    names: list[tuple[ast.stmt, Collection[str], frozenset[str]]] = []
    for statement in tree.body:
        if isinstance(statement, ast.ClassDef):
            names.append((statement, [statement.name], words_in([n for b in statement.bases for n in descendants(b)])))
        elif isinstance(statement, ast.Assign | ast.AnnAssign):
            names.append((statement, set(bound_by(statement)), words_in(descendants(statement))))
    return Words(functions, stores, names)


def callers_in(
    tree: ast.Module, uses: Uses, methods: Collection[str]
) -> Iterator[tuple[FunctionDef, ast.ClassDef | None]]:
    """The functions of another file that may call definitions of this one, those that name them first.

    ``methods``: names of methods of this file, which classes that derive from its own have, too.
    """
    functions = {function: body for function, body in words_of(tree).functions.items() if body.size <= MAX_SIZE}
    first = {function for function, body in functions.items() if uses.by(body)}
    yield from ((function, body.cls) for function, body in functions.items() if function in first)
    held, derived, holding = holders(tree, uses)
    holding |= held
    for function, body in functions.items():
        inherits = body.cls in derived and not body.words.isdisjoint(methods)
        if function not in first and (inherits or not body.words.isdisjoint(holding)):
            yield function, body.cls


@remembered
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
    words = words_of(tree)
    for statement, targets, used in words.names:
        known = Uses(uses.local | names, uses.through, uses.names)
        if known.of(used):
            names.update(targets)
            derived.update({statement} if isinstance(statement, ast.ClassDef) else ())
        if isinstance(statement, ast.ClassDef):
            held.update(name for name, value in words.stores.get(statement, ()) if known.of(value))
    return frozenset(held), frozenset(derived), frozenset(names)


def names_of_other(
    lowering: Lowering, frame: ModuleFrame, other: Module, names: Collection[str]
) -> tuple[set[str], set[str]]:
    """What a file calls some definitions of another one, and that file itself."""
    view = lowering.view
    assert view is not None
    local: set[str] = set()
    through: set[str] = set()
    around = {".".join(other.package[:end]) for end in range(1, len(other.package) + 1)}
    for name, dotted, site in (*frame.outline.imports, *frame.outline.inner_imports):
        dotted = lowering.project.absolute(dotted, site.level, frame) if isinstance(site, ast.ImportFrom) else dotted
        if dotted in around:
            # a package that the file is in may have its names, too
            through.add(name)
        last = dotted.rpartition(".")[2]
        meant = view.longest(dotted) if last in names or last == last_part(other.path, other.package) else None
        if meant is None:
            continue
        if meant[0].path == other.path and not meant[1]:
            through.add(name)
            continue
        own = lowering.project.resolve(lowering.graph.add(MODULE, {}, {"name": dotted}, site))
        home = lowering.graph.file_of(own.external_site) or view.path
        if home == other.path and own.op in CALLABLE | {DICT, TUPLE}:
            local.add(name)
    for star in frame.outline.stars:
        meant = view.longest(lowering.project.absolute(star.module or "", star.level, frame))
        if meant is not None and meant[0].path == other.path:
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
    return lowering.functions.method_value(info, function, this)
