"""Which functions are worth lowering: those in which something may break."""

from __future__ import annotations

import ast
import math
from collections.abc import Collection
from itertools import filterfalse

from nanlint.frontend.callers import FunctionDef, joins_what_is_given, words_of
from nanlint.frontend.modules import descendants, functions_of, names_of, words_in
from nanlint.frontend.syntax import last_name, mentioned
from nanlint.ops.floats import FLOAT16, FLOAT32
from nanlint.ops.frameworks import BESIDE
from nanlint.source.project import imports_of
from nanlint.source.roots import FRAMEWORKS
from nanlint.source.syntax import remembered

#: last component of a dotted name -> number, for the modules that have them
NUMBERS = {
    "pi": math.pi,
    "e": math.e,
    "inf": math.inf,
    "Inf": math.inf,
    "infty": math.inf,
    "nan": math.nan,
    "NaN": math.nan,
    "NAN": math.nan,
    "tau": math.tau,
}
#: how NaN is called, as a name and as a text
NAN = frozenset(name for name, number in NUMBERS.items() if math.isnan(number))
#: formats of 16 bits, as they are called
HALVES = frozenset({"float16", "half"})
#: functions that are read with some others because they may call them
MAX_LEADING = 8


@remembered
def frameworks_named(tree: ast.Module, package: tuple[str, ...]) -> tuple[str, ...]:
    """The frameworks that a file imports by name; one that lends it a loader of data only where it is the only one."""
    names = [name for name, _ in imports_of(tree, package) if name.partition(".")[0] in FRAMEWORKS]
    roots = {name.partition(".")[0] for name in [*filterfalse(is_beside, names)] or names}
    return tuple(f for f in FRAMEWORKS if f in roots)


def is_beside(module: str) -> bool:
    """Whether it is a module of a framework, or something in one, that files of another use, too."""
    return any(f"{module}.".startswith(f"{one}.") for one in BESIDE)


@remembered
def numeric_definitions(tree: ast.Module, words: frozenset[str]) -> frozenset[str]:
    """Names that the top level of a file gives to operations with a pole, or to objects that compute them.

    What a function of another file computes is told there: who calls it is worth lowering for what it computes itself.
    """
    return names_of(tree, {s for s in tree.body if isinstance(s, ast.Assign) and words & mentioned(s.value)})


def is_singular(node: ast.AST) -> bool:
    """Whether a piece of syntax is worth a look by itself: a quotient, a power, a NaN that is written as a text.

    So are operations on numbers that are written out, one of them infinite, and numbers beyond their format.
    """
    kind = type(node)
    if kind is ast.BinOp and isinstance(node.op, (ast.Add, ast.Sub, ast.Mult)):  # type: ignore[attr-defined]
        sides = (node.left, node.right)  # type: ignore[attr-defined]
        if type(node.op) is ast.Mult and any(is_infinity(unsigned(side), FLOAT16.max) for side in sides):  # type: ignore[attr-defined]
            return True
        return any(map(is_infinity, sides)) and all(is_infinity(s) or type(s) is ast.Constant for s in sides)
    if kind is ast.BinOp or kind is ast.AugAssign:
        return isinstance(node.op, (ast.Div, ast.Pow))  # type: ignore[attr-defined]
    if kind is ast.Call and node.args and type(node.args[0]) is ast.Constant:  # type: ignore[attr-defined]
        number = node.args[0].value  # type: ignore[attr-defined]
        formats = (node.func, *node.args[1:], *(k.value for k in node.keywords))  # type: ignore[attr-defined]
        halved = any(isinstance(one, ast.Attribute) and one.attr in HALVES for one in formats)
        return number in NAN or is_beyond(number, FLOAT16.max if halved else FLOAT32.max)
    return False


def unsigned(e: ast.expr) -> ast.expr:
    """An expression without the sign before it."""
    return e.operand if isinstance(e, ast.UnaryOp) and isinstance(e.op, ast.USub) else e


def root_of(e: ast.expr) -> str:
    """The name that a chain of attributes starts with; "" if it starts with anything else."""
    while isinstance(e, ast.Attribute):
        e = e.value
    return e.id if isinstance(e, ast.Name) else ""


def called_name(e: ast.AST) -> str:
    """The last name of what a call calls; "" of anything else."""
    f = e.func if isinstance(e, ast.Call) else None
    return f.attr if isinstance(f, ast.Attribute) else f.id if isinstance(f, ast.Name) else ""


def lowered_by_themselves(tree: ast.Module) -> tuple[dict[ast.AST, str], dict[str, list[ast.AST]]]:
    """The functions of a file and the assignments at its top level, and those of them that a name may stand for.

    A method goes also by its name behind that of its class, which is "" for all that are derived from others here, or
    that others are derived from.
    """
    places: dict[ast.AST, str] = {}
    names: dict[str, list[ast.AST]] = {}
    bases = {n.name: set(map(last_name, n.bases)) for n in descendants(tree) if isinstance(n, ast.ClassDef)}
    alone = {name for name, own in bases.items() if own.isdisjoint(bases)}.difference(*bases.values())
    for function, cls in functions_of(tree):
        places[function] = family = cls.name if cls is not None and cls.name in alone else ""
        of_class = (
            [cls.name] if cls is not None and function.name in ("forward", "call", "__call__", "__init__") else []
        )
        for name in (function.name, f"{family}.{function.name}", *of_class):
            names.setdefault(name, []).append(function)
    for statement in tree.body:
        if isinstance(statement, ast.Assign):
            places[statement] = ""
            for target in statement.targets:
                if isinstance(target, ast.Name):
                    names.setdefault(target.id, []).append(statement)
    return places, names


def interesting(tree: ast.Module, words: frozenset[str], imported: Collection[str] = ()) -> set[ast.AST]:
    """Functions worth lowering: those that hold an operation with a pole, or call (by name) something that does.

    ``imported``: names of other files of the project that do.
    """
    renamed = (
        alias.asname or alias.name
        for statement in descendants(tree)
        if isinstance(statement, ast.ImportFrom)
        for alias in statement.names
        if alias.name in words
    )
    aliased = {*renamed, *imported}
    words = words | aliased
    modules = {
        alias.asname or alias.name.partition(".")[0]
        for statement in tree.body
        if isinstance(statement, (ast.Import, ast.ImportFrom))
        for alias in statement.names
    }
    calls: dict[ast.AST, set[str]] = {}
    wanted: set[ast.AST] = set()
    places, names = lowered_by_themselves(tree)
    for place, family in places.items():
        called = calls[place] = set()
        for node in descendants(place):
            kind = type(node)
            if kind is ast.Name:
                # also a function that is not called here but handed on
                called.add(node.id)  # type: ignore[attr-defined]
                holds = node.id in aliased  # type: ignore[attr-defined]
            elif kind is ast.Attribute:
                holds = node.attr in words and root_of(node) in modules  # type: ignore[attr-defined,arg-type]
            elif kind is ast.Call:
                word = called_name(node)
                base = getattr(node.func, "value", None)  # type: ignore[attr-defined]
                itself = (called_name(base) if type(base) is ast.Call else getattr(base, "id", "")) in ("self", "super")
                # a method of the object itself is one of its class, or of a related one
                called.add(own if itself and (own := f"{family}.{word}") in names else word)
                holds = word in words or is_singular(node)
            else:
                holds = is_singular(node)
            if holds:
                wanted.add(place)
            elif kind is ast.Assign and called_name(node.value) in words:  # type: ignore[attr-defined]
                # self.loss = nn.BCELoss(): whoever calls self.loss
                for target in node.targets:  # type: ignore[attr-defined]
                    if isinstance(target, ast.Attribute):
                        names.setdefault(target.attr, []).append(place)
    more = wanted
    while more:
        by_name = {name for name, found in names.items() if any(f in wanted for f in found)}
        more = {place for place, called in calls.items() if place not in wanted and called & by_name}
        wanted |= more
    return wanted


def breaks_at_top_level(tree: ast.Module, words: Collection[str]) -> bool:
    """Whether what runs with a file, outside of its functions, holds an operation with a pole."""
    pending: list[ast.AST] = [*tree.body]
    for code in pending:
        if isinstance(code, FunctionDef):
            pending += [*code.decorator_list, *code.args.defaults, *filter(None, code.args.kw_defaults)]
        elif isinstance(code, ast.ClassDef):
            pending += [*code.decorator_list, *code.bases, *(k.value for k in code.keywords), *code.body]
        elif isinstance(code, ast.If | ast.Try):
            pending += ast.iter_child_nodes(code)
        else:
            nodes = descendants(code)
            found = words_in(nodes)
            largest = FLOAT32.max if found.isdisjoint(HALVES) else FLOAT16.max**0.5
            if not found.isdisjoint(words) or any(is_singular(n) or is_infinity(n, largest) for n in nodes):
                return True
    return False


def is_infinity(node: ast.AST, largest: float = FLOAT32.max) -> bool:
    """Whether a piece of syntax is an infinity, by its name or its text, or a number beyond the largest one."""
    if isinstance(node, ast.Call) and len(node.args) == 1:
        return isinstance(node.args[0], ast.Constant) and node.args[0].value == "inf"
    if isinstance(node, ast.Attribute):
        return NUMBERS.get(node.attr) == math.inf
    number = node.value if isinstance(node, ast.Constant) else None
    return number == "inf" or is_beyond(number, largest)


def is_beyond(number: object, largest: float) -> bool:
    return isinstance(number, (int, float)) and abs(number) > largest


def joins(tree: ast.Module) -> bool:
    """Whether a function of a file calls two things that it was given: what that computes, its callers know."""
    return any(joins_what_is_given(function, body) for function, body in words_of(tree).functions.items())


def leading_to(tree: ast.Module, functions: Collection[ast.AST]) -> set[ast.AST]:
    """Some functions of a file, and what may call them, by the names that it mentions; not where that is very much."""
    found = set(functions)
    rest = {f: cls for f, cls in functions_of(tree) if f not in found}
    names = {name for f, cls in functions_of(tree) if f in found for name in (f.name, cls.name if cls else f.name)}
    while more := {f: cls for f, cls in rest.items() if not names.isdisjoint(mentioned(f))}:
        if len(found) + len(more) > len(functions) + MAX_LEADING:
            break
        found.update(more)
        names.update(name for f, cls in more.items() for name in (f.name, cls.name if cls else f.name))
        rest = {f: cls for f, cls in rest.items() if f not in more}
    return found
