"""NL201."""

from __future__ import annotations

from nanlint.diagnostic import Applicability
from nanlint.fixes.safe_root import SafeRoot
from nanlint.hazards.facts import Facts
from nanlint.hazards.record import Hazard
from nanlint.rules.registry import Finding, Findings, rule


@rule(
    "NL201",
    "sqrt-at-zero",
    hazards="sqrt",
    after="NL203 NL208 NL209 NL503",
    fixable=Applicability.SAFE,
    frameworks="torch tensorflow jax",
)
def sqrt_at_zero(hazard: Hazard, facts: Facts) -> Findings:
    if hazard.pole.cls != "zero" or hazard.guard is not None:
        return "applies only at 0, if no selection hides the value"
    yield Finding(
        hazard.node,
        "gradient of sqrt at 0 is inf, and nan when multiplied by 0",
        "d sqrt(x)/dx = 1 / (2 * sqrt(x)) = inf at x = 0",
        hazard,
        (hazard.cause,),
        SafeRoot(hazard.node, hazard.operand),
    )
