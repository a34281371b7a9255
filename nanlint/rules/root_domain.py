"""NL514."""

from __future__ import annotations

from nanlint.analysis.facts import Facts
from nanlint.analysis.hazards import Hazard
from nanlint.analysis.written_out import inevitable
from nanlint.ops.value import always
from nanlint.rules.registry import Finding, Findings, confidence, rule


@rule("NL514", "root-domain", hazards="sqrt rsqrt", after="NL203 NL208 NL209 NL303 NL503 NL507")
def root_domain(hazard: Hazard, facts: Facts) -> Findings:
    """Square root of a value that is sometimes negative.

    ## What it does
    Finds square roots of values that are or can be negative: a negative number, a difference from the mean, a normal
    random number.

    ## Why is this bad?
    The square root of a negative number is NaN.

    ## Example (bad)
    ```python
    noise = torch.sqrt(torch.randn(8))
    ```

    ## Use instead
    ```python
    noise = torch.sqrt(torch.randn(8).square())
    ```
    or the nonnegative quantity that the code needs.

    ## Fix safety
    No fix: only you know the intended quantity.

    ## References
    IEEE 754-2019, section 7.2 (invalid operation).
    """
    if hazard.pole.cls != "neg" or hazard.guard is not None:
        return "applies only below 0, if no selection hides the value"
    surely = inevitable(hazard, facts)
    if always(hazard.value, "neg") and not surely:
        return "negative only in one call"
    level = confidence(hazard.reach, lowered=int(facts.tested_for_infinity(hazard.node)))
    yield Finding(
        hazard.node,
        f"{hazard.node.op} of a value that is {'' if surely else 'sometimes '}negative: nan",
        "sqrt(-1) = nan",
        level,
        (hazard.cause,),
    )
