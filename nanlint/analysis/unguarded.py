"""Numbers that are divided by, or whose root or logarithm is taken, and that nobody looked at: a pole is possible."""

from __future__ import annotations

import ast

from nanlint.analysis.algebra import monomial, terms
from nanlint.analysis.arrays import is_array, is_computed
from nanlint.analysis.scenarios import NOT_DATA
from nanlint.analysis.structure import Evaluate, asked_once, bare, uses
from nanlint.graph.node import ATTR, CALL, FUNCTION, LOOP, PARAM, PHI, REFINE, Node
from nanlint.ops.op import OPS, Pole
from nanlint.ops.selection import COMPARISONS
from nanlint.ops.value import INF, NEVER, SMALL, UNKNOWN, Evidence, Kind, Origin

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

    Or it is 0 where a loop has no turn.

    None where a number is added to it, and where anything asks about it; where all that takes the result is bounded, as
    an arctangent is: then no infinity is left; where nothing says that it is an array, as of Python numbers 0 raises;
    and where another operand has to be somewhere at the same time, and nothing says that it is.
    """
    if pole.shift or pole.gradient or bounded_after(node, value):
        return None
    if pole.cls != "zero" or any(left_open(node[name], cls, value) for name, cls in pole.also if name in node.args):
        return None
    data = Incoming(value)
    for factor in monomial(operand, value).above:
        if data.comes_in(factor) and breaks_silently(node, factor, data):
            return Evidence(because(factor, data), factor, origin=Origin.UNGUARDED)
    return None


def left_open(other: Node, cls: str, value: Evaluate) -> bool:
    """Whether nothing says that another operand is in a class; of an unknown number one expects that it is positive.

    A difference is made to be of both signs, a negation to be negative.
    """
    signed = cls == "neg" and bare(other).op in ("sub", "neg")
    return cls != "pos" and value(other).reach(cls) is UNKNOWN and not signed


def breaks_silently(node: Node, factor: Node, data: Incoming) -> bool:
    """Whether an op gives an infinity where a factor of its operand is 0: Python raises.

    A parameter or attribute has to be an array itself: as a number it is a setting. What functions compute is data, so
    that it is enough that another operand is an array; where a loop counts from 0, one before the first turn, too.
    """
    source = bare(factor)
    if source.op == LOOP and data.starts_at_zero(source):
        return any(is_array(a, data.value, turns=False) for a in node.args.values())
    silent = (factor, *node.args.values()) if is_computed(factor, data.value) else (factor,)
    return any(is_array(a, data.value) for a in silent)


def because(factor: Node, data: Incoming) -> str:
    """Why a number may be 0, in words."""
    source = bare(factor)
    if source.op == LOOP and data.starts_at_zero(source):
        return "is still its initial 0 if the loop body never runs"
    if source.op == PARAM and "default" in source.args:
        return "is an argument with a default other than 0, and nothing here rules out a 0 from the caller"
    if source.op == CALL and len(data.data_of(source)) == 1:
        return "is the result of a call, and nothing here rules out 0"
    return "comes from the caller, and nothing here rules out 0"


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
        if v.zero is NEVER or v.constant is not None or looked_at(node, self.value):
            return False
        if node.op == PARAM:
            return not isinstance(node.site, ast.Lambda) and (v.kind is not Kind.SCALAR or "default" in node.args)
        if node.op in (ATTR, CALL) and v.kind is Kind.SCALAR:
            return False
        if node.op == ATTR:
            return True
        data = [a for name, a in node.args.items() if name not in NOT_DATA]
        if node.op == CALL:
            # what is given a function may filter; what is given a number with an array may bound the one by the other
            given = self.data_of(node)
            return bool(given) and not len(given) == 1 < len(data) and all(a.op != FUNCTION for a in data)
        if node.op in ("add", "sub"):
            return self._sum(node)
        if node.op in ("mul", "dot", "einsum", "minimum"):
            return any(map(self.comes_in, data))
        if node.op == "pow" and bare(node["y"]).op == "neg":
            return False
        if node.op in ("pow", "div"):
            return self.comes_in(data[0])
        if node.op == LOOP:
            return self.starts_at_zero(node)
        op = OPS.get(node.op)
        if node.op in ("part", "where", PHI) or (op is not None and op.zero_preserving):
            return bool(data) and all(map(self.comes_in, data))
        return False

    def starts_at_zero(self, loop: Node) -> bool:
        """Whether a variable is 0 before the first turn of a loop, and is what it was where there is none.

        Elements that are set one by one are not asked: where there is no turn, there are no elements.
        """
        turn = bare(loop["back"]) if "back" in loop.args else loop
        return self.value(loop["pre"]).constant == 0 and turn.op != "stored"

    def data_of(self, call: Node) -> list[Node]:
        """What a call is given that is no number."""
        return [a for name, a in call.args.items() if name not in NOT_DATA and not self._number(a)]

    def _number(self, node: Node) -> bool:
        v = self.value(node)
        return v.constant is not None or v.kind is Kind.SCALAR

    def _sum(self, node: Node) -> bool:
        """A sum of such, without any number but the 1 of 1 - x."""
        parts = terms(node)
        numbers = [t for t in parts if self.value(t.node).constant is not None]
        one_less = [self.value(t.node).constant for t in numbers] == [1.0] and any(t.negative for t in parts)
        return (not numbers or one_less) and all(self.comes_in(t.node) for t in parts if t not in numbers)


@asked_once
def looked_at(node: Node, value: Evaluate) -> bool:
    """Whether anything asks about a number: a comparison, a selection by it, a test for NaN.

    What is compared with a number that is not small is not asked whether it is 0.
    """
    asked = uses(node, lambda user, _: user.op in HANDS_ON, MAX_USES)
    return any(user.op in TESTS and not far_from_zero(user, value) for user in asked)


def far_from_zero(test: Node, value: Evaluate) -> bool:
    """Whether a test compares something with a number that is not small."""
    numbers = [value(test[k]).constant for k in ("a", "b") if k in test.args] if test.op in COMPARISONS else []
    return any(c is not None and abs(c) >= SMALL for c in numbers)
