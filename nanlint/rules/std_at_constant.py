"""NL207."""

from __future__ import annotations

from nanlint.diagnostic import Applicability
from nanlint.fixes.safe_root import SafeStd
from nanlint.hazards.facts import Facts
from nanlint.hazards.record import Hazard
from nanlint.rules.registry import Finding, Findings, rule


@rule(
    "NL207",
    "std-at-constant",
    hazards="std",
    after="NL203 NL209",
    fixable=Applicability.SAFE,
    frameworks="tensorflow jax",
)
def std_at_constant(hazard: Hazard, facts: Facts) -> Findings:
    if hazard.pole.cls != "zero" or hazard.guard is not None or facts.divides(hazard.node):
        return "applies only at 0, if no selection hides the value and nothing is divided by it"
    yield Finding(
        hazard.node,
        "gradient of std is nan for constant data",
        "std = sqrt(var), and d sqrt(v)/dv = inf at v = 0",
        hazard,
        (hazard.cause,),
        SafeStd(hazard.node),
    )
