"""NL105."""

from __future__ import annotations

from nanlint.analysis.algebra import beside
from nanlint.analysis.facts import Facts
from nanlint.diagnostic import Applicability, Confidence
from nanlint.fixes.forms import LOG1P, of
from nanlint.fixes.rewrite import Rewrite
from nanlint.graph.node import Node
from nanlint.rules.registry import Finding, Findings, rule


@rule(
    "NL105",
    "log-of-one-plus",
    nodes="log",
    after="NL101 NL102 NL103 NL104 NL106 NL107 NL108 NL109 NL203",
    fixable=Applicability.SAFE,
)
def log_of_one_plus(log: Node, facts: Facts) -> Findings:
    """Log of 1 plus a small number.

    ## What it does
    Finds `log(1 + x)` and `log(1 - x)`, in any spelling, where x may be small and is not a whole number. This loses
    accuracy but gives no NaN, so the finding is always *possible*.

    ## Why is this bad?
    `1 + x` is rounded to a multiple of 1.2e-7 in float32, so most digits of a small x are lost before the logarithm:
    three digits remain of 1e-4, none of 1e-8.

    ## Example (bad)
    ```python
    y = torch.log(1 + x)
    ```

    ## Use instead
    ```python
    y = torch.log1p(x)
    ```

    ## Fix safety
    Safe: equal up to the rounding of `1 + x`, with the same gradient.

    ## References
    Goldberg: What every computer scientist should know about floating-point arithmetic (1991), theorem 4.
    """
    term = beside(log["x"], 1, facts.value)
    if term is None or facts.scalar(log) or not facts.loses_digits(term.node):
        return "no sum of 1 and something that may be small"
    yield Finding(
        log,
        "log of 1 plus a small number, most of which is lost in rounding",
        "1 + 1e-8 = 1 in float32, and log(1) = 0",
        Confidence.POSSIBLE,
        fix=Rewrite(log, of(LOG1P, "-x") if term.negative else LOG1P, {"x": term.node}),
    )
