"""Evidence that the form of an expression gives where its operands say nothing.

Each form answers for one hazard: why its operand may be at the pole, or None.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from nanlint.analysis.cancellation import tail
from nanlint.analysis.geometry import (
    power_of_cosine,
)
from nanlint.analysis.names import is_target
from nanlint.analysis.structure import Evaluate, bare, factors, same
from nanlint.graph.node import ATTR, CALL, CONST, LOOP, PARAM, PHI, Node, walk
from nanlint.ops.contracts import CONSTRAINTS
from nanlint.ops.op import Pole
from nanlint.ops.value import NEVER, POSSIBLE, UNKNOWN, Evidence, Origin

LOGARITHMS = frozenset({"log", "log1p"})
CONSTRAINED = frozenset(CONSTRAINTS.values())
#: nodes of which only the outside knows what they are
UNKNOWNS = frozenset({PARAM, ATTR, CALL})


def evidence_by_form(node: Node, pole: Pole, operand: Node, value: Evaluate) -> Evidence | None:
    """Evidence for ``node`` being at ``pole``, from the way it is written."""
    form = FORMS.get(node.op) if pole.cls == "zero" else None
    if form is not None and (found := form(node, operand, value)) is not None:
        return found
    return power_of_cosine_at_its_end(node, pole) if node.op == "pow" else None


def power_of_cosine_at_its_end(node: Node, pole: Pole) -> Evidence | None:
    """cos(v) ** (1 / a): meant for angles up to pi/2, where rounding takes the cosine below 0."""
    if pole.cls != "neg" or not power_of_cosine(node):
        return None
    return Evidence(
        "is a cosine that ends at 0: rounding can make it negative there",
        node["x"],
        origin=Origin.ROUNDING,
    )


def factor_of_log(node: Node, operand: Node, value: Evaluate) -> Evidence | None:
    """p * log(p), and (a - 1) * log(x): the factor is 0 where the logarithm is -inf, or for a legal parameter.

    log(-log(u)) of a uniform draw: a Gumbel sample.
    """
    own = own_logarithm(node)
    if own is not None and value(operand).lo <= 0 and may_vanish(operand, value) and may_vanish(own[1], value):
        return Evidence(
            "is multiplied by its own logarithm, as in an entropy, where the term should be 0 at 0",
            operand,
            origin=Origin.ATTAINED,
        )
    if bare(operand).op == "uniform" and any(u.op in LOGARITHMS for n in node.users if n.op == "neg" for u in n.users):
        return Evidence("a uniform random number can be exactly 0", operand, origin=Origin.ATTAINED)
    for product in node.users:
        if product.op != "mul":
            continue
        other = product["b"] if product["a"] is node else product["a"]
        terms = [bare(f) for f in factors(other)]
        probability = value(operand).lo == 0 and value(operand).hi == 1 and not value(operand).whole
        if value(operand).zero is POSSIBLE and probability and value(other).zero is not NEVER:
            return Evidence(
                "is named like a probability, and the other factor may be 0 where it is 0",
                operand,
                origin=Origin.SATURATION,
            )
        if cross_entropy(product, other, operand):
            return Evidence(
                "is the probability in a cross-entropy: exactly 0 when the model saturates",
                operand,
                origin=Origin.SATURATION,
            )
        if any(shifted_parameter(t, value) for t in terms) and unguarded(operand):
            return Evidence(
                "is the base of a power computed in log space: 0 to the power of 0 gives nan",
                operand,
                origin=Origin.BOUND,
            )
    return None


def own_logarithm(log: Node) -> tuple[Node, Node] | None:
    """p * log(p), p * (log(p) - q), p * log(p / q): the product, and its other factor, which the log is of."""
    inside = [log["x"], *factors(log["x"]), *(f for d in factors(log["x"]) if d.op == "div" for f in factors(d["a"]))]
    for product, other in products(log):
        if any(same(f, part) for f in (other, *factors(other)) for part in inside if part.op != CONST):
            return product, other
    return None


def may_vanish(node: Node, value: Evaluate) -> bool:
    """Whether nothing keeps a value, or what it is a multiple of, from 0."""
    if value(node).zero is NEVER or raised(node, value):
        return False
    numerators = (f["a"] if f.op == "div" else f for f in factors(node))
    return not any(value(f).zero is NEVER and value(f).constant is None for f in numerators)


def products(term: Node, steps: int = 4) -> Iterator[tuple[Node, Node]]:
    """The products of a sum in which a term is, and the other factor of each."""
    pending = [(term, steps)]
    while pending:
        current, left = pending.pop()
        for user in current.users:
            if user.op == "mul":
                yield user, user["b"] if user["a"] is current else user["a"]
            elif left and user.op in ("add", "sub", "neg", "view"):
                pending.append((user, left - 1))


def difference_in_a_tail(operand: Node, value: Evaluate) -> Evidence | None:
    """log(cdf(b) - cdf(a)): both round to 1, or to 0, far out."""
    found = tail(operand, value)
    if found is None or found.core.op != "sub" or value(found.core).zero is NEVER:
        return None
    return Evidence(
        "is 0 if both are in the same tail: they round to the same number", found.core, origin=Origin.ROUNDING
    )


def logarithm(node: Node, operand: Node, value: Evaluate) -> Evidence | None:
    return factor_of_log(node, operand, value) or difference_in_a_tail(operand, value)


def raised(node: Node, value: Evaluate) -> bool:
    """Whether a small positive number was added to a value: against its being 0, whatever it is."""
    node = bare(node)
    if node.op != "add":
        return False
    return any(value(node[k]).lo > 0 for k in ("a", "b"))


def cross_entropy(product: Node, other: Node, operand: Node) -> bool:
    """-sum(t * log(q)) of two bare values: the form of a cross-entropy."""
    if not (from_outside(other) and from_outside(operand)):
        return False
    negated, summed = False, False
    node = product
    for _ in range(6):
        users = [u for u in node.users if u.op in ("neg", "sum", "mean", "view", "refine")]
        if not users:
            break
        node = users[0]
        negated, summed = negated or node.op == "neg", summed or node.op in ("sum", "mean")
    return negated and summed


def choices(node: Node, limit: int = 20) -> Iterator[Node]:
    """What a node may be, behind views, on each path and in each turn of a loop."""

    def met(n: Node) -> list[Node]:
        return [bare(n[k]) for k in ("a", "b", "pre", "back") if k in n.args] if n.op in (PHI, LOOP) else []

    return (n for n in walk(bare(node), met, limit) if n.op not in (PHI, LOOP))


def from_outside(node: Node) -> bool:
    """Whether only the outside knows what a node is, on every path."""
    return all(choice.op in UNKNOWNS for choice in choices(node))


def shifted_parameter(node: Node, value: Evaluate) -> bool:
    """a - 1 or 1/a - 1 for an unknown a: an exponent that is 0 for a = 1."""
    if node.op != "sub" or value(node["b"]).constant != 1:
        return False
    base = bare(node["a"])
    return base.op != CONST and base.op != "size" and value(node).zero is UNKNOWN and value(base).constant is None


def unguarded(node: Node) -> bool:
    """A bare value, or 1 minus one (or minus a power of one), on one path at least: nothing keeps it from 0."""
    return any(bare_complement(choice).op == PARAM for choice in choices(bare_complement(node)))


def bare_complement(node: Node) -> Node:
    """The x of -x, 1 - x, x**p and log1p(x), one in the other."""
    for _ in range(6):
        node = bare(node)
        if (node.op in ("neg", "pow") and "x" in node.args) or node.op == "log1p" or node.op in CONSTRAINED:
            node = node["x"]
        elif node.op == "sub" and node["a"].op == CONST:
            node = node["b"]
        else:
            break
    return node


def quotient(node: Node, operand: Node, value: Evaluate) -> Evidence | None:
    return own_reciprocal(node, operand, value) or of_target(node, operand)


def of_target(node: Node, operand: Node) -> Evidence | None:
    """(target - prediction) / target, width / height of a label: what is to be predicted is 0 at times."""
    inner = bare(operand)
    data = inner["x"] if inner.op == "abs" else inner
    while bare(data).op in ("part", "view") and "x" in bare(data).args:
        data = bare(data)["x"]
    source = bare(data)
    name = str(source.attrs.get("variable") or source.name)
    if source.op not in (PARAM, CALL) or not is_target(name) or node.get("a") is None or node["a"].op == CONST:
        return None
    because = f"is an element of `{name}`: a label or a target can be 0"
    return Evidence(because, operand, origin=Origin.UNGUARDED)


def own_reciprocal(node: Node, operand: Node, value: Evaluate) -> Evidence | None:
    """sum(p * log(1 / p)), sum(p * log(q / p)): an entropy, or a divergence, whose terms are meant to be 0 at 0."""
    if value(operand).lo > 0 or not from_outside(operand):
        return None
    for log in node.users:
        for product in log.users if log.op == "log" else ():
            taken = any(u.op in ("sum", "mean", "where") for u in product.users)
            if product.op == "mul" and taken and any(same(f, operand) for f in factors(product)):
                because = "is multiplied by the logarithm of its reciprocal, where the term should be 0 at 0"
                return Evidence(because, operand, origin=Origin.ATTAINED)
    return None


FORMS: dict[str, Callable[[Node, Node, Evaluate], Evidence | None]] = {
    "log": logarithm,
    "log1p": logarithm,
    "log2": logarithm,
    "log10": logarithm,
    "div": quotient,
}
