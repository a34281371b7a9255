"""Puts probes around the flagged expressions of a module's syntax tree, as pytest rewrites asserts.

``log(p)`` becomes ``probe(7, 0, log(probe(7, 1, p)))``, where ``probe`` hands on its last argument: same values, same
order of evaluation, and the same lines and columns, so tracebacks, debuggers, coverage and ``inspect.getsource`` see
what is in the file. The probes are found in ``builtins``, so code that is moved into other globals finds them, too.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import cast

from nanlint.diagnostic import Span
from nanlint.runtime.sites import Site
from nanlint.source.text import Located, Source

#: what the probe is called in builtins; ends in underscores, or a class would mangle it
NAME = "__nanlint_probe__"

#: role of the result; operands follow, in order of evaluation. And of what a function was called with
RESULT, CALLED = 0, -1


@dataclass(frozen=True)
class Expression:
    """A probed expression: the sites whose op or part it is, and the neutral name of each role after the result.

    ``span``: where it stands.
    ``poles``: the roles that have a pole. ``in_place``: whether the op may change its operands.
    """

    sites: tuple[Site, ...]
    operands: tuple[str, ...]
    part_of: tuple[Site, ...] = ()
    poles: frozenset[int] = frozenset()
    in_place: bool = False
    span: Span | None = None


def rewrite(
    source: Source, sites: Sequence[Site], numbers: Iterator[int], called: bool = False
) -> tuple[ast.Module, dict[int, Expression]]:
    """The tree of a source with its sites probed, and the expressions by their numbers.

    ``called``: what functions are called with is told, too, as an expression with their name as operand.
    """
    wanted: dict[Span, _Wanted] = {}
    for site in sites:
        wanted.setdefault(site.span, _Wanted(site.span)).add(site.operands).sites.append(site)
        for part in site.parts:
            wanted.setdefault(part.span, _Wanted(part.span)).add(part.operands).part_of.append(site)
    rewriter = _Rewriter(source, wanted, numbers)
    tree = ast.parse(source.text, source.path)  # a tree of our own: the analysis keeps its
    entered = [(name, node) for name, node in functions_of(tree) if called and isinstance(node, ast.FunctionDef)]
    tree = cast(ast.Module, rewriter.visit(tree))
    for name, function in entered:
        number = next(numbers)
        rewriter.expressions[number] = Expression((), (source.path, name))
        place = function.body[0]
        given = ast.copy_location(ast.Call(ast.copy_location(ast.Name("locals", ast.Load()), place), [], []), place)
        function.body.insert(
            ast.get_docstring(function, clean=False) is not None, ast.Expr(_probe(number, CALLED, given))
        )
    return tree, rewriter.expressions


def functions_of(
    tree: ast.Module | ast.ClassDef, prefix: str = ""
) -> Iterator[tuple[str, ast.FunctionDef | ast.AsyncFunctionDef]]:
    """The functions of a module and the methods of its classes, by their qualified names."""
    for node in tree.body:
        if isinstance(node, ast.ClassDef):
            yield from functions_of(node, f"{prefix}{node.name}.")
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            yield prefix + node.name, node


@dataclass
class _Wanted:
    """Who wants to know of one expression, and the most of its operands that any of them names."""

    span: Span
    operands: tuple[tuple[str, Span], ...] = ()
    sites: list[Site] = field(default_factory=list)
    part_of: list[Site] = field(default_factory=list)

    def add(self, operands: tuple[tuple[str, Span], ...]) -> _Wanted:
        self.operands = max(self.operands, operands, key=len)
        return self


class _Rewriter(ast.NodeTransformer):
    def __init__(self, source: Source, wanted: dict[Span, _Wanted], numbers: Iterator[int]) -> None:
        self._source = source
        self._wanted = wanted
        self._numbers = numbers
        self.expressions: dict[int, Expression] = {}

    def visit(self, node: ast.AST) -> ast.AST:
        """Probe an expression and what is inside of it."""
        if not isinstance(node, (ast.Call, ast.BinOp, ast.UnaryOp)):
            return cast(ast.AST, super().visit(node))
        there = self._wanted.pop(self._source.span(node), None)
        if there is None:
            return cast(ast.AST, super().visit(node))
        number, operands = self._number(there, _is_in_place(node)), there.operands
        places = {span: role for role, (_, span) in enumerate(operands, RESULT + 1)}
        parts = _parts(node)
        probed = [self._role(part, places) for part in parts]
        inner = cast(ast.expr, self.generic_visit(node))
        for (owner, name, index), role in zip(parts, probed, strict=True):
            if role is not None:
                held = getattr(owner, name)
                if index is None:
                    setattr(owner, name, _probe(number, role, held))
                else:
                    held[index] = _probe(number, role, held[index])
        return _probe(number, RESULT, inner)

    def visit_AugAssign(self, node: ast.AugAssign) -> ast.AST | list[ast.stmt]:
        """``x /= y``: the operands before, the result after, where the target can be read beside."""
        there = self._wanted.pop(self._source.span(node), None)
        if there is None or not _is_plain(node.target):
            return self.generic_visit(node)
        roles = {span: role for role, (_, span) in enumerate(there.operands, RESULT + 1)}
        target, value = (roles.get(self._source.span(cast(Located, e))) for e in (node.target, node.value))
        self.generic_visit(node)
        number = self._number(there, in_place=True)

        def told(role: int) -> ast.stmt:
            read = ast.parse(ast.unparse(node.target), mode="eval").body
            for part in ast.walk(read):
                ast.copy_location(part, node.target)
            return ast.copy_location(ast.Expr(_probe(number, role, read)), node)

        if value is not None:
            node.value = _probe(number, value, node.value)
        return [*([told(target)] if target is not None else []), node, told(RESULT)]

    def _number(self, there: _Wanted, in_place: bool) -> int:
        names = tuple(name for name, _ in there.operands)
        parts = [part for site in there.part_of for part in site.parts if part.span == there.span]
        poles_of_all = [*(site.poles for site in there.sites), *(part.poles for part in parts)]
        wanted = {name for of_one in poles_of_all for name, _, _ in of_one}
        wanted.update(site.operand for site in there.sites)
        poles = frozenset(role for role, name in enumerate(names, RESULT + 1) if name in wanted)
        number = next(self._numbers)
        self.expressions[number] = Expression(
            tuple(there.sites), names, tuple(there.part_of), poles, in_place, there.span
        )
        return number

    def _role(self, part: tuple[ast.AST, str, int | None], places: dict[Span, int]) -> int | None:
        owner, name, index = part
        held = getattr(owner, name)
        return places.get(self._source.span(held if index is None else held[index]))


def _parts(node: ast.Call | ast.BinOp | ast.UnaryOp) -> list[tuple[ast.AST, str, int | None]]:
    """Where the operands of an expression hang: owner, field, index in the field if it is a list."""
    if isinstance(node, ast.BinOp):
        return [(node, "left", None), (node, "right", None)]
    if isinstance(node, ast.UnaryOp):
        return [(node, "operand", None)]
    receiver: list[tuple[ast.AST, str, int | None]] = []
    if isinstance(node.func, ast.Attribute):
        receiver = [(node.func, "value", None)]
    positional = [(node, "args", i) for i, e in enumerate(node.args) if not isinstance(e, ast.Starred)]
    return [*receiver, *positional, *((keyword, "value", None) for keyword in node.keywords)]


def _is_in_place(node: ast.Call | ast.BinOp | ast.UnaryOp) -> bool:
    """Whether a call changes an operand, as its name (``x.div_(y)``) or an argument (``out=x``) says."""
    if not isinstance(node, ast.Call):
        return False
    name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
    given = {keyword.arg for keyword in node.keywords}
    return name.endswith("_") or not given.isdisjoint({"out", "inplace", None})


def _is_plain(target: ast.expr) -> bool:
    """Whether reading a target once more computes nothing: ``x``, ``self.x``, ``x[i, 1:]``."""
    plain = (ast.Name, ast.Attribute, ast.Subscript, ast.Slice, ast.Tuple, ast.Constant, ast.expr_context)
    return all(isinstance(part, plain) for part in ast.walk(target))


def _probe(number: int, role: int, e: ast.expr) -> ast.Call:
    call = ast.Call(ast.Name(NAME, ast.Load()), [ast.Constant(number), ast.Constant(role), e], [])
    for node in (call, call.func, *call.args[:2]):
        ast.copy_location(node, e)
    return call
