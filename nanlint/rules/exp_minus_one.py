"""NL504."""

from __future__ import annotations

from nanlint.analysis.algebra import Term, beside
from nanlint.diagnostic import Applicability
from nanlint.fixes.forms import EXPM1, each
from nanlint.fixes.rewrite import Rewrite
from nanlint.graph.node import Node
from nanlint.hazards.exponentials import tangent
from nanlint.hazards.facts import Facts
from nanlint.hazards.record import Seen, form
from nanlint.rules.registry import Finding, Findings, rule


@rule(
    "NL504",
    "exp-minus-one",
    nodes="sub add",
    after="NL203",
    fixable=Applicability.SAFE,
)
def exp_minus_one(difference: Node, facts: Facts) -> Findings:
    found = minus_one(difference, facts)
    if found is None or facts.scalar(found.node) or not facts.loses_digits(found.node["x"]):
        return "no exponential of something small, minus 1"
    if any(user.op == "div" and tangent(user, facts) is not None for user in difference.users):
        return "part of a tanh, which NL406 reports"
    templates = each(EXPM1, "-form") if found.negative else EXPM1
    yield Finding(
        difference,
        "exponential minus one: the subtraction cancels all digits of a small argument",
        "exp(1e-8) = 1 in float32, and 1 - 1 = 0",
        form(Seen.LOSES_DIGITS),
        fix=Rewrite(difference, templates, {"x": found.node["x"]}),
    )


def minus_one(difference: Node, facts: Facts) -> Term | None:
    """The exponential of exp(x) - 1, or (negative) of 1 - exp(x)."""
    for number, negative in ((-1, False), (1, True)):
        term = beside(difference, number, facts.value)
        exp = facts.bare(term.node) if term is not None else None
        if term is not None and exp is not None and exp.op == "exp" and term.negative is negative:
            return Term(exp, negative)
    return None
