"""NL108."""

from __future__ import annotations

from nanlint.analysis.structure import literal
from nanlint.diagnostic import Applicability
from nanlint.fixes.clip_operand import ClipOperand
from nanlint.hazards.facts import Facts
from nanlint.hazards.record import Hazard, Seen
from nanlint.hazards.written_out import inevitable
from nanlint.rules.registry import Finding, Findings, rule


@rule(
    "NL108",
    "log-domain",
    hazards="log log2 log10 log1p",
    after="NL101 NL102 NL103 NL104 NL106 NL107 NL203 NL503",
    fixable=Applicability.UNSAFE,
)
def log_domain(hazard: Hazard, facts: Facts) -> Findings:
    surely = inevitable(hazard, facts)
    if hazard.pole.cls != "neg" or hazard.guard is not None or (literal(hazard.operand) and not surely):
        return "applies only below 0, unless a selection hides the value or the number is visible in the code"
    where = "below -1" if hazard.node.op == "log1p" else "negative"
    often = "" if surely else "sometimes "
    yield Finding(
        hazard.node,
        f"{hazard.node.op} of a value that is {often}{where}: nan",
        "log(-1) = nan",
        hazard.but(facts.tested_for_infinity(hazard.node) and Seen.TESTED),
        (hazard.cause,),
        None if surely else ClipOperand(hazard.node, hazard.operand, negative=True),
    )
