"""NL109."""

from __future__ import annotations

from nanlint.analysis.cancellation import Tail
from nanlint.analysis.facts import Facts
from nanlint.analysis.gradient import PLAIN
from nanlint.analysis.hazards import Hazard
from nanlint.diagnostic import Applicability
from nanlint.fixes.log_of_tail import LogOfTail
from nanlint.rules.registry import Finding, Findings, confidence, milder, rule

#: what the logarithm is of, by the op that saturates
NAMES = {
    "cdf": "a distribution function",
    "erfc": "erfc",
    "erf": "1 + erf",
    "exp": "1 - exp",
    "sub": "a difference of saturated values",
}


@rule(
    "NL109",
    "log-of-cancellation",
    hazards="log log2 log10 log1p",
    after="NL101 NL102",
    fixable=Applicability.SAFE,
)
def log_of_cancellation(hazard: Hazard, facts: Facts) -> Findings:
    """Log of a value that rounding makes 0 in the tail of a function.

    ## What it does
    Finds logarithms of `1 + erf(x)` and of other distribution functions, of the difference of two, of
    `1 - tanh(x)**2`, and of `1 - exp(-x)` where x reaches 0.

    ## Why is this bad?
    In float32 `erf` is exactly -1 below about -4 and `tanh(x)**2` exactly 1 above about 9. The argument of the
    logarithm is then far below the rounding error of 1: the true logarithm is -9 or -20, the computed one -inf.

    ## Example (bad)
    ```python
    log_p = torch.log(0.5 * (1 + torch.erf(x / 2**0.5)))
    log_slope = torch.log(1 - torch.tanh(x) ** 2)
    ```

    ## Use instead
    ```python
    log_p = torch.special.log_ndtr(x)
    log_slope = 2 * (math.log(2) - x - F.softplus(-2 * x))
    ```

    ## Fix safety
    Safe: equal up to the rounding of the difference wherever the original is finite, and finite in the tail. Suggestion
    only in half precision, for which PyTorch and JAX have no `log_ndtr`. No fix for the difference of two distribution
    functions: the fix depends on the tail.

    ## References
    Mächler: Accurately computing log(1 - exp(-|a|)) (2012). SciPy: `scipy.special.log_ndtr`.
    """
    if hazard.pole.cls != "zero" or hazard.guard is not None:
        return "applies only at 0, if no selection hides the value"
    found = facts.tail(hazard.operand, plus=hazard.pole.shift)
    if found is None:
        return "the operand is not a difference that cancels in a tail"
    plain = facts.framework(hazard.node) in PLAIN and not facts.reduced(hazard.node)
    # what a distribution returns as a logarithm is -inf outside of its support
    returned = found.sign == 0 and found.core.op == "cdf" and not hazard.node.users
    harmless = (
        int(plain) * milder(hazard) + 2 * int(returned) + int(facts.absorbed(hazard.node)) + 2 * int(facts.held(found))
    )
    level = confidence(hazard.reach, lowered=harmless)
    yield Finding(
        hazard.node,
        f"log of {name(found)}, which rounds to 0 in a tail: -inf",
        "log(0) = -inf",
        level,
        (hazard.cause,),
        LogOfTail(hazard.node, found),
    )


def name(found: Tail) -> str:
    """What the logarithm is of."""
    if found.core.op in ("square", "pow", "mul"):
        return "1 - tanh**2"
    if found.sign < 0 and found.core.op in ("cdf", "erf"):
        return f"1 - {NAMES[found.core.op].removeprefix('1 + ')}"
    return NAMES[found.core.op]
