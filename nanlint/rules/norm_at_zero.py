"""NL202."""

from __future__ import annotations

from nanlint.analysis.facts import Facts
from nanlint.analysis.hazards import Hazard
from nanlint.diagnostic import Applicability
from nanlint.fixes.safe_root import SafeNorm
from nanlint.rules.registry import Finding, Findings, confidence, rule


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
    level = confidence(hazard.reach)
    yield Finding(
        hazard.node,
        f"gradient of {hazard.node.op} at 0 is nan",
        "d norm(x)/dx = x / norm(x) = 0 / 0 = nan at x = 0",
        level,
        (hazard.cause,),
        SafeNorm(hazard.node),
    )
