"""NL501 and NL502: an epsilon that does nothing, and a bound of 1 - epsilon that is 1."""

from __future__ import annotations

from nanlint.analysis.epsilons import Epsilon
from nanlint.analysis.facts import Facts
from nanlint.diagnostic import Applicability, Confidence
from nanlint.fixes.epsilon import MendEpsilon
from nanlint.graph.node import Node
from nanlint.rules.registry import Finding, Findings, rule

POLES = "log log2 log10 log1p sqrt rsqrt div reciprocal atanh acos asin erfinv"

MESSAGE = {
    "rounds to 0": "an epsilon that is too small for the precision of the value that it is added to",
    "subtracted": "a subtracted epsilon: it moves the singularity to values that can occur",
    "multiplied": "an epsilon used as a factor: 0 stays 0",
    "too late": "an epsilon after the logarithm: -inf stays -inf",
}


def found(node: Node, one: Epsilon, message: str) -> Finding:
    """What is said of an epsilon: possible where the finding at the pole shows it."""
    level = Confidence.POSSIBLE if one.reached else Confidence.LIKELY
    notes = ((node, "is the value that the epsilon should protect"),)
    return Finding(one.place, message, one.why, level, fix=MendEpsilon(one), notes=notes)


@rule("NL501", "epsilon-below-dtype", nodes=POLES, fixable=Applicability.UNSAFE)
def epsilon_below_dtype(node: Node, facts: Facts) -> Findings:
    """Epsilon that has no effect.

    ## What it does
    Finds epsilons for a logarithm, a root or a division that do not prevent the NaN or Inf: below the smallest number
    of a half-precision format, subtracted, multiplied, or added after the logarithm.

    ## Why is this bad?
    `1e-8` is 0 in float16 (where the smallest number is 6e-8, and 1/x is inf below 1.5e-5). `log(p - eps)` is NaN for p
    = 0, where `log(p)` was only -inf. `x / (norm * eps)` divides by 0 as before, and `log(p) + eps` is still -inf. The
    guard looks effective but protects nothing.

    ## Example (bad)
    ```python
    log_p = torch.log(p.half() + 1e-8)
    ```

    ## Use instead
    ```python
    log_p = torch.log(p.half() + 1e-4)
    ```

    ## Fix safety
    Unsafe: the new epsilon takes effect, so small values change by about its size.

    ## References
    IEEE 754-2019, section 3.6. PyTorch: type info, `torch.finfo`.
    """
    for one in facts.epsilons(node):
        if one.flaw in MESSAGE:
            yield found(node, one, MESSAGE[one.flaw])


@rule("NL502", "one-minus-epsilon", nodes=POLES, fixable=Applicability.UNSAFE)
def one_minus_epsilon(node: Node, facts: Facts) -> Findings:
    """A bound of 1 - epsilon that rounds to 1.

    ## What it does
    Finds `1 - clip(p, eps, 1 - eps)` and `1 + eps - p` before a logarithm or a division, and `clip(x, -1 + eps, 1 -
    eps)` before `atanh`, `acos` or `asin`, where 1 - eps (or 1 + eps) is 1 in the format of the array.

    ## Why is this bad?
    In float32 the distance between numbers is 6e-8 just below 1, and 1.2e-7 just above: `1 - 1e-8` is exactly 1. The
    clip does not change p = 1, and `log(1 - p)` is -inf. `log(p + 1e-8)` has no such problem, since floating-point
    numbers are dense only near 0.

    ## Example (bad)
    ```python
    clipped = torch.clamp(p, 1e-8, 1 - 1e-8)
    loss = -torch.log(1 - clipped)
    ```

    ## Use instead
    ```python
    clipped = torch.clamp(p, 1e-8, 1 - 1e-6)
    loss = -torch.log(1 - clipped)
    ```

    ## Fix safety
    Unsafe: values above the new bound become the bound. With 1e-6, the logarithm of 1 - p is never below -13.8.

    ## References
    Goldberg: What every computer scientist should know about floating-point arithmetic (1991).
    """
    for one in facts.epsilons(node):
        if one.flaw == "rounds to 1":
            yield found(node, one, "a bound that is exactly 1: its epsilon is lost in rounding")
