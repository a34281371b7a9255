"""NL201."""

from __future__ import annotations

from nanlint.analysis.facts import Facts
from nanlint.analysis.hazards import Hazard
from nanlint.diagnostic import Applicability
from nanlint.fixes.safe_root import SafeRoot
from nanlint.rules.registry import Finding, Findings, confidence, rule


@rule(
    "NL201",
    "sqrt-at-zero",
    hazards="sqrt",
    after="NL203 NL208 NL209 NL503",
    fixable=Applicability.SAFE,
    frameworks="torch tensorflow jax",
)
def sqrt_at_zero(hazard: Hazard, facts: Facts) -> Findings:
    """Square root at zero, where its gradient is infinite.

    ## What it does
    Finds square roots whose argument is known to reach 0 and through which a gradient flows.

    ## Why is this bad?
    The derivative `1 / (2 * sqrt(x))` is inf at 0. An upstream gradient of 0 makes it NaN (`0 * inf`), any other one
    makes it inf; one such element ruins every parameter that it depends on. An epsilon added after the root does not
    help.

    ## Example (bad)
    ```python
    distance = torch.sqrt(((a - b) ** 2).sum(-1))
    ```

    ## Use instead
    ```python
    squared = ((a - b) ** 2).sum(-1)
    safe = torch.where(squared > 0, squared, 1.0)
    distance = torch.where(squared > 0, torch.sqrt(safe), 0.0)
    ```

    ## Fix safety
    Safe: the double `where` keeps every value; the gradient at 0, infinite before, becomes 0. In PyTorch, the root of a
    sum of squares becomes a norm, and roots that are repeated in a file a function of the file. Unsafe where that would
    be long: the radicand gets a small lower bound. `fix-style` chooses among these forms.

    ## References
    JAX FAQ: Gradients contain NaN where using where.
    """
    if hazard.pole.cls != "zero" or hazard.guard is not None:
        return "applies only at 0, if no selection hides the value"
    level = confidence(hazard.reach)
    yield Finding(
        hazard.node,
        "gradient of sqrt at 0 is inf, and nan when multiplied by 0",
        "d sqrt(x)/dx = 1 / (2 * sqrt(x)) = inf at x = 0",
        level,
        (hazard.cause,),
        SafeRoot(hazard.node, hazard.operand),
    )
