"""NL511."""

from __future__ import annotations

from nanlint.diagnostic import Applicability
from nanlint.fixes.forms import ATAN2
from nanlint.fixes.rewrite import Rewrite
from nanlint.graph.node import Node
from nanlint.hazards.facts import Facts
from nanlint.hazards.gather import has_epsilon
from nanlint.hazards.record import Seen, form
from nanlint.ops.value import NEVER
from nanlint.rules.registry import Finding, Findings, rule


@rule(
    "NL511",
    "atan-of-quotient",
    nodes="atan",
    after="NL203",
    fixable=Applicability.DISPLAY,
)
def atan_of_quotient(atan: Node, facts: Facts) -> Findings:
    quotient = facts.bare(atan["x"])
    if quotient.op != "div" or facts.scalar(atan) or not (facts.varies(quotient["a"]) and facts.varies(quotient["b"])):
        return "no quotient of data"
    positive = facts.value(quotient["b"]).lo >= 0 and facts.value(quotient["b"]).zero is NEVER
    if positive or has_epsilon(quotient["b"], facts.value):
        # who adds an epsilon has numbers that are not below 0
        return "the divisor is positive"
    yield Finding(
        atan,
        "arctangent of a quotient: loses the quadrant, and is nan at the origin",
        "atan(0 / 0) = nan",
        form(Seen.AT_A_POINT),
        fix=Rewrite(atan, ATAN2, {"a": quotient["a"], "b": quotient["b"]}, Applicability.DISPLAY),
    )
