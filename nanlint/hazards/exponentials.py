"""Sums, quotients and differences of exponentials: what they are called, and which of their exponentials overflows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from nanlint.analysis.algebra import Term, beside, monomial, ratio, terms
from nanlint.analysis.structure import depends
from nanlint.graph.node import Node
from nanlint.hazards.facts import OVERFLOW, Facts

REDUCTIONS = ("sum", "mean", "cumsum")
#: sums of sums that are looked into; a loop has no end of them
MAX_SUMS = 4


@dataclass(frozen=True)
class Logistic:
    """``rest`` times sigmoid(x), or sigmoid(-x) (``negative``), written with ``exp``, the exponential of x.

    ``rest`` is the numerator (None: 1, or ``exp``). ``both``: it holds the exponential too, and inf / inf is nan.
    """

    exp: Node
    negative: bool
    rest: Node | None
    both: bool


def overflows(node: Node, facts: Facts) -> bool:
    """Whether nothing keeps an exponential from inf, and no selection drops it there."""
    return facts.may_overflow(node) and facts.hazards.masked_by(node, OVERFLOW) is None


def overflow(exp: Node, facts: Facts) -> str:
    """Where an exponential overflows, in words."""
    evidence = facts.value(exp).evidence("pinf")
    return evidence.text if evidence is not None else "overflows"


def shifted(exps: Sequence[Node], facts: Facts) -> bool:
    """Whether one number is taken from all exponents: exp(a - s) + exp(b - s), exp(x - s) / sum(exp(x - s)).

    No ratio of them depends on it, so it is there to keep them in range: a belief, since nobody sees that it does. It
    is made of the exponents themselves; or, of one exponential under a sum, it is a single element.
    """
    exponents = [terms(exp["x"]) for exp in exps]
    taken = [{facts.bare(t.node).key: facts.bare(t.node) for t in parts if t.negative} for parts in exponents]
    common = [n for key, n in taken[0].items() if all(key in other for other in taken[1:])] if taken else []
    data = [facts.bare(t.node) for parts in exponents for t in parts if not t.negative]
    if len({exp.key for exp in exps}) == 1:
        return any(one_number(n) for n in common)
    return any(any(depends(n, part) for part in data) for n in common)


def one_number(node: Node) -> bool:
    """Whether a node is the element at a given place: the last of the sums up to each place, say."""
    place = node.get("index") if node.op == "part" else None
    return place is not None and isinstance(place.attrs.get("value"), int)


def overflowing(node: Node, facts: Facts, depth: int = 0) -> Node | None:
    """An exponential that overflows, among the factors and divisors of a term or of what it sums; cosh is one too."""
    if depth > MAX_SUMS:
        return None
    parts = monomial(node, facts.value)
    for factor in (*parts.above, *parts.below):
        found = facts.origin(factor, "exp", "cosh", "sinh") if factor in parts.above else facts.origin(factor, "exp")
        if found is not None and overflows(found, facts):
            return found
        total = facts.origin(factor, *REDUCTIONS)
        inner = overflowing(total["x"], facts, depth + 1) if total is not None else None
        if inner is not None:
            return inner
    return None


def exponent(node: Node, facts: Facts) -> tuple[Node | None, bool] | None:
    """(x, False) for exp(x), (x, True) for 1 / exp(x), (None, False) for 1, which is exp(0)."""
    parts = monomial(node, facts.value)
    if parts.number != 1 or len(parts.above) + len(parts.below) > 1:
        return None
    if not parts.above + parts.below:
        return None, False
    (exp,) = parts.above + parts.below
    return (exp["x"], bool(parts.below)) if exp.op == "exp" else None


def logistic(quotient: Node, facts: Facts) -> Logistic | None:
    """1 / (1 + exp(x)), exp(x) / (1 + exp(x)), or either times something."""
    if quotient.op == "pow" and facts.value(quotient["y"]).constant != -1:
        return None
    below = facts.bare(quotient["b"] if quotient.op == "div" else quotient["x"])
    term = beside(below, 1, facts.value)
    if term is None or term.negative:
        return None
    exp = facts.bare(term.node)
    if exp.op != "exp":
        return None
    above = quotient["a"] if quotient.op == "div" else None
    if above is None or facts.is_constant(above, 1):
        return Logistic(exp, True, None, both=False)
    if facts.same(above, exp):
        return Logistic(exp, False, None, both=True)
    return Logistic(exp, True, above, both=depends(above, exp))


@dataclass(frozen=True)
class Tangent:
    """tanh of ``scale`` times ``x``, written with exponentials of which ``exp`` overflows."""

    x: Node
    scale: float
    exp: Node


def tangent(quotient: Node, facts: Facts) -> Tangent | None:
    """(exp(u) - exp(v)) / (exp(u) + exp(v)) = tanh((u - v) / 2), where v = -u or one of the two is 0; sinh / cosh."""
    above, below = facts.bare(quotient["a"]), facts.bare(quotient["b"])
    if above.op == "sinh" and below.op == "cosh" and facts.same(above["x"], below["x"]):
        return Tangent(above["x"], 1.0, below) if overflows(below, facts) else None
    upper, lower = terms(above), terms(below)
    if len(upper) != 2 or len(lower) != 2 or lower[0].negative or lower[1].negative:
        return None
    plus, minus = (upper[0], upper[1]) if upper[1].negative else (upper[1], upper[0])
    if plus.negative or not minus.negative or not _same_pair(upper, lower, facts):
        return None
    u, v = exponent(plus.node, facts), exponent(minus.node, facts)
    exp = next((e for t in (plus, minus) if (e := overflowing(t.node, facts)) is not None), None)
    if u is None or v is None or exp is None:
        return None
    (x, under), (y, under_too) = u, v
    scale, other = (-1.0 if under else 1.0), (-1.0 if under_too else 1.0)
    if x is None or y is None:
        only, sign = (x, scale) if x is not None else (y, -other)
        return Tangent(only, sign / 2, exp) if only is not None else None
    multiple = ratio(y, x, facts.value)
    return Tangent(x, scale, exp) if multiple is not None and multiple * other == -scale else None


def _same_pair(upper: list[Term], lower: list[Term], facts: Facts) -> bool:
    """Whether two sums are of the same two terms."""
    return any(
        all(_same_term(one.node, other.node, facts) for one, other in zip(upper, order, strict=True))
        for order in (lower, lower[::-1])
    )


def _same_term(a: Node, b: Node, facts: Facts) -> bool:
    number = facts.value(a).constant
    return facts.same(a, b) or (number is not None and number == facts.value(b).constant)
