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
    """Division by a norm or a standard deviation that may be 0.

    ## What it does
    Finds vectors divided by their length, and data divided by its deviation, without an epsilon. The confidence is
    higher if there is a reason for a 0: the difference of two points of the same set, which is 0 on the diagonal and
    for self loops; rectified or masked data; an epsilon that is a parameter of the function but never used.

    ## Why is this bad?
    The zero vector has no direction: `0 / 0 = nan`. A row of padding is a zero vector; the deviation of a constant
    column is 0.

    ## Example (bad)
    ```python
    offset = position[target] - position[source]
    direction = offset / torch.norm(offset, dim=-1, keepdim=True)
    ```

    ## Use instead
    ```python
    offset = position[target] - position[source]
    direction = offset / torch.norm(offset, dim=-1, keepdim=True).clamp(min=1e-12)
    ```

    ## Fix safety
    Safe if data is divided by a statistic of itself, as in `x / x.norm()` and `(x - x.mean()) / x.std()`: nan becomes
    0, and nothing else changes. Unsafe where that would be long, and the denominator gets a small lower bound, as in
    PyTorch's `normalize` (`fix-style` chooses), or if an infinity (which may be intended, or checked for later) or an
    undefined statistic becomes a number. Suggestion only if the denominator might not be an array of the framework, or
    if the 0 would cause the next nan.

    ## References
    PyTorch: `torch.nn.functional.normalize`, and its `eps`.
    """
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
