"""Masks that are true somewhere, whatever the data is: at the first place of an axis, or where an extremum is."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from nanlint.analysis.structure import Evaluate, bare
from nanlint.graph.node import CONST, Node
from nanlint.ops.value import INF, NEVER, Value, value

#: operands that are looked at to find out what an expression is at the first place
MAX_DEPTH = 16
#: coefficients that cancel, but for rounding
TOLERANCE = 1e-12


@dataclass
class Form:
    """A sum of multiples of ``nodes``, by key, and a number."""

    number: float = 0.0
    multiples: Counter[int] = field(default_factory=Counter)
    nodes: dict[int, Node] = field(default_factory=dict)

    def plus(self, other: Form, factor: float) -> Form:
        """This form and a multiple of another."""
        total = Form(self.number + factor * other.number, Counter(self.multiples), {**self.nodes, **other.nodes})
        for key, coefficient in other.multiples.items():
            total.multiples[key] += factor * coefficient  # type: ignore[assignment]
        total.multiples = Counter({k: c for k, c in total.multiples.items() if abs(c) > TOLERANCE})
        return total


def true_somewhere(comparison: Node, evaluate: Evaluate) -> Value | None:
    """The value of a comparison that holds for one element at least.

    So does arange(n) < k for a k that is at least 1, as does one of the places in an order; and of sorted data
    1 + k * z_k > cumsum(z)_k, since the first sum is z_1: the support of a projection onto the simplex.
    """
    op = comparison.op if comparison.op in ("gt", "ge") else {"lt": "gt", "le": "ge"}[comparison.op]
    above, below = ("a", "b") if op == comparison.op else ("b", "a")
    larger, smaller = comparison[above], comparison[below]
    if not (attained(evaluate(larger), evaluate(smaller), op) or at_first_place(larger, smaller, op, evaluate)):
        return None
    return value(0.0, 1.0, whole=True, peak=True, nan=NEVER, kind=evaluate(larger).kind)


def attained(a: Value, b: Value, op: str) -> bool:
    """Whether the largest of ``a`` is above all of ``b``, or the smallest of ``b`` below all of ``a``."""
    least, bound = (a.hi, b.hi) if a.peak else (a.lo, b.lo)
    if not (a.peak or b.trough) or -INF in (least, bound) or INF in (least, bound):
        return False
    return least > bound or (op == "ge" and least == bound)


def at_first_place(a: Node, b: Node, op: str, evaluate: Evaluate) -> bool:
    """Whether the first elements compare so."""
    if not (ordered(a) or ordered(b)):
        return False
    difference = first(a, evaluate).plus(first(b, evaluate), -1.0)
    lo, positive = difference.number, difference.number > 0
    for key, coefficient in difference.multiples.items():
        v = evaluate(difference.nodes[key])
        end = coefficient * (v.lo if coefficient > 0 else v.hi)
        if abs(end) == INF:
            return False
        lo += end
        positive = positive or (end >= 0 and v.zero is NEVER)
    return lo > 0 or (lo == 0 and (positive or op == "ge"))


def ordered(node: Node, depth: int = MAX_DEPTH) -> bool:
    """Whether an expression says something of its places: it counts them, or sums up to them."""
    node = bare(node)
    if node.op in ("arange", "cumsum"):
        return True
    passes = node.op in ("add", "sub", "mul", "div", "neg", "integer") and depth > 0
    return passes and any(ordered(a, depth - 1) for a in node.args.values())


def first(node: Node, evaluate: Evaluate, depth: int = MAX_DEPTH) -> Form:
    """What an expression is at the first place of the axis along which it counts or sums."""
    node = bare(node)
    number = 0.0 if node.op == "arange" and "stop" not in node.args else None
    if node.op == "arange" and "stop" in node.args and "start" in node.args:
        number = evaluate(node["start"]).constant
    elif node.op == CONST:
        number = evaluate(node).constant
    if number is not None:
        return Form(number)
    if not depth:
        return Form(0.0, Counter({node.key: 1}), {node.key: node})
    if node.op in ("cumsum", "integer"):
        return first(node["x"], evaluate, depth - 1)
    if node.op == "neg":
        return Form().plus(first(node["x"], evaluate, depth - 1), -1.0)
    if node.op in ("add", "sub", "mul", "div"):
        one, other = (first(node[k], evaluate, depth - 1) for k in ("a", "b"))
        if node.op in ("add", "sub"):
            return one.plus(other, 1.0 if node.op == "add" else -1.0)
        if not other.multiples and (node.op == "mul" or other.number):
            return Form().plus(one, other.number if node.op == "mul" else 1 / other.number)
        if node.op == "mul" and not one.multiples:
            return Form().plus(other, one.number)
    return Form(0.0, Counter({node.key: 1}), {node.key: node})
