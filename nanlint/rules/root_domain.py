"""NL514."""

from __future__ import annotations

from nanlint.hazards.facts import Facts
from nanlint.hazards.record import Hazard, Seen
from nanlint.hazards.written_out import inevitable
from nanlint.ops.value import always
from nanlint.rules.registry import Finding, Findings, rule


@rule("NL514", "root-domain", hazards="sqrt rsqrt", after="NL203 NL208 NL209 NL303 NL503 NL507")
def root_domain(hazard: Hazard, facts: Facts) -> Findings:
    if hazard.pole.cls != "neg" or hazard.guard is not None:
        return "applies only below 0, if no selection hides the value"
    surely = inevitable(hazard, facts)
    if always(hazard.value, "neg") and not surely:
        return "negative only in one call"
    yield Finding(
        hazard.node,
        f"{hazard.node.op} of a value that is {'' if surely else 'sometimes '}negative: nan",
        "sqrt(-1) = nan",
        hazard.but(facts.tested_for_infinity(hazard.node) and Seen.TESTED),
        (hazard.cause,),
    )
