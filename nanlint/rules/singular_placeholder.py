"""NL210."""

from __future__ import annotations

from nanlint.diagnostic import Applicability
from nanlint.fixes.placeholder import HarmlessPlaceholder
from nanlint.hazards.facts import Facts
from nanlint.hazards.record import Hazard, Seen
from nanlint.rules.registry import Finding, Findings, rule
from nanlint.rules.where_gradient import SLOPE


@rule(
    "NL210",
    "singular-placeholder",
    hazards="div reciprocal log log1p sqrt rsqrt pow log2 log10 norm acos asin",
    fixable=Applicability.SAFE,
    frameworks="torch tensorflow jax",
)
def singular_placeholder(hazard: Hazard, facts: Facts) -> Findings:
    guard, selection = hazard.guard, facts.bare(hazard.operand)
    if guard is None or guard.op != "where":
        return "no selection hides the value"
    if selection.op != "where" or not facts.differentiated(hazard.node):
        return "the operand is not selected, or no gradient flows"
    placeholder = facts.placeholder(selection, hazard.pole)
    # the selection drops the NaN of its own gradient; what is left is that of other operands, and a bad value
    harmless = hazard.pole.gradient and facts.protects(selection, hazard.node)
    if placeholder is None:
        return "the placeholder is not a singular point of the operation"
    yield Finding(
        selection,
        f"the placeholder is a singular point of {hazard.node.op}: 0 * inf = nan in the gradient",
        "is used where the other branch is selected, and its gradient is computed there",
        hazard.but(Seen.PLACEHOLDER, harmless and Seen.PROTECTED),
        fix=HarmlessPlaceholder(selection, placeholder),
        notes=((hazard.node, SLOPE.get(hazard.node.op, "is singular at the placeholder")),),
    )
