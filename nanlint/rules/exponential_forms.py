"""NL106, NL107 and NL402: logarithms and quotients of exponentials written by hand."""

from __future__ import annotations

from collections.abc import Iterator

from nanlint.analysis.facts import Facts
from nanlint.analysis.gradient import PLAIN
from nanlint.diagnostic import Confidence
from nanlint.graph.node import Node
from nanlint.ops.op import Pole
from nanlint.ops.value import POSSIBLE
from nanlint.rules.registry import Finding, rule

OVERFLOW = Pole("result", "pinf", "inf")


def overflowing_exp(node: Node, facts: Facts) -> Node | None:
    """The exp among a node's factors whose exponent has no upper bound."""
    for factor in facts.factors(node):
        exp = facts.origin(factor, "exp")
        if exp is not None and facts.value(exp).pinf >= POSSIBLE:
            return exp
    return None


def summed_exp(node: Node, facts: Facts) -> Node | None:
    """The overflowing exp in a sum, a mean, or an addition of two (cosh written out, or by its name)."""
    for factor in facts.factors(node):
        if factor.op == "div" and facts.value(factor["b"]).constant is not None:
            return summed_exp(factor["a"], facts)
        if factor.op == "cosh" and facts.value(factor).pinf >= POSSIBLE:
            return factor
        if factor.op == "add":
            both = [overflowing_exp(factor[k], facts) for k in ("a", "b")]
            if None not in both:
                return both[0]
    total = facts.origin(node, "sum", "mean")
    return overflowing_exp(total["x"], facts) if total is not None else None


def hidden(exp: Node, facts: Facts) -> bool:
    """Whether a selection takes the result only where the exponential does not overflow."""
    return facts.hazards.masked_by(exp, OVERFLOW) is not None


def why(exp: Node, facts: Facts) -> tuple[tuple[Node, str], ...]:
    """The exponential as a cause."""
    evidence = facts.value(exp).evidence("pinf")
    return ((exp, evidence.text if evidence else "overflows"),)


@rule("NL106", "log-of-sum-of-exp", nodes="log log1p")
def log_of_sum_of_exp(log: Node, facts: Facts) -> Iterator[Finding]:
    """Log of a sum of exponentials, without subtracting the maximum.

    ## What it does
    Finds `log(sum(exp(x)))` and `log(mean(w * exp(x)))` whose exponent has no upper bound.

    ## Why is this bad?
    `exp` overflows to inf above 88 in float32, and with all exponents below -104 the sum is 0 and its log -inf.

    ## Example (bad)
    ```python
    log_z = torch.log(torch.sum(torch.exp(scores), dim=-1))
    ```

    ## Use instead
    ```python
    log_z = torch.logsumexp(scores, dim=-1)
    ```

    ## Fix safety
    No fix yet.

    ## References
    Blanchard, Higham, Higham: Accurately computing the log-sum-exp and softmax functions (2021).
    """
    exp = summed_exp(log["x"], facts)
    if exp is None or hidden(exp, facts):
        return
    yield Finding(
        log,
        "log of a sum of exponentials without max-subtraction: inf for large, -inf for small exponents",
        "log(inf) = inf, log(0) = -inf",
        Confidence.LIKELY,
        why(exp, facts),
    )


@rule("NL107", "handwritten-softplus", nodes="log log1p")
def handwritten_softplus(log: Node, facts: Facts) -> Iterator[Finding]:
    """Softplus written as log(1 + exp(x)).

    ## What it does
    Finds `log(1 + exp(x))` and `log1p(exp(x))` whose exponent has no upper bound; `-log1p(exp(-x))` is the log of a
    sigmoid written so.

    ## Why is this bad?
    `exp` overflows to inf above 88 in float32; the value, about x, becomes inf and its gradient nan.

    ## Example (bad)
    ```python
    loss = torch.log1p(torch.exp(-margin)).mean()
    ```

    ## Use instead
    ```python
    loss = F.softplus(-margin).mean()
    ```

    ## Fix safety
    No fix yet.

    ## References
    Mächler: Accurately computing log(1 - exp(-|a|)) (2012).
    """
    inner = facts.bare(log["x"])
    if log.op == "log":
        if inner.op != "add":
            return
        terms = [inner["a"], inner["b"]]
        rest = [t for t in terms if not facts.is_constant(t, 1)]
        if len(rest) != 1:
            return
        inner = facts.bare(rest[0])
    exp = inner if inner.op == "exp" and facts.value(inner).pinf >= POSSIBLE else None
    if exp is None or hidden(exp, facts):
        return
    yield Finding(
        log,
        "handwritten softplus: exp overflows where softplus(x) is about x",
        "log(1 + inf) = inf, its gradient nan",
        Confidence.LIKELY,
        why(exp, facts),
    )


@rule("NL402", "handwritten-sigmoid", nodes="div reciprocal")
def handwritten_sigmoid(quotient: Node, facts: Facts) -> Iterator[Finding]:
    """Sigmoid written as 1 / (1 + exp(-x)).

    ## What it does
    Finds `1 / (1 + exp(-x))` and `exp(x) / (1 + exp(x))` whose exponent has no upper bound.

    ## Why is this bad?
    `exp` overflows to inf above 88 in float32. The value of the first form is still 0, its gradient `0 * inf =
    nan`; the
    second form is `inf / inf = nan` at once.

    ## Example (bad)
    ```python
    gate = 1 / (1 + torch.exp(-x))
    ```

    ## Use instead
    ```python
    gate = torch.sigmoid(x)
    ```

    ## Fix safety
    No fix yet.

    ## References
    SciPy: `scipy.special.expit`.
    """
    below = facts.bare(quotient["b"] if quotient.op == "div" else quotient["x"])
    if below.op != "add":
        return
    rest = [t for t in (below["a"], below["b"]) if not facts.is_constant(t, 1)]
    exp = facts.bare(rest[0]) if len(rest) == 1 else None
    if exp is None or exp.op != "exp" or facts.value(exp).pinf < POSSIBLE:
        return
    above = facts.bare(quotient["a"]) if quotient.op == "div" else None
    both_overflow = above is not None and facts.same(above, exp)
    if not both_overflow and (facts.framework(quotient) in PLAIN or not facts.differentiated(quotient)):
        level = Confidence.POSSIBLE
    else:
        level = Confidence.LIKELY
    yield Finding(
        quotient,
        "handwritten sigmoid: exp overflows, and the gradient is nan there",
        "inf / inf = nan" if both_overflow else "d/dx = 0 * inf = nan once exp overflows",
        level,
        why(exp, facts),
    )
