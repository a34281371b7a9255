"""NL401."""

from __future__ import annotations

from nanlint.diagnostic import Applicability
from nanlint.fixes.softmax import Softmax
from nanlint.graph.node import LOOP, Node
from nanlint.hazards.exponentials import overflow, shifted
from nanlint.hazards.facts import Facts
from nanlint.hazards.record import Seen, form
from nanlint.ops.value import NEVER, POSSIBLE
from nanlint.rules.registry import Finding, Findings, rule


@rule("NL401", "handwritten-softmax", nodes="div exp", fixable=Applicability.SAFE)
def handwritten_softmax(quotient: Node, facts: Facts) -> Findings:
    if quotient.op == "exp":
        return (yield from shift_undone(quotient, facts))
    denominator = facts.origin(quotient["b"], "sum")
    added = element(denominator["x"], facts) if denominator is not None else added_up(quotient["b"], facts)
    if added is None:
        return "the denominator is not a sum"
    alone = facts.origin(quotient["a"], "exp") if denominator is not None else None
    above = alone or element(quotient["a"], facts)
    if not facts.same(above, facts.origin(added, "exp") or added):
        return "the denominator is not a sum of the numerator"
    numerator = next((f for f in facts.factors(above) if f.op == "exp"), None)
    as_set = facts.as_set(numerator).pinf if numerator is not None else NEVER
    # a cosine over 0.5 is small, and over 0.01 it is not, whatever else the setting might be
    if numerator is None or as_set is NEVER or not (as_set >= POSSIBLE or facts.may_overflow(numerator)):
        return "no exponential that overflows"
    yield Finding(
        quotient,
        "handwritten softmax without subtracting the maximum: inf / inf = nan for large logits",
        "inf / inf = nan",
        form(shifted([numerator], facts) and Seen.UNSURE),
        ((numerator, overflow(numerator, facts)),),
        Softmax(quotient, numerator, denominator) if alone is not None and denominator is not None else None,
    )


def element(array: Node, facts: Facts) -> Node:
    """What is stored into an array one by one, in a loop or a comprehension; else the array."""
    node = facts.bare(array)
    while node.op == "tensor":
        node = facts.bare(node["x"])
    turn = facts.bare(node["back"]) if node.op == LOOP and "back" in node.args else node
    held = {"stored": "b", "list": "each"}.get(turn.op, "")
    return facts.bare(turn[held]) if held in turn.args else node


def added_up(total: Node, facts: Facts) -> Node | None:
    """What a loop adds to a number, turn by turn."""
    loop = facts.bare(total)
    turn = facts.bare(loop["back"]) if loop.op == LOOP and "back" in loop.args else loop
    terms = [facts.bare(turn[k]) for k in ("a", "b")] if turn.op == "add" else []
    return next((term for term in terms if term is not loop), None) if loop in terms else None


def shift_undone(exp: Node, facts: Facts) -> Findings:
    """The exponential of a maximum, multiplied back to a sum of exponentials that was shifted by it."""
    top = facts.bare(exp["x"])
    if top.op != "max":
        return "the exponent is not a maximum"
    for product in exp.users:
        others = facts.factors(product) if product.op == "mul" else []
        shifted = next((e for f in others for e in summed(f, facts) if shifted_by(e, top, facts)), None)
        if shifted is not None:
            yield Finding(
                product,
                "subtracting the maximum has no effect: the result is multiplied by its exponential, which can be "
                "inf or 0",
                "exp(-104) = 0, and 0 / 0 = nan after the next normalisation",
                form(Seen.OF_TRAINED),
                ((exp, "overflows or underflows like the sum without the shift"),),
            )


def summed(node: Node, facts: Facts) -> list[Node]:
    total = facts.origin(node, "sum")
    return facts.factors(total["x"]) if total is not None else []


def shifted_by(exp: Node, top: Node, facts: Facts) -> bool:
    """Whether a factor is an exponential shifted by this maximum."""
    exponent = facts.bare(exp["x"]) if exp.op == "exp" else exp
    return exp.op == "exp" and exponent.op == "sub" and facts.same(exponent["b"], top)
