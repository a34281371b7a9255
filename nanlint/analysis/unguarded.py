"""Data that comes in and is divided by, or whose logarithm is taken, with nobody having looked at it: 0 is possible."""

from __future__ import annotations

import ast

from nanlint.analysis.algebra import monomial, terms
from nanlint.analysis.structure import Evaluate, bare, uses
from nanlint.graph.node import ATTR, CALL, LOOP, PARAM, PHI, Node
from nanlint.ops.op import OPS, Pole
from nanlint.ops.selection import COMPARISONS
from nanlint.ops.value import NEVER, Evidence, Kind, Origin

#: ops between the data and what becomes of it
MAX_DEPTH = 8
#: uses of data that are looked at for a test of it
MAX_USES = 60
#: operands that hold no data
NOT_DATA = frozenset({"index", "axis", "ord", "ddof", "by", "cond"})
#: what asks something of numbers
TESTS = frozenset({*COMPARISONS, "isclose", "isnan", "isinf", "isfinite", "any", "all", "test", "nonzero"})


def unguarded(node: Node, pole: Pole, operand: Node, value: Evaluate) -> Evidence | None:
    """Evidence that an operand may be 0: it is made of data that comes in, and nothing here keeps it from that.

    None where a number is added to it, where a function that is not seen made it, where anything asks about it.
    """
    if pole.cls != "zero" or pole.shift or pole.gradient:
        return None
    for factor in monomial(operand, value).above:
        if comes_in(factor, value, MAX_DEPTH):
            return Evidence("comes from outside, and nothing here keeps it from 0", factor, origin=Origin.UNGUARDED)
    return None


def comes_in(node: Node, value: Evaluate, depth: int) -> bool:
    """Whether a number is made of nothing but data that comes in, and nobody looked at it."""
    node = bare(node)
    v = value(node)
    if not depth or v.zero is NEVER or v.constant is not None or v.kind is Kind.SCALAR or looked_at(node):
        return False
    if node.op == PARAM:
        return "default" not in node.args and not isinstance(node.site, ast.Lambda)
    if node.op == ATTR:
        return True
    data = [a for name, a in node.args.items() if name not in NOT_DATA]
    if node.op == CALL:
        # what makes one thing of one array may be what keeps it from 0
        return len([a for a in data if value(a).constant is None and value(a).kind is not Kind.SCALAR]) != 1
    if node.op in ("add", "sub"):
        parts = terms(node)
        numbers = [t for t in parts if value(t.node).constant is not None]
        one_less = [value(t.node).constant for t in numbers] == [1.0] and any(t.negative for t in parts)
        return (not numbers or one_less) and all(comes_in(t.node, value, depth - 1) for t in parts if t not in numbers)
    if node.op in ("mul", "dot", "einsum", "pow", "div"):
        made_of = data[:1] if node.op in ("pow", "div") else data
        return any(comes_in(a, value, depth - 1) for a in made_of)
    op = OPS.get(node.op)
    if node.op == LOOP:
        # a sum that starts at 0
        turn = bare(node["back"]) if "back" in node.args else node
        return turn.op == "add" and any(
            comes_in(a, value, depth - 1) for a in turn.args.values() if bare(a) is not node
        )
    if node.op in ("part", "where", PHI) or (op is not None and op.zero_preserving):
        return bool(data) and all(comes_in(a, value, depth - 1) for a in data)
    return False


def looked_at(node: Node) -> bool:
    """Whether anything asks about a number: a comparison, a selection by it, a test for NaN."""
    passes = lambda user, used: user.op in ("abs", "part", "cast", "view", "refine", "not", "and", "or", PHI)  # noqa: E731
    return any(user.op in TESTS for user in uses(node, passes, MAX_USES))
