"""NL405."""

from __future__ import annotations

from nanlint.analysis.algebra import terms
from nanlint.analysis.gaps import hidden_by_zero
from nanlint.analysis.growth import EXPONENTIALS
from nanlint.analysis.log_space import probability_of, zero_times_infinity
from nanlint.diagnostic import Applicability
from nanlint.fixes.finite_factor import FiniteFactor
from nanlint.graph.node import CONST, Node
from nanlint.hazards.exponentials import overflows
from nanlint.hazards.facts import Facts
from nanlint.hazards.record import Hazard, Seen, form
from nanlint.ops.op import Pole
from nanlint.ops.value import LIKELY, Evidence, Origin
from nanlint.rules.registry import Finding, Findings, rule

NAN = Pole("result", "nan", "nan")
#: what is -inf for a probability of 0
LOGARITHMS = frozenset({"log", "log_softmax", "log_sigmoid"})


@rule("NL405", "mask-times-inf", nodes="mul mul_no_nan", hazards="mul", fixable=Applicability.SAFE)
def mask_times_inf(at: Node | Hazard, facts: Facts) -> Findings:
    if isinstance(at, Hazard):
        return (yield from zero_times_overflow(at, facts))
    product, plain = at, at.op == "mul"
    data = hidden_by_zero(product) if plain else None
    found = zero_times_infinity(product, facts.value, known=known_to_the_author(facts)) if plain and not data else None
    if plain and not (data or found):
        return "no product of a factor that may be 0 and one that may be infinite"
    if facts.hazards.masked_by(product, NAN) is not None:
        return "a later selection removes the NaN"
    if not plain:
        return (yield from gradient_of_no_nan(product, facts))
    if data is not None:
        yield Finding(
            product,
            "0 * nan is nan: multiplying by 0 does not remove missing values",
            "0 * nan = nan",
            form(Seen.OF_DATA),
            ((data, "can be NaN: the code checks it for NaN"),),
        )
    elif found is not None:
        yield Finding(
            product,
            "0 * inf is nan: multiplying by 0 does not remove the infinity",
            "0 * inf = nan",
            form(Seen.OF_DATA),
            ((found.why.node, found.why.text),) if found.why.node is not None else (),
            FiniteFactor(product, found.infinite, found.zero),
        )


def zero_times_overflow(hazard: Hazard, facts: Facts) -> Findings:
    """A mask, or a rectified number, times an exponential that overflows where it is 0, or times what holds -inf.

    What a quotient or a logarithm makes infinite is told there.
    """
    (other, cls), *_ = hazard.pole.also
    why = facts.value(hazard.node[other]).evidence(cls) or Evidence(
        "contains an infinity", facts.bare(hazard.node[other]), origin=Origin.INTENT
    )
    cause = why.node
    if hazard.guard is not None or cause is None or hazard.value.zero < LIKELY:
        return "a selection hides the product, or there is little evidence that the infinity is multiplied by 0"
    if facts.tests_result(facts.bare(hazard.node[other])):
        return "the infinity is removed before"
    selection = facts.bare(hazard.node[other])
    if "cond" in selection.args and any(facts.same(a, hazard.operand) for a in selection["cond"].args.values()):
        return "where this factor is 0, the other one is replaced"
    if not (facts.varies(hazard.operand) and facts.varies(cause)):
        return "a grid, or numbers that are visible in the code"
    meant = cls == "ninf" and facts.bare(cause).op in ("where", CONST)
    if not meant and (cause.op not in EXPONENTIALS or not overflows(cause, facts) or facts.scalar(cause)):
        return "the other factor does not overflow"
    yield Finding(
        hazard.node,
        "0 * inf is nan: multiplying by 0 does not remove a possible infinity",
        "0 * inf = nan",
        form(Seen.UNSURE),
        ((cause, why.text), hazard.cause),
    )


def gradient_of_no_nan(product: Node, facts: Facts) -> Findings:
    """multiply_no_nan(log p, p): the value is right, the gradient of p is -inf and meets the slope of what made p."""
    logs = [log for t in terms(product["a"]) if (log := facts.bare(t.node)).op in LOGARITHMS]
    core = facts.bare(product["b"])
    if not logs or core.op not in ("softmax", "exp") or not facts.differentiated(product):
        return "no logarithm times its own probability that is differentiated"
    yield Finding(
        product,
        "multiply_no_nan hides -inf from the value, not from the gradient: 0 * -inf = nan",
        "the gradient with respect to the second factor is the first one, -inf",
        form(Seen.OF_TRAINED, facts.doubted(product) and Seen.UNLEARNED),
        ((logs[0], "is -inf where the probability is 0"), (core, "has a derivative of 0 there")),
        FiniteFactor(product, product["a"], product["b"]),
    )


def known_to_the_author(facts: Facts) -> Evidence | None:
    """A product of the same file in which the author hides the -inf of a logarithm by multiply_no_nan."""
    for other in facts.nodes(frozenset({"mul_no_nan"})):
        for term in (facts.bare(t.node) for t in terms(other["a"])):
            inner = facts.bare(term["x"]) if term.op in LOGARITHMS else term
            if term.op in LOGARITHMS and (facts.same(inner, other["b"]) or probability_of(other["b"], term, inner)):
                return Evidence("expects the logarithm of a probability of 0", other, origin=Origin.INTENT)
    return None
