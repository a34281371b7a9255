"""What is asked about syntax while it is lowered."""

from __future__ import annotations

import ast
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from functools import lru_cache

from nanlint.frontend.frames import FunctionAst
from nanlint.frontend.modules import descendants, words_in
from nanlint.graph.node import ATTR, CALL, PARAM, Node, number, unrefined
from nanlint.source.roots import CONVENTION, FRAMEWORKS
from nanlint.source.syntax import remembered

BINARY: dict[type[ast.operator], tuple[str, str, str]] = {
    ast.Add: ("add", "a", "b"),
    ast.Sub: ("sub", "a", "b"),
    ast.Mult: ("mul", "a", "b"),
    ast.Div: ("div", "a", "b"),
    ast.FloorDiv: ("floordiv", "a", "b"),
    ast.Mod: ("mod", "a", "b"),
    ast.Pow: ("pow", "x", "y"),
    ast.MatMult: ("dot", "a", "b"),
    ast.BitAnd: ("and", "a", "b"),
    ast.BitOr: ("or", "a", "b"),
}
COMPARE: dict[type[ast.cmpop], str] = {
    ast.Eq: "eq",
    ast.NotEq: "ne",
    ast.Lt: "lt",
    ast.LtE: "le",
    ast.Gt: "gt",
    ast.GtE: "ge",
}
IMPORTS = (ast.Import, ast.ImportFrom)
#: elements of a list or dict that are told apart
MAX_ELEMENTS = 250
#: methods that make an object what it is, in the order in which they run
CONSTRUCTORS = ("__init__", "__post_init__", "setup", "build")
#: types around a type: ``Optional[T]``
WRAPPING_TYPES = frozenset({"Annotated", "Final", "InitVar", "Optional", "Required", "Union"})


def standing_for(elements: Sequence[ast.expr]) -> Sequence[ast.expr] | None:
    """Of very many elements that are all literals, a few that have the range of all; None for any others.

    Nobody writes out so many: they are data, of which single elements matter no more than those of an array.
    """
    if len(elements) <= MAX_ELEMENTS:
        return None
    values = [literal_number(e) for e in elements]
    if any(value is None and not isinstance(e, ast.Constant) for value, e in zip(values, elements, strict=True)):
        return None
    first: dict[float | None, int] = {}
    for place, value in enumerate(values):
        first.setdefault(value, place)
    numbers = sorted(value for value in first if value is not None)
    around = bisect_left(numbers, 0.0)
    ends = {None, *numbers[:1], *numbers[-1:], *numbers[max(around - 1, 0) : around + 2]}
    return [elements[place] for value, place in first.items() if value in ends]


def literal_number(e: ast.expr) -> float | None:
    """The number that a literal is, with its sign; None for anything else."""
    if isinstance(e, ast.UnaryOp) and isinstance(e.op, ast.USub):
        inner = literal_number(e.operand)
        return -inner if inner is not None else None
    value = e.value if isinstance(e, ast.Constant) else None
    return number(value)


def is_class_method(method: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    return any(isinstance(d, ast.Name) and d.id == "classmethod" for d in method.decorator_list)


def is_literal_true(node: ast.expr) -> bool:
    """Whether a setting is written as True."""
    return isinstance(node, ast.Constant) and node.value is True


def changed_in_place(receiver: ast.expr) -> ast.expr:
    """The variable that ``x.abs_().relu_()`` changes: x."""
    while isinstance(receiver, ast.Call) and isinstance(receiver.func, ast.Attribute):
        if not receiver.func.attr.endswith("_") or receiver.func.attr.endswith("__"):
            break
        receiver = receiver.func.value
    return receiver


def default_of(e: ast.expr) -> ast.expr:
    """The default in ``field(default=...)`` of a dataclass; any other expression is its own."""
    if isinstance(e, ast.Call) and last_name(e) in ("field", "ib", "Field"):
        return next((k.value for k in e.keywords if k.arg == "default"), e)
    return e


@lru_cache(maxsize=1024)
def type_in(text: str) -> ast.expr | None:
    """The type that a string annotation names."""
    try:
        return given_type(ast.parse(text, mode="eval").body)
    except SyntaxError:
        return None


def take_type(given: Node, parameter: ast.arg, default: ast.expr | None) -> None:
    """Let an argument of which no type is known be of its parameter's: by annotation, or that of a default number."""
    given = unrefined(given)
    if given.op not in (PARAM, ATTR, CALL) or "default" in given.args or given.attrs.get("annotation"):
        return
    if parameter.annotation is not None:
        given.attrs["annotation"] = last_name(given_type(parameter.annotation))
    elif isinstance(default, ast.Constant) and type(default.value) in (int, float):
        given.attrs["annotation"] = type(default.value).__name__


def given_type(annotation: ast.expr) -> ast.expr:
    """The type of what is given, if anything is: that in ``Optional[T]``, ``T | None``, ``Union[T, None]``."""
    if isinstance(annotation, ast.BinOp) and isinstance(annotation.op, ast.BitOr):
        sides: tuple[ast.expr, ...] = (annotation.left, annotation.right)
    elif isinstance(annotation, ast.Subscript) and last_name(annotation.value) in WRAPPING_TYPES:
        inner = annotation.slice
        sides = tuple(inner.elts) if isinstance(inner, ast.Tuple) else (inner,)
    else:
        return annotation
    given = [side for side in sides if not (isinstance(side, ast.Constant) and side.value is None)]
    return given_type(given[0]) if given else annotation


def last_name(e: ast.expr) -> str:
    """Last name of a decorator or annotation."""
    while isinstance(e, ast.Call | ast.Subscript):
        e = e.func if isinstance(e, ast.Call) else e.value
    if isinstance(e, ast.Attribute):
        return e.attr
    if isinstance(e, ast.Constant):
        return str(e.value)
    return e.id if isinstance(e, ast.Name) else ""


@remembered
def filled_in_place(definition: FunctionAst) -> tuple[str, ...]:
    """The parameters of which a function sets elements, and that it gives no other value."""
    nodes = [n for n in descendants(definition) if isinstance(getattr(n, "ctx", None), ast.Store)]
    filled = {n.value.id: None for n in nodes if isinstance(n, ast.Subscript) and isinstance(n.value, ast.Name)}
    rebound = {n.id for n in nodes if isinstance(n, ast.Name)}
    return tuple(name for name in filled if name not in rebound)


def positional(definition: FunctionAst) -> list[str]:
    """The names of what a function takes by position."""
    return [arg.arg for arg in (*definition.args.posonlyargs, *definition.args.args)]


def optional_import(call: ast.expr, name: str) -> str:
    """The dotted name of what a call imports from a framework when it is first needed, or if it is installed.

    ``torch = optional("torch")``: a call that is given no more of a framework than a name, and whose result is called
    as that is. Nothing where it does not.
    """
    given = call.args[0] if isinstance(call, ast.Call) and call.args else None
    if not isinstance(given, ast.Constant) or not isinstance(given.value, str):
        return ""
    parts = given.value.split(".")
    if parts[0] not in FRAMEWORKS or not all(map(str.isidentifier, parts)):
        return ""
    return given.value if len(parts) > 1 or name in (given.value, CONVENTION.get(given.value)) else ""


@remembered
def mentioned(code: ast.AST) -> frozenset[str]:
    """The names in some code, of dotted ones each part."""
    return words_in(descendants(code))


@remembered
def stores_of(cls: ast.ClassDef) -> Mapping[str, int]:
    """How often the methods of a class store to each attribute of its objects; all that make an object count once."""
    found: dict[str, int] = {}
    made: set[str] = set()
    for method in cls.body:
        if not isinstance(method, (ast.FunctionDef, ast.AsyncFunctionDef)) or not method.args.args:
            continue
        receiver = method.args.args[0].arg
        for node in descendants(method):
            if (
                isinstance(node, ast.Attribute)
                and isinstance(node.ctx, ast.Store)
                and isinstance(node.value, ast.Name)
                and node.value.id == receiver
            ):
                if method.name in CONSTRUCTORS:
                    made.add(node.attr)
                else:
                    found[node.attr] = found.get(node.attr, 0) + 1
    return {name: found.get(name, 0) + (name in made) for name in (*found, *made)}


def stored_names(body: Sequence[ast.stmt]) -> list[str]:
    """Names that statements assign, in order; items and in-place methods count as assignments of their base.

    So does what a function is called with for no result: it may be there to be filled.
    """
    found: dict[str, None] = {}
    for statement in body:
        for node in descendants(statement):
            call = node.value if isinstance(node, ast.Expr) else None
            if isinstance(call, ast.Call) and isinstance(call.func, ast.Name):
                found.update(dict.fromkeys(arg.id for arg in call.args if isinstance(arg, ast.Name)))
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                found.setdefault(node.id)
            elif (
                isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Store) and isinstance(node.value, ast.Name)
            ) or (
                isinstance(node, ast.Attribute)
                and isinstance(node.value, ast.Name)
                and (node.attr.endswith("_") or node.attr in ("append", "extend"))
            ):
                found.setdefault(node.value.id)
    return list(found)


def names_nothing(test: ast.expr) -> bool:
    """Whether a condition is written out, so that it never changes: `True`, `not 0`."""
    return not any(isinstance(n, (ast.Name, ast.Attribute, ast.Call)) for n in ast.walk(test))
