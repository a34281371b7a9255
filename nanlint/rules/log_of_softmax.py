"""NL101."""

from __future__ import annotations

from nanlint.analysis.facts import Facts
from nanlint.analysis.hazards import Hazard
from nanlint.diagnostic import Applicability, Confidence
from nanlint.fixes.log_of import LogOf
from nanlint.rules.registry import Finding, Findings, rule


@rule("NL101", "log-of-softmax", hazards="log log2 log10", fixable=Applicability.SAFE)
def log_of_softmax(hazard: Hazard, facts: Facts) -> Findings:
    """Log of a softmax.

    ## What it does
    Finds the logarithm of the output of a softmax, however far apart the two are: nested, through variables, helper
    functions, layers, `Sequential` models, or a loss that gets a model's softmax output.

    ## Why is this bad?
    `softmax` is exactly 0 in float32 as soon as a logit is 104 below the largest. Then `log(0) = -inf`, and multiplying
    by the label 0 does not hide that class: `0 * -inf = nan`. The gradient is NaN even where the value is masked.

    ## Example (bad)
    ```python
    probs = F.softmax(logits, dim=-1)
    loss = -(labels * torch.log(probs)).sum()
    ```

    ## Use instead
    ```python
    loss = -(labels * F.log_softmax(logits, dim=-1)).sum()
    ```

    ## Fix safety
    Safe: `log_softmax` gives the same values wherever the original is finite, and finite ones elsewhere. If another
    function returns the softmax, in this file or another, and only its logarithm is used, the fix makes that function
    return a `log_softmax`: this is safe if nanlint sees all calls (a private function), and unsafe if others may call
    it. Suggestion only if the softmax is also used elsewhere, or if the logits change between the softmax and the
    logarithm.

    ## References
    Blanchard, Higham, Higham: Accurately computing the log-sum-exp and softmax functions (2021).
    """
    softmax = facts.origin(hazard.operand, "softmax")
    if softmax is None or hazard.pole.cls != "zero":
        return "the value that becomes 0 is not a softmax"
    drawn = facts.absorbed(hazard.node) and not facts.differentiated(hazard.node)
    yield Finding(
        hazard.node,
        "log of a softmax: -inf as soon as one class underflows",
        "log(0) = -inf, and 0 * -inf = nan",
        Confidence.POSSIBLE if drawn else Confidence.CERTAIN,
        ((softmax, hazard.evidence.text),),
        LogOf("log_softmax", hazard.node, softmax),
    )
