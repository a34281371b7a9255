"""NL104."""

from __future__ import annotations

from nanlint.diagnostic import Applicability
from nanlint.fixes.xlogy import XLogY
from nanlint.hazards.facts import Facts
from nanlint.hazards.record import Hazard, Seen
from nanlint.ops.frameworks.training import PLAIN
from nanlint.ops.value import LIKELY, NEVER
from nanlint.rules.registry import Finding, Findings, in_numpy, rule


@rule(
    "NL104",
    "zero-times-log",
    hazards="log log2 log10 log1p",
    after="NL101 NL102 NL109 NL106 NL107",
    fixable=Applicability.SAFE,
)
def zero_times_log(hazard: Hazard, facts: Facts) -> Findings:
    if hazard.pole.cls != "zero" or hazard.guard is not None:
        return "applies only at 0, if no selection hides the value"
    found = facts.partner(hazard.node)
    if found is None:
        return "the logarithm is not multiplied by anything"
    product, factor = found
    if facts.value(factor).zero is NEVER or facts.kept_off(hazard, factor):
        return "the other factor is never 0, or the logarithm is of another number there"
    if facts.replaced_at(hazard, product, factor):
        return "a selection replaces the product where both are reached"
    plain = facts.framework(product) in PLAIN and not facts.reduced(product)
    yield Finding(
        hazard.node,
        "0 * log(0) is nan: multiplying by 0 does not remove the -inf",
        "log(0) = -inf, and 0 * -inf = nan",
        hazard.but(facts.value(factor).zero < LIKELY and Seen.OTHER_FACTOR, plain and in_numpy(hazard)),
        (hazard.cause,),
        XLogY(hazard.node, product, factor),
        notes=((product, "multiplies it by a factor that may be 0"),),
    )
