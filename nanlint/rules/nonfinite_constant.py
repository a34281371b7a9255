"""NL409."""

from __future__ import annotations

from nanlint.diagnostic import Applicability
from nanlint.fixes.least_finite import LeastOfFormat
from nanlint.graph.node import Node
from nanlint.hazards.facts import Facts
from nanlint.hazards.record import Seen, form
from nanlint.hazards.written_out import overflows, undefined
from nanlint.ops.value import INF, Kind, always
from nanlint.rules.registry import Finding, Findings, rule

#: how many times the largest number something is that is beyond it for all ordinary factors
FAR = 10.0


@rule(
    "NL409",
    "nonfinite-constant",
    nodes="add sub mul div cast tensor full pow square sum prod",
    fixable=Applicability.UNSAFE,
)
def nonfinite_constant(node: Node, facts: Facts) -> Findings:
    if undefined(node, facts):
        yield Finding(
            node,
            "undefined operation on infinities: nan",
            "inf - inf = 0 * inf = inf / inf = nan",
            form(),
        )
    elif node.op in ("cast", "tensor", "full") and overflows(node, facts):
        yield Finding(node, "number too large for its format: inf", "rounds to inf", form())
    elif overflows(node, facts) and not is_at_pole(node, facts):
        yield Finding(node, "result too large for its format: inf", "rounds to inf", form())
    elif (found := too_large(node, facts)) is not None:
        number, name = facts.value(node[found[0]]).constant, facts.value(node[found[1]]).format.name
        yield Finding(
            node,
            f"number too large for {name}: inf",
            f"{number:g} is infinite there",
            form(Seen.BY_FORMAT),
            ((node[found[1]], f"is {name} here"),),
            LeastOfFormat(node, *found),
        )


def too_large(node: Node, facts: Facts) -> tuple[str, str] | None:
    """A number that is finite, and infinite in the half precision of the array that it scales, and the array: operands.

    A product is rounded once, in the end: of what is well below 1 it may yet be finite.
    """
    for one, other in (("a", "b"), ("b", "a")) if node.op == "mul" else ():
        number, v = facts.value(node[one]), facts.value(node[other])
        c, most = number.constant, v.format.max
        if c is None or number.kind is not Kind.SCALAR or v.kind is Kind.SCALAR or not most < abs(c) < INF:
            continue
        if abs(c) > FAR * most or v.whole:
            return one, other
    return None


def is_at_pole(node: Node, facts: Facts) -> bool:
    """Whether an operation is infinite because what it divides by, or raises to a power, is 0: no number overflows."""
    operand = node.get("b" if node.op == "div" else "x")
    return operand is not None and always(facts.value(operand), "zero")
