"""NL107."""

from __future__ import annotations

from nanlint.analysis.algebra import beside
from nanlint.analysis.exponentials import overflow, overflows
from nanlint.analysis.facts import Facts
from nanlint.diagnostic import Applicability, Confidence
from nanlint.fixes.forms import SOFTPLUS, SOFTPLUS_OF_DOUBLES
from nanlint.fixes.rewrite import Rewrite
from nanlint.graph.node import Node
from nanlint.rules.registry import Finding, Findings, rule


@rule("NL107", "handwritten-softplus", nodes="log log1p", fixable=Applicability.SAFE)
def handwritten_softplus(log: Node, facts: Facts) -> Findings:
    """Softplus written as log(1 + exp(x)).

    ## What it does
    Finds `log(1 + exp(x))` and `log1p(exp(x))` whose exponent has no upper bound, and `-log1p(exp(-x))`, the log of a
    sigmoid.

    ## Why is this bad?
    `exp` overflows to inf above 88 in float32; then the result, which should be about x, is inf, and its gradient nan.

    ## Example (bad)
    ```python
    loss = torch.log1p(torch.exp(-margin)).mean()
    ```

    ## Use instead
    ```python
    loss = F.softplus(-margin).mean()
    ```

    ## Fix safety
    Safe: equal wherever the original is finite, and more exact for negative x. PyTorch's `F.softplus` returns x itself
    above its threshold of 20, which is an error of 2e-9: too small for float32, but 5e5 ulps in float64. Where the
    tensors are float64 the threshold is 40, above which it is exact.

    ## References
    Mächler: Accurately computing log(1 - exp(-|a|)) (2012).
    """
    inner = log["x"]
    if log.op == "log":
        term = beside(inner, 1, facts.value)
        if term is None or term.negative:
            return "no sum of 1 and an exponential"
        inner = term.node
    exp = facts.bare(inner)
    if exp.op != "exp" or facts.scalar(log) or not overflows(exp, facts):
        return "no sum of 1 and an exponential that overflows"
    forms = SOFTPLUS_OF_DOUBLES if facts.value(exp["x"]).format.precision > 24 else SOFTPLUS
    yield Finding(
        log,
        "handwritten softplus: exp overflows where softplus(x) is about x",
        "log(1 + inf) = inf, and its gradient is nan",
        Confidence.LIKELY,
        ((exp, overflow(exp, facts)),),
        Rewrite(log, forms, {"x": exp["x"]}),
    )
