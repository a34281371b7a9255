"""NL103."""

from __future__ import annotations

from nanlint.analysis.forms import UNKNOWNS
from nanlint.analysis.structure import literal
from nanlint.diagnostic import Applicability
from nanlint.fixes.clip_operand import ClipOperand
from nanlint.hazards.facts import Facts
from nanlint.hazards.record import Hazard, Seen
from nanlint.hazards.written_out import inevitable
from nanlint.ops.frameworks.training import PLAIN
from nanlint.rules.registry import Finding, Findings, in_numpy, rule


@rule(
    "NL103",
    "unclipped-log",
    hazards="log log2 log10 log1p xlogy xlog1py",
    after="NL101 NL102 NL109 NL104 NL106 NL107 NL208 NL209 NL503",
    fixable=Applicability.UNSAFE,
)
def unclipped_log(hazard: Hazard, facts: Facts) -> Findings:
    if hazard.pole.cls != "zero" or hazard.pole.gradient or hazard.guard is not None:
        return "applies only at 0, if no selection hides the value"
    plain = facts.framework(hazard.node) in PLAIN
    # The log of a 0/1 mask is how a mask is written in log space: -inf is meant.
    meant = hazard.value.whole and hazard.value.hi <= 1
    # in NumPy -inf is a number; in a sum it is the end of the others
    plain = plain and not hazard.value.whole and not facts.reduced(hazard.node)
    by_name = hazard.evidence.named and facts.unsigned(hazard.operand).op in UNKNOWNS and not facts.in_loss(hazard.node)
    meant = meant or facts.placed_zero(hazard.operand) or literal(hazard.operand)
    # what a distribution returns as a logarithm is -inf outside of its support
    returned = facts.origin(hazard.operand, "cdf") is not None and not hazard.node.users
    if not facts.differentiated(hazard.node):
        # exp(mean(log(x))) is 0 where an x is, and the frequency of what did not occur has this logarithm
        meant = meant or facts.exponentiated(hazard.node)
        returned = returned or (facts.frequency(hazard.operand) and not hazard.node.users)
    surely = inevitable(hazard, facts)
    seen = [
        plain and in_numpy(hazard),
        facts.absorbed(hazard.node) and Seen.ABSORBED,
        by_name and Seen.BY_NAME,
        (returned or meant) and Seen.MEANT,
    ]
    yield Finding(
        hazard.node,
        "log of 0: -inf" if surely else "log of a value that reaches 0: -inf",
        "log(0) = -inf",
        hazard.but(*() if surely else seen),
        (hazard.cause,),
        None if surely or "y" in hazard.node.args else ClipOperand(hazard.node, hazard.operand),
    )
