"""NL503."""

from __future__ import annotations

from nanlint.analysis.cancellation import AVERAGES
from nanlint.analysis.facts import Facts
from nanlint.analysis.hazards import Hazard
from nanlint.diagnostic import Applicability, Confidence
from nanlint.fixes.floor_at_zero import FloorAtZero
from nanlint.fixes.two_pass_variance import TwoPassVariance
from nanlint.graph.node import Node
from nanlint.ops.value import LIKELY, NEVER, Origin
from nanlint.rules.registry import Finding, Findings, confidence, rule

#: what an op makes of a number just below 0, or of 0
MADE_OF_IT = {
    "sqrt": "sqrt of a negative number is nan",
    "rsqrt": "1 / sqrt of a negative number is nan",
    "log": "log of a negative number is nan",
    "div": "x / 0 = inf, and of any sign and size beside it",
}
MESSAGE = "difference of nearly equal numbers: rounding can make it 0 or negative"


@rule(
    "NL503",
    "variance-by-cancellation",
    nodes="sub",
    hazards="sqrt rsqrt log log2 log10 pow div reciprocal",
    after="NL203",
    fixable=Applicability.SAFE,
)
def variance_by_cancellation(at: Node | Hazard, facts: Facts) -> Findings:
    """A difference of nearly equal numbers where only a positive one will do.

    ## What it does
    Finds `mean(x**2) - mean(x)**2` in any spelling (weighted, of running sums, with a mean from elsewhere), and with it
    `((a + d) / 2)**2 - det` and `t - sqrt(t**2 + c)`: likely where a root, a logarithm or a quotient is made of it, or
    where a function that is called a variance returns it; possible on its own.

    ## Why is this bad?
    Both terms are about `mean(x)**2`, and the rounding error of either is as large as that times 6e-8 in float32. What
    is left where x varies little is that error: of either sign, so that `sqrt` is NaN, or without a correct digit. An
    epsilon does not help where x is large.

    ## Example (bad)
    ```python
    mean = x.mean(-1, keepdim=True)
    std = torch.sqrt((x**2).mean(-1, keepdim=True) - mean**2)
    ```

    ## Use instead
    ```python
    mean = x.mean(-1, keepdim=True)
    std = torch.sqrt(((x - mean) ** 2).mean(-1, keepdim=True))
    ```

    ## Fix safety
    Safe where a square root is all that is made of the difference, which was NaN below 0: the difference gets a lower
    bound of 0. (The slope of the root at 0 stays infinite.) Unsafe where an epsilon is added first: numbers between
    `-eps` and 0 change. A difference that is used for itself becomes the library's own variance, which is unsafe
    too: where the terms are nearly equal its digits are others, namely right.

    ## References
    Chan, Golub, LeVeque: Algorithms for computing the sample variance (1983).
    """
    if isinstance(at, Node):
        if facts.cancels(at) and not facts.floored(at):
            effect, alone = "only rounding error is left where both are nearly equal", TwoPassVariance(at)
            surely = facts.bare(at["a"]).op in AVERAGES and facts.returned_as_variance(at)
            yield Finding(at, MESSAGE, effect, Confidence.LIKELY if surely else Confidence.POSSIBLE, (), alone)
        return
    difference = at.evidence.node
    rounds = at.evidence.origin is Origin.ROUNDING
    if difference is None or not (rounds or facts.cancels(difference)) or at.guard is not None:
        return "what reaches the pole is no difference of numbers that are nearly equal"
    if at.value.neg is NEVER or (at.value.neg < LIKELY and not rounds):
        return "bounded from below: what is left is an ordinary zero"
    effect = MADE_OF_IT.get(at.node.op, f"{at.node.op} of what rounding left")
    mended, notes = floor(difference, at, facts), ((at.node, effect),)
    yield Finding(difference, MESSAGE, at.evidence.text, confidence(at.reach), fix=mended, notes=notes)


def floor(difference: Node, hazard: Hazard, facts: Facts) -> FloorAtZero | None:
    """A bound of 0, where what is made of it is finite: of a root, or of what is raised by an eps."""
    raised = not facts.carries(hazard.operand, difference)
    if hazard.pole.cls != "neg" or not (raised or hazard.node.op == "sqrt"):
        return None
    return FloorAtZero(difference, safe=not raised and facts.only_for(difference, frozenset({"sqrt"})))
