"""NL210."""

from __future__ import annotations

from nanlint.analysis.facts import Facts
from nanlint.analysis.hazards import Hazard
from nanlint.diagnostic import Applicability
from nanlint.fixes.placeholder import HarmlessPlaceholder
from nanlint.ops.value import LIKELY
from nanlint.rules.registry import Finding, Findings, confidence, rule
from nanlint.rules.where_gradient import SLOPE


@rule(
    "NL210",
    "singular-placeholder",
    hazards="div reciprocal log log1p sqrt rsqrt pow log2 log10 norm acos asin",
    fixable=Applicability.SAFE,
    frameworks="torch tensorflow jax",
)
def singular_placeholder(hazard: Hazard, facts: Facts) -> Findings:
    """A double `where` whose placeholder is itself singular.

    ## What it does
    Finds operands that an inner `where` replaces in the branch that is not taken, by a number at which the operation is
    also singular: `where(c, x / where(c, y, 0), 0)`.

    ## Why is this bad?
    The inner `where` should keep the operation away from its singular point. A placeholder of 0 is exactly that point:
    the branch that is not taken is `x / 0`, and the gradient with respect to x is `0 * inf = nan`. (The inner `where`
    drops the gradient with respect to y, but anomaly detection and `jax_debug_nans` stop at it.)

    ## Example (bad)
    ```python
    safe = jnp.where(count > 0, count, 0)
    mean = jnp.where(count > 0, total / safe, 0.0)
    ```

    ## Use instead
    ```python
    safe = jnp.where(count > 0, count, 1)
    mean = jnp.where(count > 0, total / safe, 0.0)
    ```

    ## Fix safety
    Safe: the placeholder is used only where the other branch is taken.

    ## References
    JAX pull request 6940: `jnp.sinc`: fix NaNs at x=0.
    """
    guard, selection = hazard.guard, facts.bare(hazard.operand)
    if guard is None or guard.op != "where":
        return "no selection hides the value"
    if selection.op != "where" or not facts.differentiated(hazard.node):
        return "the operand is not selected, or no gradient flows"
    placeholder = facts.placeholder(selection, hazard.pole)
    # the selection drops the NaN of its own gradient; what is left is that of other operands, and a bad value
    harmless = hazard.pole.gradient and facts.protects(selection, hazard.node)
    level = confidence(min(hazard.reach, LIKELY), lowered=int(harmless))
    if placeholder is None:
        return "the placeholder is not a singular point of the operation"
    yield Finding(
        selection,
        f"the placeholder is a singular point of {hazard.node.op}: 0 * inf = nan in the gradient",
        "used where the other branch is taken, and differentiated there",
        level,
        fix=HarmlessPlaceholder(selection, placeholder),
        notes=((hazard.node, SLOPE.get(hazard.node.op, "is singular at the placeholder")),),
    )
