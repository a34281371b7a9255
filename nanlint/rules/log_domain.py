"""NL108."""

from __future__ import annotations

from nanlint.analysis.facts import Facts
from nanlint.analysis.hazards import Hazard
from nanlint.analysis.structure import literal
from nanlint.analysis.written_out import inevitable
from nanlint.diagnostic import Applicability
from nanlint.fixes.clip_operand import ClipOperand
from nanlint.rules.registry import Finding, Findings, confidence, rule


@rule(
    "NL108",
    "log-domain",
    hazards="log log2 log10 log1p",
    after="NL101 NL102 NL103 NL104 NL106 NL107 NL203 NL503",
    fixable=Applicability.UNSAFE,
)
def log_domain(hazard: Hazard, facts: Facts) -> Findings:
    """Logarithm of a value that is sometimes negative.

    ## What it does
    Finds `log` of values of either sign (a difference from the mean, a normal random number) and `log1p` of values that
    are sometimes below -1.

    ## Why is this bad?
    The logarithm of a negative number is NaN.

    ## Example (bad)
    ```python
    log_score = torch.log(features - features.mean())
    ```

    ## Use instead
    ```python
    log_score = torch.log((features - features.mean()).abs() + 1e-6)
    ```
    or the positive quantity that the code needs.

    ## Fix safety
    Unsafe: the fix clips to the smallest normal number, so every negative value gives its logarithm, -87.3 in float32,
    without a gradient.

    ## References
    IEEE 754-2019, section 9.2 (log of a negative number is an invalid operation).
    """
    surely = inevitable(hazard, facts)
    if hazard.pole.cls != "neg" or hazard.guard is not None or (literal(hazard.operand) and not surely):
        return "applies only below 0, unless a selection hides the value or the number is visible in the code"
    level = confidence(hazard.reach, lowered=int(facts.tested_for_infinity(hazard.node)))
    where = "below -1" if hazard.node.op == "log1p" else "negative"
    often = "" if surely else "sometimes "
    yield Finding(
        hazard.node,
        f"{hazard.node.op} of a value that is {often}{where}: nan",
        "log(-1) = nan",
        level,
        (hazard.cause,),
        None if surely else ClipOperand(hazard.node, hazard.operand, negative=True),
    )
