"""Expressions as algebra has them: sums of signed terms, products over products, exponentials with their exponents.

The order of operands, signs, constant factors and views make no difference here.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from nanlint.analysis.structure import Evaluate, bare, square_root_of
from nanlint.graph.node import Node

#: terms of a sum, and factors of a product, that are told apart
MAX_PARTS = 16


@dataclass(frozen=True)
class Term:
    """A term of a sum: ``node``, or minus it."""

    node: Node
    negative: bool = False


@dataclass(frozen=True)
class Monomial:
    """``number`` times the product of ``above`` over the product of ``below``."""

    number: float
    above: tuple[Node, ...] = ()
    below: tuple[Node, ...] = ()


def terms(node: Node, most: int = MAX_PARTS) -> list[Term]:
    """The terms of a sum or difference, flattened, in order; a sum of more than ``most`` keeps some as they are."""
    found: list[Term] = []
    pending = [Term(node)]
    while pending:
        current = pending.pop()
        inner = bare(current.node)
        if inner.op in ("add", "sub") and len(found) + len(pending) < most:
            other = Term(inner["b"], current.negative != (inner.op == "sub"))
            pending += [other, Term(inner["a"], current.negative)]
        elif inner.op == "neg":
            pending.append(Term(inner["x"], not current.negative))
        else:
            found.append(current)
    return found


def beside(node: Node, number: float, value: Evaluate) -> Term | None:
    """The term t of ``number + t``, in whatever order and signs that is written."""
    parts = terms(node, 2)
    if len(parts) != 2:
        return None
    for one, other in (parts, parts[::-1]):
        c = value(one.node).constant
        if c is not None and (-c if one.negative else c) == number and value(other.node).constant is None:
            return other
    return None


def monomial(node: Node, value: Evaluate) -> Monomial:
    """A product as number, factors and divisors; anything else is its own only factor."""
    number, sides = 1.0, ([], [])  # type: tuple[float, tuple[list[Node], list[Node]]]
    pending = [(bare(node), False)]
    while pending:
        current, under = pending.pop()
        c = value(current).constant
        room = len(sides[0]) + len(sides[1]) + len(pending) < MAX_PARTS
        root = square_root_of(current)
        if c is not None and c != 0:
            number = number / c if under else number * c
        elif current.op == "neg":
            number, pending = -number, [*pending, (bare(current["x"]), under)]
        elif root is not None and room:
            pending += [(bare(root), under)] * 2
        elif current.op == "mul" and room:
            pending += [(bare(current["b"]), under), (bare(current["a"]), under)]
        elif current.op == "div" and room:
            pending += [(bare(current["b"]), not under), (bare(current["a"]), under)]
        elif current.op == "reciprocal" or (current.op == "pow" and value(current["y"]).constant == -1):
            pending.append((bare(current["x"]), not under))
        else:
            sides[under].append(current)
    return Monomial(number, tuple(sides[0]), tuple(sides[1]))


def ratio(a: Node, b: Node, value: Evaluate) -> float | None:
    """The number that a is of b, where they are multiples of the same: -1 for x - y and y - x."""
    one, other = monomial(a, value), monomial(b, value)
    if other.number == 0 or not one.above + one.below:
        return None
    if _keys(one.above) == _keys(other.above) and _keys(one.below) == _keys(other.below):
        return one.number / other.number
    if len(one.above) == len(other.above) == 1 and not one.below + other.below:
        first, second = (Counter((t.node.key, t.negative) for t in terms(m.above[0])) for m in (one, other))
        if len(first) > 1 and first == Counter({(key, not negative): n for (key, negative), n in second.items()}):
            return -one.number / other.number
    return None


def _keys(nodes: tuple[Node, ...]) -> Counter[int]:
    return Counter(n.key for n in nodes)


def root(node: Node, value: Evaluate) -> Node | None:
    """The x of sqrt(x) or x**0.5."""
    node = bare(node)
    if node.op == "sqrt":
        return node["x"]
    return node["x"] if node.op == "pow" and value(node["y"]).constant == 0.5 else None
