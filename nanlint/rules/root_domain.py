"""NL514."""

from __future__ import annotations

from nanlint.analysis.facts import Facts
from nanlint.analysis.hazards import Hazard
from nanlint.analysis.written_out import inevitable
from nanlint.ops.value import always
from nanlint.rules.registry import Finding, Findings, confidence, rule


@rule("NL514", "root-domain", hazards="sqrt rsqrt", after="NL203 NL208 NL209 NL303 NL503 NL507")
def root_domain(hazard: Hazard, facts: Facts) -> Findings:
    if hazard.pole.cls != "neg" or hazard.guard is not None:
        return "applies only below 0, if no selection hides the value"
    surely = inevitable(hazard, facts)
    if always(hazard.value, "neg") and not surely:
        return "negative only in one call"
    level = confidence(hazard.reach, lowered=int(facts.tested_for_infinity(hazard.node)))
    yield Finding(
        hazard.node,
        f"{hazard.node.op} of a value that is {'' if surely else 'sometimes '}negative: nan",
        "sqrt(-1) = nan",
        level,
        (hazard.cause,),
    )
