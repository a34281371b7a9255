"""NL510."""

from __future__ import annotations

from nanlint.analysis.algebra import monomial
from nanlint.analysis.structure import square_root_of
from nanlint.graph.node import Node
from nanlint.hazards.facts import Facts
from nanlint.hazards.record import Seen, form
from nanlint.ops.value import INF
from nanlint.rules.registry import Finding, Findings, rule


@rule("NL510", "exp-of-square", nodes="exp", after="NL203 NL403")
def exp_of_square(exp: Node, facts: Facts) -> Findings:
    exponent = monomial(exp["x"], facts.value)
    if facts.scalar(exp) or len(exponent.above) < 2 or exponent.below or not rising(exp, exponent.number, facts):
        return "the exponent is not an increasing square"
    bases = {f.key for f in exponent.above}
    squared = (
        all(sum(f.key == key for f in exponent.above) == 2 for key in bases) or square_root_of(exp["x"]) is not None
    )
    if not squared or not all(facts.varies(f) for f in exponent.above):
        return "the exponent is not a square of data"
    v = facts.value(exponent.above[0])
    if max(-v.lo, v.hi) < INF:
        return "the squared value is bounded"
    limit = v.format.exp_overflow**0.5
    yield Finding(
        exp,
        "exponential of a square: overflows early, and amplifies the rounding error of the square",
        f"exp(x**2) = inf above {limit:.1f} ({v.format.name})",
        form(Seen.LOSES_DIGITS),
    )


def rising(exp: Node, number: float, facts: Facts) -> bool:
    """Whether the exponential grows with the square, or something is divided by it where it falls."""
    if number > 0:
        return not any(user.op == "div" and user["b"] is exp for user in exp.users)
    return any(user.op == "div" and facts.bare(user["b"]) is exp for user in exp.users)
