"""NL406."""

from __future__ import annotations

from nanlint.diagnostic import Applicability
from nanlint.fixes.forms import TANH, each, of
from nanlint.fixes.rewrite import Rewrite
from nanlint.graph.node import Node
from nanlint.hazards.exponentials import Tangent, overflow, tangent
from nanlint.hazards.facts import Facts
from nanlint.hazards.record import Seen, form
from nanlint.rules.registry import Finding, Findings, rule


@rule("NL406", "handwritten-tanh", nodes="div", fixable=Applicability.SAFE)
def handwritten_tanh(quotient: Node, facts: Facts) -> Findings:
    found = tangent(quotient, facts)
    if found is None:
        return "no tanh of exponentials"
    yield Finding(
        quotient,
        "handwritten tanh: inf / inf = nan for large arguments",
        "inf / inf = nan",
        form(Seen.OF_TRAINED),
        ((found.exp, overflow(found.exp, facts)),),
        tanh(quotient, found, facts),
    )


def tanh(quotient: Node, found: Tangent, facts: Facts) -> Rewrite:
    """The quotient as tanh; half of an argument that is written as 2 * x is x."""
    x, scale = halved(found.x, found.scale, facts) if abs(found.scale) == 0.5 else (found.x, found.scale)
    templates = TANH if abs(scale) == 1 else of(TANH, "x / 2")
    return Rewrite(quotient, templates if scale > 0 else each(templates, "-form"), {"x": x})


def halved(x: Node, scale: float, facts: Facts) -> tuple[Node, float]:
    """``scale`` times x, without a minus sign and a factor of 2 that x is written with."""
    inner = facts.bare(x)
    if inner.op == "neg":
        return halved(inner["x"], -scale, facts)
    if inner.op == "mul":
        for one, other in (("a", "b"), ("b", "a")):
            c = facts.value(inner[one]).constant
            if c is not None and abs(c) == 2:
                return inner[other], scale * c
    return x, scale
