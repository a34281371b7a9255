"""NL110: quantile functions of a probability that is exactly 0 or 1."""

from __future__ import annotations

from nanlint.diagnostic import Applicability
from nanlint.fixes.clip_inside import ClipInside
from nanlint.hazards.facts import Facts
from nanlint.hazards.record import Hazard
from nanlint.rules.registry import Finding, Findings, rule

#: what is infinite, and where
AT_THE_ENDS = {
    "logit": "logit(0) = -inf, logit(1) = inf",
    "ndtri": "ndtri(0) = -inf, ndtri(1) = inf",
    "erfinv": "erfinv(±1) = ±inf",
}


@rule(
    "NL110",
    "quantile-at-end",
    hazards="logit ndtri erfinv",
    after="NL203 NL208 NL209",
    fixable=Applicability.UNSAFE,
)
def quantile_at_end(hazard: Hazard, facts: Facts) -> Findings:
    if hazard.guard is not None:
        return "a later selection hides the value"
    beyond = hazard.pole.cls != "zero"
    yield Finding(
        hazard.node,
        f"{hazard.node.op} of a value {'outside of' if beyond else 'that reaches an end of'} its domain",
        "nan outside of the domain" if beyond else AT_THE_ENDS[hazard.node.op],
        hazard,
        (hazard.cause,),
        ClipInside(hazard.node, hazard.operand),
    )
