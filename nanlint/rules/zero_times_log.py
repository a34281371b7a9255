"""NL104."""

from __future__ import annotations

from nanlint.analysis.facts import Facts
from nanlint.analysis.gradient import PLAIN
from nanlint.analysis.hazards import Hazard
from nanlint.diagnostic import Applicability
from nanlint.fixes.xlogy import XLogY
from nanlint.ops.value import LIKELY, NEVER
from nanlint.rules.registry import Finding, Findings, confidence, milder, rule


@rule(
    "NL104",
    "zero-times-log",
    hazards="log log2 log10 log1p",
    after="NL101 NL102 NL109 NL106 NL107",
    fixable=Applicability.SAFE,
)
def zero_times_log(hazard: Hazard, facts: Facts) -> Findings:
    """A factor that may be 0 times a log that may be -inf.

    ## What it does
    Finds `x * log(y)` where y reaches 0, the entropy form `p * log(p)`, and `(a - 1) * log(x)` of densities.

    ## Why is this bad?
    The product is meant to be 0 where x is 0, but `0 * log(0) = 0 * -inf = nan`.

    ## Example (bad)
    ```python
    entropy = -(p * torch.log(p)).sum(-1)
    ```

    ## Use instead
    ```python
    entropy = -(p * torch.log(torch.where(p == 0, 1.0, p))).sum(-1)
    ```

    ## Fix safety
    Safe: the same values and gradients wherever they are finite, and 0 if x and y are 0. With a gradient in PyTorch or
    JAX, the fix replaces y by 1 where x and y are 0, because the gradient of their `xlogy` with respect to y is 0/0
    there. Otherwise the fix is `xlogy`; this is unsafe if it makes the file depend on SciPy, or if the logarithm has a
    name of TensorFlow 1, which may not have it.

    ## References
    SciPy: `scipy.special.xlogy`; TensorFlow: `tf.math.xlogy`.
    """
    if hazard.pole.cls != "zero" or hazard.guard is not None:
        return "applies only at 0, if no selection hides the value"
    found = facts.partner(hazard.node)
    if found is None:
        return "the logarithm is not multiplied by anything"
    product, factor = found
    if facts.value(factor).zero is NEVER or facts.kept_off(hazard, factor):
        return "the other factor is never 0, or the logarithm is of another number there"
    if facts.replaced_at(hazard, product, factor):
        return "a selection replaces the product where both are reached"
    plain = facts.framework(product) in PLAIN and not facts.reduced(product)
    level = confidence(
        min(hazard.reach, LIKELY) if facts.value(factor).zero < LIKELY else hazard.reach,
        lowered=int(plain) * milder(hazard),
    )
    yield Finding(
        hazard.node,
        "0 * log(0) is nan: multiplying by 0 does not remove the -inf",
        "log(0) = -inf, and 0 * -inf = nan",
        level,
        (hazard.cause,),
        XLogY(hazard.node, product, factor),
        notes=((product, "multiplies it by a factor that may be 0"),),
    )
