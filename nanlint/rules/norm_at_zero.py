"""NL202."""

from __future__ import annotations

from nanlint.diagnostic import Applicability
from nanlint.fixes.safe_root import SafeNorm
from nanlint.hazards.facts import Facts
from nanlint.hazards.record import Hazard
from nanlint.rules.registry import Finding, Findings, rule


@rule(
    "NL202",
    "norm-at-zero",
    hazards="norm hypot",
    after="NL203 NL209",
    fixable=Applicability.SAFE,
    frameworks="tensorflow jax",
)
def norm_at_zero(hazard: Hazard, facts: Facts) -> Findings:
    if hazard.pole.cls != "zero" or hazard.guard is not None or facts.divides(hazard.node):
        return "applies only at 0, if no selection hides the value and nothing is divided by it"
    yield Finding(
        hazard.node,
        f"gradient of {hazard.node.op} at 0 is nan",
        "d norm(x)/dx = x / norm(x) = 0 / 0 = nan at x = 0",
        hazard,
        (hazard.cause,),
        SafeNorm(hazard.node),
    )
