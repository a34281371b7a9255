"""NL107."""

from __future__ import annotations

from nanlint.analysis.algebra import beside
from nanlint.diagnostic import Applicability
from nanlint.fixes.forms import SOFTPLUS, SOFTPLUS_OF_DOUBLES
from nanlint.fixes.rewrite import Rewrite
from nanlint.graph.node import Node
from nanlint.hazards.exponentials import overflow, overflows
from nanlint.hazards.facts import Facts
from nanlint.hazards.record import Seen, form
from nanlint.rules.registry import Finding, Findings, rule


@rule("NL107", "handwritten-softplus", nodes="log log1p", fixable=Applicability.SAFE)
def handwritten_softplus(log: Node, facts: Facts) -> Findings:
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
        form(Seen.OF_TRAINED),
        ((exp, overflow(exp, facts)),),
        Rewrite(log, forms, {"x": exp["x"]}),
    )
