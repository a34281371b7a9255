"""NL301 and NL303: division by something that reaches 0, and by a reduction that does."""

from __future__ import annotations

from nanlint.analysis.forms import UNKNOWNS
from nanlint.analysis.structure import literal
from nanlint.diagnostic import Applicability
from nanlint.fixes.guard_denominator import GuardDenominator
from nanlint.graph.node import Node
from nanlint.hazards.facts import Facts
from nanlint.hazards.record import Hazard, Seen
from nanlint.hazards.written_out import inevitable
from nanlint.ops.frameworks.training import PLAIN
from nanlint.ops.value import LIKELY, Origin
from nanlint.rules.registry import Finding, Findings, rule

REDUCTIONS = {
    "sum": "sum",
    "mean": "mean",
    "count_nonzero": "count",
    "bincount": "count",
    "max": "maximum",
    "min": "minimum",
    "prod": "product",
    "cumsum": "sum",
    "einsum": "sum of products",
    "dot": "sum of products",
}


def reduction_behind(denominator: Node, facts: Facts) -> Node | None:
    return facts.origin(denominator, *REDUCTIONS)


@rule(
    "NL301",
    "division-by-reduction",
    hazards="div reciprocal",
    after="NL203 NL208 NL209 NL401 NL402 NL503",
    fixable=Applicability.SAFE,
)
def division_by_reduction(hazard: Hazard, facts: Facts) -> Findings:
    reduction = reduction_behind(hazard.operand, facts)
    if reduction is None or hazard.guard is not None:
        return "the denominator is not a reduction, or a later selection hides the quotient"
    yield Finding(
        hazard.node,
        f"division by a {'count' if hazard.value.whole else REDUCTIONS[reduction.op]} that may be 0",
        "0 / 0 = nan, and x / 0 = inf",
        hazard,
        ((reduction, hazard.evidence.text),),
        GuardDenominator(hazard.node, hazard.operand, statistic=True),
    )


@rule(
    "NL303",
    "division-by-zero-able",
    hazards="div reciprocal rsqrt",
    after="NL203 NL208 NL209 NL301 NL302 NL401 NL402 NL503",
    fixable=Applicability.SAFE,
)
def division_by_zero_able(hazard: Hazard, facts: Facts) -> Findings:
    surely = inevitable(hazard, facts)
    if hazard.pole.cls != "zero" or hazard.guard is not None or (literal(hazard.operand) and not surely):
        return "applies only at 0, unless a selection hides the value or the number is visible in the code"
    if hazard.node.op != "rsqrt" and reduction_behind(hazard.operand, facts) is not None:
        return "a reduction, which NL301 checks"
    # dividing by what is only called a probability is how importance weights are written
    by_name = hazard.evidence.named and hazard.operand.op in UNKNOWNS
    # what a loss divides by comes batch after batch, what a metric of NumPy divides by was looked at
    seen = (
        hazard.reach is LIKELY and hazard.evidence.origin is Origin.UNGUARDED and facts.framework(hazard.node) in PLAIN
    )
    yield Finding(
        hazard.node,
        "division by 0" if surely else "division by a value that reaches 0",
        "x / 0 = inf, and 0 / 0 = nan",
        hazard.but(Seen.BY_NAME if by_name else seen and Seen.LOOKED_AT),
        (hazard.cause,),
        None if surely else GuardDenominator(hazard.node, hazard.operand),
    )
