"""NL604."""

from __future__ import annotations

from nanlint.analysis.epsilons import small
from nanlint.diagnostic import Applicability
from nanlint.fixes.clipped_probability import OnLogits
from nanlint.graph.node import Node
from nanlint.hazards.facts import Facts
from nanlint.hazards.record import Seen, form
from nanlint.ops.value import LIKELY, NEVER
from nanlint.rules.registry import Finding, Findings, rule

#: what has a slope of 0 where it is 0, and a logarithm whose slope is not
SATURATING = frozenset({"sigmoid", "softmax", "softmin", "tanh"})


@rule(
    "NL604",
    "epsilon-stops-gradient",
    nodes="log log2 log10",
    fixable=Applicability.DISPLAY,
    frameworks="torch tensorflow jax",
)
def epsilon_stops_gradient(log: Node, facts: Facts) -> Findings:
    total = facts.bare(log["x"])
    if total.op != "add" or facts.value(total).zero is not NEVER:
        return "no epsilon is added, or it does not keep the value away from 0"
    for one, other in (("a", "b"), ("b", "a")):
        p = facts.value(total[other])
        if not small(total[one], facts.value) or p.low < LIKELY or p.lo != 0:
            continue
        why = p.evidence("zero")
        cause = why.node if why is not None else None
        if why is None or cause is None or cause.op not in SATURATING or not facts.differentiated(log):
            continue
        product = facts.partner(log)
        if product is not None and any(facts.same(f, total[other]) for f in facts.factors(product[1])):
            return "an entropy, whose derivative vanishes with p"
        yield Finding(
            log,
            "epsilon in the logarithm of a saturated value: no gradient where the value is 0",
            f"the derivative of log(p + eps) is p' / (p + eps), and p' is 0 where p saturates: it {why.text}",
            form(Seen.FLAT),
            ((cause, why.text),),
            OnLogits(cause) if facts.bare(total[other]) is cause else None,
        )
        return
