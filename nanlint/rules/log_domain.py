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
    """Logarithm of a value that is known to be negative at times.

    ## What it does
    Finds `log` of values with two signs (a difference from the mean, a normal draw) and `log1p` of what is below -1 at
    times.

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
    or whatever positive quantity is meant.

    ## Fix safety
    Unsafe: a clip to the smallest normal number makes its logarithm, -87.3 in float32, of everything negative, without
    gradient.

    ## References
    IEEE 754-2019, section 9.2 (log of a negative number is an invalid operation).
    """
    surely = inevitable(hazard, facts)
    if hazard.pole.cls != "neg" or hazard.guard is not None or (literal(hazard.operand) and not surely):
        return "about what is below 0, where no selection hides the value, and its author does not see it"
    level = confidence(hazard.reach, lowered=int(facts.tested_for_infinity(hazard.node)))
    where = "below -1" if hazard.node.op == "log1p" else "negative"
    often = "" if surely else " at times"
    yield Finding(
        hazard.node,
        f"{hazard.node.op} of a value that is {where}{often}: nan",
        "log(-1) = nan",
        level,
        (hazard.cause,),
        None if surely else ClipOperand(hazard.node, hazard.operand, negative=True),
    )
