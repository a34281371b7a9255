"""NL203."""

from __future__ import annotations

from nanlint.diagnostic import Applicability
from nanlint.fixes.codemod import Codemod
from nanlint.fixes.double_where import DoubleWhere
from nanlint.fixes.safe_root import SafeNorm, SafeStd
from nanlint.graph.node import Node
from nanlint.hazards.facts import Facts
from nanlint.hazards.gather import harmless_behind_selection
from nanlint.hazards.record import Hazard, Seen
from nanlint.rules.registry import Finding, Findings, rule

#: what the derivative does at the pole, by op
SLOPE = {
    "div": "the slope of 1/x is infinite at 0",
    "reciprocal": "the slope of 1/x is infinite at 0",
    "log": "the slope 1/x is infinite at 0",
    "log1p": "the slope 1/(1 + x) is infinite at -1",
    "sqrt": "the slope 1/(2 * sqrt(x)) is infinite at 0 and nan below",
    "rsqrt": "the slope is infinite at 0 and nan below",
    "pow": "the slope is infinite at 0 or nan below",
}


@rule(
    "NL203",
    "where-gradient",
    hazards="div reciprocal log log1p sqrt rsqrt pow log2 log10 exp expm1 sinh cosh "
    "norm std hypot acos asin atanh acosh atan2 cbrt",
    after="NL101 NL102 NL210",
    fixable=Applicability.SAFE,
    frameworks="torch tensorflow jax",
)
def where_gradient(hazard: Hazard, facts: Facts) -> Findings:
    guard = hazard.guard
    if guard is None or guard.op != "where":
        return "no selection hides the value"
    if not facts.differentiated(hazard.node):
        return "no gradient flows"
    if harmless_behind_selection(hazard.node, hazard.pole):
        return "the derivative stays finite there"
    if facts.masked_result(guard) is not None:
        return "NL603 reports masks of NaN"
    # An op in a helper is not to blame for the selection that its caller makes.
    place = hazard.node if hazard.node.calls == guard.calls else guard
    yield Finding(
        place,
        "the value of this branch is dropped, but it is still differentiated: 0 * inf = nan",
        SLOPE.get(hazard.node.op, "overflows to inf where the other branch is taken, and so does its slope"),
        hazard.but(facts.converted(hazard.node) and Seen.CONVERTED, facts.tests_result(guard) and Seen.TESTED),
        ((guard, "computes and differentiates both branches"),),
        remedy(hazard, guard),
    )


def remedy(hazard: Hazard, guard: Node) -> Codemod:
    """A second selection: by the same condition, or, inside of a reduction, by whether the vector is 0."""
    if hazard.node.op in ("norm", "std"):
        return SafeNorm(hazard.node) if hazard.node.op == "norm" else SafeStd(hazard.node)
    return DoubleWhere(hazard.node, hazard.operand, guard, hazard.pole.cls)
