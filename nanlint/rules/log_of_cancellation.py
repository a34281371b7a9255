"""NL109."""

from __future__ import annotations

from nanlint.analysis.cancellation import Tail
from nanlint.diagnostic import Applicability
from nanlint.fixes.log_of_tail import LogOfTail
from nanlint.hazards.facts import Facts
from nanlint.hazards.record import Hazard, Seen
from nanlint.ops.frameworks.training import PLAIN
from nanlint.rules.registry import Finding, Findings, in_numpy, rule

#: what the logarithm is of, by the op that saturates
NAMES = {
    "cdf": "a distribution function",
    "erfc": "erfc",
    "erf": "1 + erf",
    "exp": "1 - exp",
    "sub": "a difference of saturated values",
}


@rule(
    "NL109",
    "log-of-cancellation",
    hazards="log log2 log10 log1p",
    after="NL101 NL102",
    fixable=Applicability.SAFE,
)
def log_of_cancellation(hazard: Hazard, facts: Facts) -> Findings:
    if hazard.pole.cls != "zero" or hazard.guard is not None:
        return "applies only at 0, if no selection hides the value"
    found = facts.tail(hazard.operand, plus=hazard.pole.shift)
    if found is None:
        return "the operand is not a difference that cancels in a tail"
    plain = facts.framework(hazard.node) in PLAIN and not facts.reduced(hazard.node)
    # what a distribution returns as a logarithm is -inf outside of its support
    returned = found.sign == 0 and found.core.op == "cdf" and not hazard.node.users
    yield Finding(
        hazard.node,
        f"log of {name(found)}, which rounds to 0 in a tail: -inf",
        "log(0) = -inf",
        hazard.but(
            plain and in_numpy(hazard),
            returned and Seen.MEANT,
            facts.absorbed(hazard.node) and Seen.ABSORBED,
            facts.held(found) and Seen.HELD,
        ),
        (hazard.cause,),
        LogOfTail(hazard.node, found),
    )


def name(found: Tail) -> str:
    if found.core.op in ("square", "pow", "mul"):
        return "1 - tanh**2"
    if found.sign < 0 and found.core.op in ("cdf", "erf"):
        return f"1 - {NAMES[found.core.op].removeprefix('1 + ')}"
    return NAMES[found.core.op]
