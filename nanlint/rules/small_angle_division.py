"""NL513."""

from __future__ import annotations

from nanlint.analysis.algebra import beside, monomial
from nanlint.diagnostic import Applicability
from nanlint.fixes.forms import SINC
from nanlint.fixes.rewrite import Rewrite
from nanlint.graph.node import Node
from nanlint.hazards.facts import Facts
from nanlint.hazards.record import Seen, form
from nanlint.ops.op import Pole
from nanlint.ops.value import NEVER
from nanlint.rules.registry import Finding, Findings, rule

#: functions that are 0 at 0
VANISHING = frozenset({"sin", "tan", "sinh", "tanh", "asin", "atan", "asinh", "atanh", "expm1", "log1p", "erf"})
DIVISOR = Pole("b", "zero", "inf or nan")


@rule(
    "NL513",
    "small-angle-division",
    nodes="div",
    after="NL202 NL203 NL301 NL302 NL303",
    fixable=Applicability.DISPLAY,
)
def small_angle_division(quotient: Node, facts: Facts) -> Findings:
    parts = monomial(quotient, facts.value)
    pairs = ((root_of(a, facts), root_of(b, facts), a, b) for a in parts.above for b in parts.below)
    for above, below, a, b in pairs:
        if (a is above and b is below) or not facts.same(above, below):
            continue
        if facts.value(below).zero is NEVER or facts.value(below).lo > 0 or not facts.varies(below):
            continue
        if facts.hazards.masked_by(quotient, DIVISOR) is not None:
            continue
        sinc = a.op == "sin" and len(parts.above) == len(parts.below) == 1 and parts.number == 1
        yield Finding(
            quotient,
            "numerator and denominator are 0 at the same point: 0 / 0 = nan",
            "0 / 0 = nan",
            form(Seen.AT_A_POINT),
            ((below, "may be 0"),),
            Rewrite(quotient, SINC, {"x": below}, Applicability.DISPLAY) if sinc and b is below else None,
        )
        return


def root_of(node: Node, facts: Facts) -> Node:
    """The x at whose zero a factor is 0: of sin(x), 1 - cos(x), exp(x) - 1; else itself."""
    if node.op in VANISHING:
        return facts.bare(node["x"])
    for number in (1, -1):
        term = beside(node, number, facts.value)
        inner = facts.bare(term.node) if term is not None and term.negative is (number == 1) else None
        if inner is not None and inner.op in ("cos", "exp", "cosh"):
            return facts.bare(inner["x"])
    return node
