"""The operands of an op as its expression writes them: which argument is which."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from nanlint.graph.node import Node
from nanlint.ops.op import OPS
from nanlint.ops.spelling import METHOD_OWNERS


def written_operands(node: Node) -> Iterator[tuple[str, ast.expr]]:
    """Neutral name and expression of the operands that stand in the expression of an op, in order of evaluation."""
    site = node.site
    if isinstance(site, ast.BinOp) and SIGNED.get(node.op) not in (None, type(site.op)):
        yield from _signed(site)
    elif site is not None and type(site) in SIDES:
        yield from zip(_names(node), (getattr(site, side) for side in SIDES[type(site)]), strict=False)
    elif isinstance(site, ast.Call) and node.spelling is not None:
        yield from _arguments(node, site)


#: what operators stand between, in syntax
SIDES: dict[type[ast.AST], tuple[str, ...]] = {
    ast.BinOp: ("left", "right"),
    ast.AugAssign: ("target", "value"),
    ast.UnaryOp: ("operand",),
}
#: sums and differences, which may be written as the other with an operand negated
SIGNED: dict[str, type[ast.operator]] = {"add": ast.Add, "sub": ast.Sub}


def _signed(site: ast.BinOp) -> Iterator[tuple[str, ast.expr]]:
    """The operands of -b + a, a + -b and a - -b, as far as the sign is written there."""
    left, right = site.left, site.right
    if isinstance(right, ast.UnaryOp) and isinstance(right.op, ast.USub):
        yield from (("a", left), ("b", right.operand))
    elif isinstance(site.op, ast.Add) and isinstance(left, ast.UnaryOp) and isinstance(left.op, ast.USub):
        yield from (("b", left.operand), ("a", right))


def _names(node: Node) -> tuple[str, ...]:
    op = OPS.get(node.op)
    return op.operands if op is not None else tuple(node.args)


def _arguments(node: Node, call: ast.Call) -> Iterator[tuple[str, ast.expr]]:
    spelling = node.spelling
    assert spelling is not None
    named = {argument.removeprefix("*"): operand for operand, argument in spelling.operands.items()}
    positional = list(call.args)
    method = spelling.name.rpartition(".")[0].endswith(METHOD_OWNERS)
    if method and isinstance(call.func, ast.Attribute):
        positional.insert(0, call.func.value)
    if spelling.layer:
        given = [operand for operand, argument in spelling.operands.items() if argument.startswith("$")]
        yield from zip(given, positional, strict=False)
        return
    for position, e in enumerate(positional):
        if isinstance(e, ast.Starred):
            return
        operand = named.get((spelling.parameter(position) or "").removeprefix("*"))
        if operand is not None:
            yield operand, e
    for keyword in call.keywords:
        operand = named.get(spelling.aliases.get(keyword.arg, keyword.arg)) if keyword.arg else None
        if operand is not None:
            yield operand, keyword.value
