"""NL302."""

from __future__ import annotations

from nanlint.analysis.facts import Facts
from nanlint.analysis.hazards import Hazard
from nanlint.diagnostic import Applicability
from nanlint.fixes.codemod import Codemod
from nanlint.fixes.guard_denominator import GuardDenominator
from nanlint.fixes.safe_root import SafeNorm, SafeStd
from nanlint.graph.node import Node
from nanlint.ops.value import LIKELY, POSSIBLE
from nanlint.rules.registry import Finding, Findings, confidence, rule


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
    reach, evidence = hazard.reach, hazard.cause
    if ignored is not None and reach is POSSIBLE:
        reach, evidence = (
            LIKELY,
            (length, f"may be 0: the parameter `{ignored}` should prevent that, but is never used"),
        )
    level = confidence(reach)
    yield Finding(
        hazard.node,
        f"division by a {'deviation' if length.op in ('std', 'var') else 'norm'} that may be 0",
        "0 / 0 = nan",
        level,
        (evidence,),
        remedy(hazard, length, facts),
    )


def remedy(hazard: Hazard, length: Node, facts: Facts) -> Codemod:
    """A length that is not 0; where its own gradient breaks at 0, its operand has to be changed."""
    broken = any(pole.gradient for pole in facts.hazards.poles(length, facts.evaluator))
    if broken and facts.differentiated(length) and facts.divides(length):
        return SafeNorm(length, hazard.node) if length.op == "norm" else SafeStd(length, hazard.node)
    return GuardDenominator(hazard.node, hazard.operand, statistic=True)
