"""Masks that are true somewhere, whatever the data is: at the first place of an axis, or where an extremum is."""

from __future__ import annotations

from nanlint.analysis.structure import Evaluate, bare
from nanlint.graph.linear import Linear, combined
from nanlint.graph.node import CONST, Node
from nanlint.ops.value import INF, NEVER, Value, value

#: operands that are looked at to find out what an expression is at the first place
MAX_DEPTH = 16


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
    atoms: dict[int, Node] = {}
    difference = first(a, evaluate, atoms).plus(first(b, evaluate, atoms), -1.0)
    lo, positive = difference.number, difference.number > 0
    for key, coefficient in difference.terms:
        v = evaluate(atoms[key])
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


def first(node: Node, evaluate: Evaluate, atoms: dict[int, Node], depth: int = MAX_DEPTH) -> Linear:
    """What an expression is at the first place of the axis along which it counts or sums; notes its atoms by key."""
    node = bare(node)
    number = 0.0 if node.op == "arange" and "stop" not in node.args else None
    if node.op == "arange" and "stop" in node.args and "start" in node.args:
        number = evaluate(node["start"]).constant
    elif node.op == CONST:
        number = evaluate(node).constant
    if number is not None:
        return Linear(number)
    if depth and node.op in ("cumsum", "integer"):
        return first(node["x"], evaluate, atoms, depth - 1)
    form = combined(node.op, lambda operand: first(node[operand], evaluate, atoms, depth - 1)) if depth else None
    if form is not None:
        return form
    atoms[node.key] = node
    return Linear(0.0, ((node.key, 1.0),))
