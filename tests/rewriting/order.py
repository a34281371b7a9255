"""Rewritings that algebra has for the same: operands in another order, signs, a sum of a list."""

from __future__ import annotations

import ast
from collections.abc import Callable
from functools import partial

from tests.rewriting.code import Code, Function, call, copied, in_expressions, own_nodes

MIRRORED: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.Gt,
    ast.LtE: ast.GtE,
    ast.Gt: ast.Lt,
    ast.GtE: ast.LtE,
    ast.Eq: ast.Eq,
    ast.NotEq: ast.NotEq,
}
#: what + and * put together in another way than numbers
SEQUENCES = (ast.List, ast.Tuple, ast.JoinedStr, ast.ListComp, ast.Dict)


def numbers(function: Function, e: ast.expr) -> bool:
    """Whether the operands of an operator are numbers or arrays, as far as is seen: no list, no text."""
    lists = {
        t.id
        for s in own_nodes(function)
        if isinstance(s, ast.Assign) and isinstance(s.value, SEQUENCES)
        for t in s.targets
        if isinstance(t, ast.Name)
    }
    return not any(
        isinstance(n, SEQUENCES)
        or (isinstance(n, ast.Constant) and isinstance(n.value, str))
        or (isinstance(n, ast.Name) and n.id in lists)
        or (isinstance(n, ast.Attribute) and n.attr == "shape")
        for operand in ast.iter_child_nodes(e)
        for n in [operand, *(ast.iter_child_nodes(operand) if isinstance(operand, ast.BinOp) else ())]
    )


def everywhere(code: Code, change: Callable[[Function, ast.expr], ast.expr | None]) -> int:
    return sum(in_expressions(f, partial(change, f)) for f, _ in code.functions())


def swapped(code: Code) -> int:
    """The operands of sums and products are in the other order."""

    def change(function: Function, e: ast.expr) -> ast.expr | None:
        if isinstance(e, ast.BinOp) and isinstance(e.op, (ast.Add, ast.Mult)) and numbers(function, e):
            return ast.BinOp(e.right, e.op, e.left)
        return None

    return everywhere(code, change)


def negated(code: Code) -> int:
    """a - b is -b + a."""

    def change(function: Function, e: ast.expr) -> ast.expr | None:
        if isinstance(e, ast.BinOp) and isinstance(e.op, ast.Sub) and numbers(function, e):
            return ast.BinOp(ast.UnaryOp(ast.USub(), e.right), ast.Add(), e.left)
        return None

    return everywhere(code, change)


def mirrored(code: Code) -> int:
    """a < b is b > a."""

    def change(function: Function, e: ast.expr) -> ast.expr | None:
        if isinstance(e, ast.Compare) and len(e.ops) == 1 and type(e.ops[0]) in MIRRORED:
            return ast.Compare(e.comparators[0], [MIRRORED[type(e.ops[0])]()], [e.left])
        return None

    return everywhere(code, change)


def sums_of_lists(code: Code) -> int:
    """a + b is sum([a, b])."""

    def change(function: Function, e: ast.expr) -> ast.expr | None:
        if isinstance(e, ast.BinOp) and isinstance(e.op, ast.Add) and numbers(function, e):
            return call("sum", ast.List([e.left, e.right], ast.Load()))
        return None

    return everywhere(code, change)


def squares_as_products(code: Code) -> int:
    """x ** 2 is x * x."""

    def change(function: Function, e: ast.expr) -> ast.expr | None:
        if not isinstance(e, ast.BinOp) or not isinstance(e.op, ast.Pow):
            return None
        plain = isinstance(e.left, (ast.Name, ast.Attribute, ast.BinOp)) and isinstance(e.right, ast.Constant)
        if not plain or e.right.value not in (2, 2.0):  # type: ignore[attr-defined]
            return None
        return ast.BinOp(e.left, ast.Mult(), copied(e.left))

    return everywhere(code, change)
