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
    Finds quotients whose denominator is a reduction that can naturally be 0: the sum of a mask, a count, the sum of
    rectified values, the range `max - min` of the data.

    ## Why is this bad?
    A single row of padding, an empty class or a batch without positive labels is enough to add `0 / 0 = nan` to the
    loss.

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
    Safe if the average may be over no elements, as in `(x * mask).sum() / mask.sum()`, or if data is divided by its own
    sum: nan becomes 0, and nothing else changes. (A count gets a lower bound of 1, which changes only a count of 0; a
    sum that may not be a whole number, such as that of a soft mask, becomes 1 where it was 0.) Unsafe where that would
    be long, and the denominator gets a small lower bound (`fix-style` chooses), if an infinity (which may be intended,
    or checked for later) or an undefined statistic (a correlation, an explained variance) becomes a number, or if
    Python raised an error before. Suggestion only if the denominator may not be an array of the framework, or if the 0
    would cause the next nan.

    ## References
    PyTorch issue tracker and TensorFlow addons: masked mean of an empty mask.
    """
    reduction = reduction_behind(hazard.operand, facts)
    if reduction is None or hazard.guard is not None:
        return "the denominator is not a reduction, or a later selection hides the quotient"
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
    """Division by a value that reaches 0.

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
    Safe if data is divided by a statistic of itself, as in `(x - x.min()) / (x.max() - x.min())`: nan becomes 0, and
    nothing else changes. Unsafe if the quotient is 0/0 and an undefined statistic becomes a number. Suggestion only if
    the quotient is infinite, since only you know the intended value; if it has a limit at 0/0, like `sin(x) / x`; if
    the denominator may not be an array of the framework; or if the 0 would cause the next nan.

    ## References
    IEEE 754-2019, section 7.3 (division by zero).
    """
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
    level = confidence(hazard.reach, lowered=int(by_name or seen))
    yield Finding(
        hazard.node,
        "division by 0" if surely else "division by a value that reaches 0",
        "x / 0 = inf, and 0 / 0 = nan",
        level,
        (hazard.cause,),
        None if surely else GuardDenominator(hazard.node, hazard.operand),
    )
