"""NL503."""

from __future__ import annotations

from nanlint.analysis.cancellation import AVERAGES
from nanlint.diagnostic import Applicability
from nanlint.fixes.floor_at_zero import FloorAtZero
from nanlint.fixes.two_pass_variance import TwoPassVariance
from nanlint.graph.node import Node
from nanlint.hazards.facts import Facts
from nanlint.hazards.record import Hazard, Seen, form
from nanlint.ops.value import LIKELY, NEVER, Origin
from nanlint.rules.registry import Finding, Findings, rule

#: what an op makes of a number just below 0, or of 0
MADE_OF_IT = {
    "sqrt": "sqrt of a negative number is nan",
    "rsqrt": "1 / sqrt of a negative number is nan",
    "log": "log of a negative number is nan",
    "div": "x / 0 = inf, and near 0 a quotient of any sign and size",
}
MESSAGE = "difference of nearly equal numbers: rounding can make it 0 or negative"


@rule(
    "NL503",
    "variance-by-cancellation",
    nodes="sub",
    hazards="sqrt rsqrt log log2 log10 pow div reciprocal",
    after="NL203",
    fixable=Applicability.SAFE,
)
def variance_by_cancellation(at: Node | Hazard, facts: Facts) -> Findings:
    if isinstance(at, Node):
        if facts.cancels(at) and not facts.floored(at):
            effect, alone = "only rounding error is left where both are nearly equal", TwoPassVariance(at)
            surely = facts.bare(at["a"]).op in AVERAGES and facts.returned_as_variance(at)
            yield Finding(at, MESSAGE, effect, form(Seen.ROUNDS, not surely and Seen.UNSURE), (), alone)
        return
    difference = at.evidence.node
    rounds = at.evidence.origin is Origin.ROUNDING
    if difference is None or not (rounds or facts.cancels(difference)) or at.guard is not None:
        return "the value at the singular point is not a difference of nearly equal numbers"
    if at.value.neg is NEVER or (at.value.neg < LIKELY and not rounds):
        return "bounded from below, so only an exact 0 is left"
    effect = MADE_OF_IT.get(at.node.op, f"{at.node.op} of a rounding error")
    if not (facts.cancels(difference) or difference.op == "sub"):
        # what rounds is a part of the difference
        difference = at.operand
    mended, notes = floor(difference, at, facts), ((at.node, effect),)
    yield Finding(difference, MESSAGE, at.evidence.text, at, fix=mended, notes=notes)


def floor(difference: Node, hazard: Hazard, facts: Facts) -> FloorAtZero | None:
    """A bound of 0, where what is made of it is finite: of a root, or of what is raised by an eps."""
    raised = not facts.carries(hazard.operand, difference)
    if hazard.pole.cls != "neg" or not (raised or hazard.node.op == "sqrt"):
        return None
    return FloorAtZero(difference, safe=not raised and facts.only_for(difference, frozenset({"sqrt"})))
