"""NL301 and NL303: division by something that reaches 0, and by a reduction that does."""

from __future__ import annotations

from nanlint.analysis.facts import Facts
from nanlint.analysis.forms import UNKNOWNS
from nanlint.analysis.gradient import PLAIN
from nanlint.analysis.hazards import Hazard
from nanlint.analysis.structure import literal
from nanlint.analysis.written_out import inevitable
from nanlint.diagnostic import Applicability
from nanlint.fixes.guard_denominator import GuardDenominator
from nanlint.graph.node import Node
from nanlint.ops.value import LIKELY, Origin
from nanlint.rules.registry import Finding, Findings, confidence, rule

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
    """The reduction whose result a denominator is."""
    return facts.origin(denominator, *REDUCTIONS)


@rule(
    "NL301",
    "division-by-reduction",
    hazards="div reciprocal",
    after="NL203 NL208 NL209 NL401 NL402 NL503",
    fixable=Applicability.SAFE,
)
def division_by_reduction(hazard: Hazard, facts: Facts) -> Findings:
    """Division by a sum, count or extremum that may be 0.

    ## What it does
    Finds quotients whose denominator is a reduction with a natural zero: the sum of a mask, a count, the sum of
    rectified values, the range `max - min` of its own data.

    ## Why is this bad?
    One row of padding, one empty class, one batch without a positive label, and `0 / 0 = nan` enters the loss.

    ## Example (bad)
    ```python
    mask = tokens != PAD
    pooled = (x * mask).sum(1) / mask.sum(1)
    ```

    ## Use instead
    ```python
    mask = tokens != PAD
    pooled = (x * mask).sum(1) / mask.sum(1).clamp(min=1)
    ```

    ## Fix safety
    Safe where an average is taken of what may be nothing, as in `(x * mask).sum() / mask.sum()`, or data is divided by
    its own sum: nan becomes 0, and nothing else changes (a count gets a bound of 1, which changes no
    count but 0; a sum that is not proved to be whole, as that of a soft mask, is 1 where it was 0). Unsafe where an
    infinity, which may be meant or looked for, or a statistic that is undefined (a correlation, an explained variance)
    becomes a number, and where Python raises an error. For display where the denominator is not known to be an array of
    the framework, and where the 0 leads to the next nan.

    ## References
    PyTorch issue tracker and TensorFlow addons: masked mean of an empty mask.
    """
    reduction = reduction_behind(hazard.operand, facts)
    if reduction is None or hazard.guard is not None:
        return "the denominator is no reduction, or a selection further on hides the quotient"
    level = confidence(hazard.reach)
    yield Finding(
        hazard.node,
        f"division by a {'count' if hazard.value.whole else REDUCTIONS[reduction.op]} that may be 0",
        "0 / 0 = nan, and x / 0 = inf",
        level,
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
    """Division by something that reaches 0.

    ## What it does
    Finds quotients whose denominator is known to be exactly 0 for real inputs: a rectifier, a saturated probability or
    its complement, a difference that vanishes for equal data.

    ## Why is this bad?
    `x / 0 = inf` and `0 / 0 = nan`, in the value and in the gradient.

    ## Example (bad)
    ```python
    scaled = (x - x.min()) / (x.max() - x.min())
    ```

    ## Use instead
    ```python
    spread = x.max() - x.min()
    scaled = (x - x.min()) / torch.where(spread > 0, spread, 1.0)
    ```

    ## Fix safety
    Safe where data is divided by what is gathered from it, as in `(x - x.min()) / (x.max() - x.min())`: nan becomes 0,
    and nothing else changes. Unsafe where the quotient is 0/0 and a statistic that is undefined becomes a number. For
    display where it is infinite, since only its author knows what is meant then; where it has a limit at 0/0, as
    `sin(x) / x` has; where the denominator is not known to be an array of the framework; and where the 0 leads to the
    next nan.

    ## References
    IEEE 754-2019, section 7.3 (division by zero).
    """
    surely = inevitable(hazard, facts)
    if hazard.pole.cls != "zero" or hazard.guard is not None or (literal(hazard.operand) and not surely):
        return "about the pole at 0, where no selection hides the value, and its author does not see it"
    if hazard.node.op != "rsqrt" and reduction_behind(hazard.operand, facts) is not None:
        return "a reduction, which NL301 has weighed"
    # dividing by what is only called a probability is how importance weights are written
    by_name = hazard.evidence.named and hazard.operand.op in UNKNOWNS
    # what a loss divides by comes batch after batch, what a metric of NumPy divides by was looked at
    seen = (
        hazard.reach is LIKELY and hazard.evidence.origin is Origin.UNGUARDED and facts.framework(hazard.node) in PLAIN
    )
    level = confidence(hazard.reach, lowered=int(by_name or seen))
    yield Finding(
        hazard.node,
        "division by 0" if surely else "division by a value that reaches 0",
        "x / 0 = inf, and 0 / 0 = nan",
        level,
        (hazard.cause,),
        None if surely else GuardDenominator(hazard.node, hazard.operand),
    )
