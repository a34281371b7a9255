"""NL402."""

from __future__ import annotations

from nanlint.diagnostic import Applicability
from nanlint.fixes.forms import SIGMOID, each, of
from nanlint.fixes.rewrite import Rewrite
from nanlint.graph.node import Node
from nanlint.hazards.exponentials import Logistic, logistic, overflow, tangent
from nanlint.hazards.facts import Facts
from nanlint.hazards.record import Seen, form
from nanlint.ops.frameworks.training import PLAIN
from nanlint.rules.registry import Finding, Findings, rule


@rule("NL402", "handwritten-sigmoid", nodes="div reciprocal pow", fixable=Applicability.SAFE)
def handwritten_sigmoid(quotient: Node, facts: Facts) -> Findings:
    found = logistic(quotient, facts)
    if found is None or facts.scalar(found.exp) or not facts.may_overflow(found.exp):
        return "no sigmoid of an exponential that overflows without an exception"
    if quotient.op == "div" and tangent(quotient, facts) is not None:
        return "a tanh, which NL406 reports"
    plain = facts.framework(quotient) in PLAIN
    unseen = not plain and not facts.gradient.of_learned(quotient)
    harmless = unseen or (not found.both and (plain or facts.doubted(quotient)))
    yield Finding(
        quotient,
        "handwritten sigmoid: exp overflows, and the gradient is nan there",
        "inf / inf = nan" if found.both else "d/dx = 0 * inf = nan once exp overflows",
        form(Seen.OF_TRAINED, harmless and Seen.UNLEARNED),
        ((found.exp, overflow(found.exp, facts)),),
        sigmoid(quotient, found, facts),
    )


def sigmoid(quotient: Node, found: Logistic, facts: Facts) -> Rewrite | None:
    """The quotient as a sigmoid, times its numerator where that is not 1; None where that overflows too."""
    templates = of(SIGMOID, "-x") if found.negative else SIGMOID
    operands = {"x": found.exp["x"]}
    if found.rest is None:
        return Rewrite(quotient, templates, operands)
    if found.both:
        return None
    if facts.is_constant(found.rest, -1):
        return Rewrite(quotient, each(templates, "-form"), operands)
    return Rewrite(quotient, each(templates, "rest * form"), {**operands, "rest": found.rest})
