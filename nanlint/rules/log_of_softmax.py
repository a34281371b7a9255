"""NL101."""

from __future__ import annotations

from nanlint.diagnostic import Applicability
from nanlint.fixes.log_of import LogOf
from nanlint.hazards.facts import Facts
from nanlint.hazards.record import Hazard, Seen, form
from nanlint.rules.registry import Finding, Findings, rule


@rule("NL101", "log-of-softmax", hazards="log log2 log10", fixable=Applicability.SAFE)
def log_of_softmax(hazard: Hazard, facts: Facts) -> Findings:
    softmax = facts.origin(hazard.operand, "softmax")
    if softmax is None or hazard.pole.cls != "zero":
        return "the value that becomes 0 is not a softmax"
    drawn = facts.absorbed(hazard.node) and not facts.differentiated(hazard.node)
    yield Finding(
        hazard.node,
        "log of a softmax: -inf as soon as one class underflows",
        "log(0) = -inf, and 0 * -inf = nan",
        form(drawn and Seen.UNLEARNED),
        ((softmax, hazard.evidence.text),),
        LogOf("log_softmax", hazard.node, softmax),
    )
