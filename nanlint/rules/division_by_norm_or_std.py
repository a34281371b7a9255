"""NL302."""

from __future__ import annotations

from nanlint.diagnostic import Applicability
from nanlint.fixes.codemod import Codemod
from nanlint.fixes.guard_denominator import GuardDenominator
from nanlint.fixes.safe_root import SafeNorm, SafeStd
from nanlint.graph.node import Node
from nanlint.hazards.facts import Facts
from nanlint.hazards.record import Hazard, Seen
from nanlint.ops.value import POSSIBLE
from nanlint.rules.registry import Finding, Findings, rule


@rule(
    "NL302",
    "division-by-norm-or-std",
    hazards="div reciprocal",
    after="NL203 NL208 NL209 NL301 NL401 NL402 NL503",
    fixable=Applicability.SAFE,
)
def division_by_norm_or_std(hazard: Hazard, facts: Facts) -> Findings:
    length = facts.length_behind(hazard.operand)
    if length is None or hazard.pole.cls != "zero" or hazard.guard is not None:
        return "the denominator is not a norm or deviation, or a later selection hides the quotient"
    ignored = facts.ignored_epsilon(hazard.node)
    meant_to = ignored is not None and hazard.reach is POSSIBLE
    why = f"may be 0: the parameter `{ignored}` should prevent that, but is never used"
    yield Finding(
        hazard.node,
        f"division by a {'deviation' if length.op in ('std', 'var') else 'norm'} that may be 0",
        "0 / 0 = nan",
        hazard.but(meant_to and Seen.IGNORED_EPSILON),
        ((length, why) if meant_to else hazard.cause,),
        remedy(hazard, length, facts),
    )


def remedy(hazard: Hazard, length: Node, facts: Facts) -> Codemod:
    """A length that is not 0; where its own gradient breaks at 0, its operand has to be changed."""
    broken = any(pole.gradient for pole in facts.hazards.poles(length, facts.evaluator))
    if broken and facts.differentiated(length) and facts.divides(length):
        return SafeNorm(length, hazard.node) if length.op == "norm" else SafeStd(length, hazard.node)
    return GuardDenominator(hazard.node, hazard.operand, statistic=True)
