"""NL209."""

from __future__ import annotations

from nanlint.analysis.facts import Facts
from nanlint.analysis.hazards import Hazard
from nanlint.diagnostic import Applicability
from nanlint.fixes.codemod import Codemod
from nanlint.fixes.safe_root import SafeNorm, SafeRoot, SafeStd
from nanlint.rules.registry import Finding, Findings, confidence, rule


@rule(
    "NL209",
    "guard-after-singular-op",
    hazards="sqrt norm std hypot pow rsqrt reciprocal div log log2 log10",
    after="NL203 NL208 NL101 NL102 NL104",
    fixable=Applicability.SAFE,
    frameworks="torch tensorflow jax",
)
def guard_after_singular_op(hazard: Hazard, facts: Facts) -> Findings:
    """A guard applied too late: after the operation that it is meant to protect.

    ## What it does
    Finds roots, norms and deviations of values that may be 0, if an epsilon or a bound is applied only to the result;
    and reciprocals, inverse roots and logarithms whose infinite result is bounded or replaced by `nan_to_num`.

    ## Why is this bad?
    The value is right, but the gradient is not: the backward pass goes through the operation at its singular point, and
    its infinite derivative times 0 is NaN. Put the guard before the operation.

    ## Example (bad)
    ```python
    unit = x / (torch.sqrt((x**2).sum(-1, keepdim=True)) + 1e-6)
    ```

    ## Use instead
    ```python
    unit = x / torch.sqrt((x**2).sum(-1, keepdim=True) + 1e-12)
    ```

    ## Fix safety
    Safe: the operand gets a double `where`, which keeps every value; the gradient at the singular point, not finite
    before, becomes 0.

    ## References
    JAX FAQ: Gradients contain NaN where using where.
    """
    late = facts.late_guard(hazard)
    if late is None or not facts.differentiated(hazard.node):
        return "no guard after the operation"
    # x / (norm(x) + eps): what comes back to the root is 0, and TensorFlow's root keeps it so (XLA's does not)
    spared = facts.framework(hazard.node) in ("tensorflow", "keras") and facts.cancels_itself(hazard.node, late)
    level = confidence(hazard.reach, lowered=int(spared))
    yield Finding(
        hazard.node,
        f"guarded only after {hazard.node.op}: its gradient at 0 is still infinite or nan",
        "the backward pass goes through the singular point",
        level,
        (hazard.cause,),
        remedy(hazard),
        notes=((late, "guards the value, not the gradient"),),
    )


def remedy(hazard: Hazard) -> Codemod | None:
    """The codemod that keeps the operand off the singular point."""
    if hazard.node.op == "norm":
        return SafeNorm(hazard.node)
    if hazard.node.op == "std":
        return SafeStd(hazard.node)
    if hazard.pole.gradient and hazard.node.op in ("sqrt", "pow"):
        return SafeRoot(hazard.node, hazard.operand)
    return None
