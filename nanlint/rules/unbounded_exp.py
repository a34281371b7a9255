"""NL403."""

from __future__ import annotations

from itertools import chain

from nanlint.analysis.growth import both_overflow, chosen_by_regime, multiplied_up
from nanlint.analysis.log_space import closed
from nanlint.analysis.scenarios import SOURCES as ENTERING
from nanlint.analysis.structure import depends
from nanlint.diagnostic import Applicability
from nanlint.fixes.clip_operand import ClipExponent
from nanlint.fixes.logistic_density import LogisticDensity
from nanlint.graph.node import Node, walk
from nanlint.hazards.exponentials import overflow
from nanlint.hazards.exponents import beside_its_exponent, exposed, scales, sources
from nanlint.hazards.facts import OVERFLOW, Facts
from nanlint.hazards.record import Seen, form
from nanlint.hazards.written_out import overflows
from nanlint.ops.frameworks.training import PLAIN
from nanlint.ops.op import Pole
from nanlint.ops.value import POSSIBLE
from nanlint.rules.registry import Finding, Findings, rule

NAN = Pole("result", "nan", "nan")
SOURCES = {
    "network": "is the output of a layer: nothing limits its size",
    "module": "is the output of a model: nothing limits its size",
    "named": "is named like a logarithm: it can be any real number",
    "weight": "is trained: nothing limits its size",
}


@rule(
    "NL403",
    "unbounded-exp",
    nodes="exp exp2 exp10 expm1 cosh sinh div",
    after="NL106 NL401 NL402 NL406",
    fixable=Applicability.SAFE,
)
def unbounded_exp(node: Node, facts: Facts) -> Findings:
    if node.op == "div":
        found = both_overflow(node, facts.value)
        if found is None or facts.hazards.masked_by(node, NAN) is not None:
            return "no exponential that overflows on both sides"
        above, below = found
        if any(facts.hazards.masked_by(exp, OVERFLOW) is not None for exp in found):
            return "a later selection removes the infinity"
        harmless = facts.framework(node) in PLAIN or not facts.gradient.of_learned(node) or chosen_by_regime(node)
        yield Finding(
            node,
            "numerator and denominator overflow because of the same exponential: inf / inf = nan",
            "inf / inf = nan",
            form(Seen.OF_TRAINED, harmless and Seen.UNLEARNED),
            tuple((exp, overflow(exp, facts)) for exp in {above.index: above, below.index: below}.values()),
            LogisticDensity(node),
        )
        return
    if overflows(node, facts) and not facts.scalar(node):
        message = f"{node.op} of a number that is too large: inf"
        yield Finding(node, message, overflow(node, facts), form())
        return
    if node.op not in ("exp", "cosh"):
        return "not the exponential of a constant"
    product = multiplied_up(node)
    if product is None or facts.value(node).pinf < POSSIBLE or not closed(node):
        return (yield from alone(node, facts))
    yield Finding(
        node,
        "exponentials of scores multiplied in a loop: their product overflows, but the sum of logarithms does not",
        overflow(node, facts),
        form(Seen.OF_TRAINED),
        notes=((product, "is carried over to the next iteration"),),
    )


def alone(exp: Node, facts: Facts) -> Findings:
    """An exponential of what is learned, or called a logarithm: log-variances and logits are any real number."""
    found = exposed(exp, facts) if facts.differentiated(exp) and not facts.scalar(exp) else None
    if found is None or facts.tested_for_infinity(exp):
        return "no evidence that the exponent grows, or something bounds it"
    users = list(facts.uses(exp))
    quotients = [user for user in users if user.op == "div" and user["b"] is not exp]
    if not users or any(depends(quotient["b"], exp) for quotient in quotients):
        return "a share of a sum of itself, which NL401 and NL402 check, or nobody uses it"
    called = [n for n in facts.gradient.called_from_outside(exp) if len(n.calls) > len(exp.calls)]
    given = [given_to(n["x"]) for n in called]
    if given and any(given) and not any(exposed(one, facts) for one, data in zip(called, given, strict=True) if data):
        return "every call bounds it"
    leaf = any(n.attrs.get("requires_grad") for n in chain(*map(sources, (one["x"] for one in called))))
    learned = found.kind == "network" or (found.kind == "named" and leaf and beside_its_exponent(exp, facts))
    surely = learned and found.factor >= 1 and scales(exp, facts) and facts.trained(exp)
    yield Finding(
        exp,
        "exponential of an unbounded value: inf, and nan when multiplied by 0",
        overflow(exp, facts),
        form(Seen.OF_TRAINED, not surely and Seen.UNSURE),
        ((found.source, SOURCES[found.kind]),),
        ClipExponent(exp),
    )


def given_to(exponent: Node) -> bool:
    """Whether an exponent is made of more than numbers that are written out."""
    return any(n.op in ENTERING for n in walk(exponent, lambda n: n.args.values(), 200))
