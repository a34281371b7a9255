"""Data that comes in and is divided by, or whose logarithm is taken, with nobody having looked at it: 0 is possible."""

from __future__ import annotations

import ast

from nanlint.analysis.algebra import monomial, terms
from nanlint.analysis.scenarios import NOT_DATA
from nanlint.analysis.structure import Evaluate, bare, uses
from nanlint.graph.node import ATTR, CALL, FUNCTION, LOOP, PARAM, PHI, REFINE, Node
from nanlint.ops.op import OPS, Pole
from nanlint.ops.selection import COMPARISONS
from nanlint.ops.value import INF, NEVER, Evidence, Kind, Origin

#: nodes between the data and what becomes of it
MAX_NODES = 24
#: uses of data that are looked at for a test of it
MAX_USES = 60
#: what hands on the number that is asked about
HANDS_ON = frozenset({"abs", "part", "cast", "view", "not", "and", "or", REFINE, PHI})
#: what asks something of numbers
TESTS = frozenset({*COMPARISONS, "isclose", "isnan", "isinf", "isfinite", "any", "all", "test", "nonzero"})


def unguarded(node: Node, pole: Pole, operand: Node, value: Evaluate) -> Evidence | None:
    """Evidence that an operand may be 0: it is made of data that comes in, and nothing here keeps it from that.

    None where a number is added to it, where a function that is not seen made it of one array, where anything asks
    about it; and where all that takes the result is bounded, as an arctangent is: then no infinity is left.
    """
    if pole.cls != "zero" or pole.shift or pole.gradient or bounded_after(node, value):
        return None
    data = Incoming(value)
    for factor in monomial(operand, value).above:
        if data.comes_in(factor):
            return Evidence("comes from outside, and nothing here keeps it from 0", factor, origin=Origin.UNGUARDED)
    return None


def bounded_after(node: Node, value: Evaluate) -> bool:
    """Whether all uses of a result are functions of it alone that stay finite, whatever they are given."""
    results = [value(user) for user in node.users if len(user.args) == 1 and user.op in OPS and OPS[user.op].pointwise]
    return bool(results) and len(results) == len(node.users) and all(v.hi < INF and v.lo > -INF for v in results)


class Incoming:
    """Which numbers are made of nothing but data that comes in, and that nobody looked at."""

    def __init__(self, value: Evaluate) -> None:
        self.value = value
        self._known: dict[int, bool] = {}

    def comes_in(self, node: Node) -> bool:
        """Whether a number is such."""
        node = bare(node)
        if node.index not in self._known:
            # what it is made of in a turn before, and what is too far back, is not asked
            self._known[node.index] = False
            self._known[node.index] = len(self._known) < MAX_NODES and self._decide(node)
        return self._known[node.index]

    def _decide(self, node: Node) -> bool:
        v = self.value(node)
        if v.zero is NEVER or v.constant is not None or v.kind is Kind.SCALAR or looked_at(node):
            return False
        if node.op == PARAM:
            return "default" not in node.args and not isinstance(node.site, ast.Lambda)
        if node.op == ATTR:
            return True
        data = [a for name, a in node.args.items() if name not in NOT_DATA]
        if node.op == CALL:
            # what makes one thing of one array may be what keeps it from 0, and what is given a function may filter
            return len([a for a in data if not self._number(a)]) != 1 and all(a.op != FUNCTION for a in data)
        if node.op in ("add", "sub"):
            return self._sum(node)
        if node.op in ("mul", "dot", "einsum"):
            return any(map(self.comes_in, data))
        if node.op in ("pow", "div"):
            return self.comes_in(data[0])
        if node.op == LOOP:
            # a sum that starts at 0
            turn = bare(node["back"]) if "back" in node.args else node
            return turn.op == "add" and any(self.comes_in(a) for a in turn.args.values() if bare(a) is not node)
        op = OPS.get(node.op)
        if node.op in ("part", "where", PHI) or (op is not None and op.zero_preserving):
            return bool(data) and all(map(self.comes_in, data))
        return False

    def _number(self, node: Node) -> bool:
        v = self.value(node)
        return v.constant is not None or v.kind is Kind.SCALAR

    def _sum(self, node: Node) -> bool:
        """A sum of such, without any number but the 1 of 1 - x."""
        parts = terms(node)
        numbers = [t for t in parts if self.value(t.node).constant is not None]
        one_less = [self.value(t.node).constant for t in numbers] == [1.0] and any(t.negative for t in parts)
        return (not numbers or one_less) and all(self.comes_in(t.node) for t in parts if t not in numbers)


def looked_at(node: Node) -> bool:
    """Whether anything asks about a number: a comparison, a selection by it, a test for NaN."""
    return any(user.op in TESTS for user in uses(node, lambda user, _: user.op in HANDS_ON, MAX_USES))
