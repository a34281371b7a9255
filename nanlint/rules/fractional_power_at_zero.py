"""NL206."""

from __future__ import annotations

from nanlint.diagnostic import Applicability
from nanlint.fixes.safe_root import SafeRoot
from nanlint.hazards.facts import Facts
from nanlint.hazards.record import Hazard, Seen
from nanlint.hazards.written_out import inevitable
from nanlint.ops.frameworks.training import PLAIN
from nanlint.rules.registry import Finding, Findings, in_numpy, rule


@rule(
    "NL206",
    "fractional-power-at-zero",
    hazards="pow cbrt",
    after="NL203 NL208 NL209",
    fixable=Applicability.SAFE,
    frameworks="torch tensorflow jax",
)
def fractional_power_at_zero(hazard: Hazard, facts: Facts) -> Findings:
    surely = inevitable(hazard, facts)
    value_breaks = not hazard.pole.gradient
    seen = value_breaks and facts.value(hazard.operand).constant is not None and not surely
    if hazard.guard is not None or seen:
        return "a later selection hides the value, or the number is visible in the code"
    plain = value_breaks and hazard.pole.cls == "zero" and facts.framework(hazard.node) in PLAIN
    whole = hazard.pole.cls == "neg" and not facts.fractional(hazard.node["y"])
    if hazard.pole.cls == "neg":
        message, effect = "fractional power of a negative value: nan", "(-1)**0.5 = nan"
    elif value_breaks:
        message, effect = "negative power of a value that reaches 0: inf", "0**-p = inf"
    else:
        message = "gradient of a fractional power at 0 is inf, and nan when multiplied by 0"
        effect = "d x**p/dx = p * x**(p - 1) = inf at x = 0"
    yield Finding(
        hazard.node,
        message,
        effect,
        hazard.but(plain and in_numpy(hazard), whole and Seen.WHOLE_POWER),
        (hazard.cause,),
        SafeRoot(hazard.node, hazard.operand, value=value_breaks),
    )
