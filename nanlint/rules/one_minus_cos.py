"""NL508."""

from __future__ import annotations

from nanlint.analysis.algebra import beside
from nanlint.diagnostic import Applicability
from nanlint.fixes.forms import VERSINE, each
from nanlint.fixes.rewrite import Rewrite
from nanlint.graph.node import Node
from nanlint.hazards.facts import Facts
from nanlint.hazards.record import Seen, form
from nanlint.rules.registry import Finding, Findings, rule


@rule(
    "NL508",
    "one-minus-cos",
    nodes="sub add",
    after="NL203",
    fixable=Applicability.SAFE,
)
def one_minus_cos(difference: Node, facts: Facts) -> Findings:
    for number, sign in ((1, True), (-1, False)):
        term = beside(difference, number, facts.value)
        cos = facts.bare(term.node) if term is not None and term.negative is sign else None
        if cos is not None and cos.op == "cos" and not facts.scalar(cos) and facts.loses_digits(cos["x"]):
            yield Finding(
                difference,
                "one minus a cosine: the subtraction cancels all digits of a small angle",
                "cos(1e-4) = 1 in float32, and 1 - 1 = 0",
                form(Seen.LOSES_DIGITS),
                fix=Rewrite(difference, VERSINE if sign else each(VERSINE, "-form"), {"x": cos["x"]}),
            )
