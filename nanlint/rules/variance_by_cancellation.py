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
    "div": "x / 0 = inf, and near 0 a quotient of any sign and size",
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
    """A difference of nearly equal numbers that has to be positive.

    ## What it does
    Finds `mean(x**2) - mean(x)**2` in any spelling (weighted, from running sums, with a mean computed elsewhere),
    `((a + d) / 2)**2 - det` and `t - sqrt(t**2 + c)`. They are *likely* if the code takes a root, a logarithm or a
    quotient of the difference, or if a function named like a variance returns it; otherwise *possible*.

    ## Why is this bad?
    Both terms are about `mean(x)**2`, and in float32 the rounding error of each is about 6e-8 times that. If x varies
    little, only this error is left: it can be negative, so that `sqrt` gives NaN, and has no correct digits. An epsilon
    does not help if x is large.

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
    Safe if the difference is used only in a square root, which was NaN below 0: the difference gets a lower bound of 0.
    (The derivative of the root at 0 stays infinite.) Unsafe if an epsilon is added first: numbers between `-eps` and 0
    change. A difference that is used directly is replaced by the library's variance. This is also unsafe: if the terms
    are nearly equal, the digits change (to the right ones).

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
        return "the value at the singular point is not a difference of nearly equal numbers"
    if at.value.neg is NEVER or (at.value.neg < LIKELY and not rounds):
        return "bounded from below, so only an exact 0 is left"
    effect = MADE_OF_IT.get(at.node.op, f"{at.node.op} of a rounding error")
    mended, notes = floor(difference, at, facts), ((at.node, effect),)
    yield Finding(difference, MESSAGE, at.evidence.text, confidence(at.reach), fix=mended, notes=notes)


def floor(difference: Node, hazard: Hazard, facts: Facts) -> FloorAtZero | None:
    """A bound of 0, where what is made of it is finite: of a root, or of what is raised by an eps."""
    raised = not facts.carries(hazard.operand, difference)
    if hazard.pole.cls != "neg" or not (raised or hazard.node.op == "sqrt"):
        return None
    return FloorAtZero(difference, safe=not raised and facts.only_for(difference, frozenset({"sqrt"})))
