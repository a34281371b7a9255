"""NL508."""

from __future__ import annotations

from nanlint.analysis.algebra import beside
from nanlint.analysis.facts import Facts
from nanlint.diagnostic import Applicability, Confidence
from nanlint.fixes.forms import VERSINE, each
from nanlint.fixes.rewrite import Rewrite
from nanlint.graph.node import Node
from nanlint.rules.registry import Finding, Findings, rule


@rule(
    "NL508",
    "one-minus-cos",
    nodes="sub add",
    after="NL203",
    fixable=Applicability.SAFE,
)
def one_minus_cos(difference: Node, facts: Facts) -> Findings:
    """One minus a cosine.

    ## What it does
    Finds `1 - cos(x)` and `cos(x) - 1`, in any spelling, where x may be small.

    ## Why is this bad?
    For small x, the cosine is just below 1 and rounded to a multiple of 6e-8 (float32), and the subtraction leaves the
    rounding error: for x below 2e-4 the result is 0 instead of x**2 / 2.

    ## Example (bad)
    ```python
    y = 1 - torch.cos(x)
    ```

    ## Use instead
    ```python
    y = 2 * torch.sin(x / 2) ** 2
    ```

    ## Fix safety
    Safe: equal up to the rounding of `1 - cos(x)`, in value and gradient.

    ## References
    Goldberg: What every computer scientist should know about floating-point arithmetic (1991), section 1.4.
    """
    for number, sign in ((1, True), (-1, False)):
        term = beside(difference, number, facts.value)
        cos = facts.bare(term.node) if term is not None and term.negative is sign else None
        if cos is not None and cos.op == "cos" and not facts.scalar(cos) and facts.loses_digits(cos["x"]):
            yield Finding(
                difference,
                "one minus a cosine: the subtraction cancels all digits of a small angle",
                "cos(1e-4) = 1 in float32, and 1 - 1 = 0",
                Confidence.POSSIBLE,
                fix=Rewrite(difference, VERSINE if sign else each(VERSINE, "-form"), {"x": cos["x"]}),
            )
