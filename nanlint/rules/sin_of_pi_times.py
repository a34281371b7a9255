"""NL509."""

from __future__ import annotations

import math

from nanlint.analysis.algebra import monomial
from nanlint.analysis.facts import Facts
from nanlint.diagnostic import Confidence
from nanlint.graph.node import Node
from nanlint.rules.registry import Finding, Findings, rule

#: an angle of so many turns still has all but 7 of its bits
TURNS = 20


@rule("NL509", "sin-of-pi-times", nodes="sin cos", after="NL203")
def sin_of_pi_times(function: Node, facts: Facts) -> Findings:
    """Sine or cosine of a multiple of pi.

    ## What it does
    Finds `sin(pi * x)`, `cos(2 * pi * f * t)` and similar expressions, where x is data without a bound. Data divided by
    a period or a cutoff is not reported, since it is a fraction of a turn.

    ## Why is this bad?
    The product is rounded before the function removes whole turns, and the rounding error grows with x: in float32 the
    angle is off by a quarter of a radian at 1e6 turns, and meaningless at 1e7. `sin(pi * n)` is not 0 either.

    ## Example (bad)
    ```python
    wave = torch.sin(2 * math.pi * x)
    ```

    ## Use instead
    ```python
    wave = torch.sin(2 * math.pi * (x - torch.round(x)))
    ```

    ## Fix safety
    No fix: remove the whole turns (exact in floating point) before multiplying by pi.

    ## References
    IEEE 754-2019, section 9.2: sinPi, cosPi.
    """
    angle = monomial(function["x"], facts.value)
    halves = 2 * angle.number / math.pi
    if not angle.above or angle.below or round(halves) == 0 or abs(halves - round(halves)) > 1e-5 * abs(halves):
        return "not a multiple of pi"
    v = facts.value(function["x"])
    if facts.scalar(function) or max(-v.lo, v.hi) <= TURNS * math.tau or not all(facts.varies(f) for f in angle.above):
        return "the angle is only a few turns, or made of numbers that are visible in the code"
    yield Finding(
        function,
        f"{function.op} of a multiple of pi: the angle is rounded before full turns are removed",
        "off by 0.25 after 1e6 turns (float32)",
        Confidence.POSSIBLE,
    )
