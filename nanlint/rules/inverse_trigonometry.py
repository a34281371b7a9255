"""NL204 and NL506: inverse functions at the ends of their domain, and beyond."""

from __future__ import annotations

from nanlint.diagnostic import Applicability
from nanlint.fixes.clip_inside import ClipInside
from nanlint.hazards.facts import Facts
from nanlint.hazards.record import Hazard, Seen
from nanlint.hazards.written_out import inevitable
from nanlint.ops.value import Origin
from nanlint.rules.registry import Finding, Findings, rule

#: value and gradient at an end of the domain
AT_THE_END = {
    "acos": "d acos(x)/dx = -1 / sqrt(1 - x**2) = -inf at x = ±1",
    "asin": "d asin(x)/dx = 1 / sqrt(1 - x**2) = inf at x = ±1",
    "acosh": "d acosh(x)/dx = 1 / sqrt(x**2 - 1) = inf at x = 1",
    "atanh": "atanh(±1) = ±inf",
}
#: numbers outside of a domain that does not end above 1
OUTSIDE = {"acosh": "0.9999999"}


@rule(
    "NL204",
    "inverse-trig-at-one",
    hazards="acos asin acosh atanh",
    after="NL203 NL208 NL506",
    fixable=Applicability.UNSAFE,
    frameworks="torch tensorflow jax",
)
def inverse_trig_at_one(hazard: Hazard, facts: Facts) -> Findings:
    if hazard.pole.cls != "zero" or hazard.guard is not None:
        return "applies only at the ends of the domain, if no selection hides the value"
    gradient = hazard.node.op != "atanh"
    yield Finding(
        hazard.node,
        f"gradient of {hazard.node.op} at ±1 is infinite" if gradient else "atanh of a value that reaches ±1",
        AT_THE_END[hazard.node.op],
        hazard,
        (hazard.cause,),
        ClipInside(hazard.node, hazard.operand),
    )


@rule(
    "NL506",
    "inverse-trig-domain",
    hazards="acos asin acosh atanh",
    after="NL203",
    fixable=Applicability.UNSAFE,
)
def inverse_trig_domain(hazard: Hazard, facts: Facts) -> Findings:
    if hazard.pole.cls == "zero" or hazard.guard is not None:
        return "applies only beyond the domain, if no selection hides the value"
    surely = inevitable(hazard, facts)
    beyond = "is outside of its domain" if hazard.evidence.origin is not Origin.ROUNDING else "rounds beyond its domain"
    yield Finding(
        hazard.node,
        f"{hazard.node.op} of a value that {beyond}: nan",
        f"{hazard.node.op}({OUTSIDE.get(hazard.node.op, '1.0000001')}) = nan",
        hazard.but(facts.tested_for_infinity(hazard.node) and Seen.EXPECTED),
        (hazard.cause,),
        None if surely else ClipInside(hazard.node, hazard.operand),
    )
