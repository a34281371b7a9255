"""Evidence that the form of an expression gives where its operands say nothing.

Each form answers for one hazard: why its operand may be at the pole, or None.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from nanlint.analysis.cancellation import tail
from nanlint.analysis.geometry import (
    centred,
    cosine_of_rotation,
    displacement,
    length_behind,
    power_of_cosine,
    vectors_of,
    whole,
)
from nanlint.analysis.structure import Evaluate, bare, coincidence, factors, same, square_root_of
from nanlint.graph.node import ATTR, CALL, CONST, LOOP, PARAM, PHI, Node
from nanlint.ops.contracts import CONSTRAINTS
from nanlint.ops.op import Pole
from nanlint.ops.value import LIKELY, NEVER, POSSIBLE, SMALL, UNKNOWN, Evidence, Kind, Origin

LOGARITHMS = frozenset({"log", "log1p"})
CONSTRAINED = frozenset(CONSTRAINTS.values())
#: nodes of which only the outside knows what they are
UNKNOWNS = frozenset({PARAM, ATTR, CALL})


def evidence_by_form(node: Node, pole: Pole, operand: Node, value: Evaluate) -> Evidence | None:
    """Evidence for ``node`` being at ``pole``, from the way it is written."""
    form = FORMS.get(node.op) if pole.cls == "zero" else None
    if form is not None and (found := form(node, operand, value)) is not None:
        return found
    if node.op == "acos":
        return identity_rotation(pole, operand)
    return power_of_cosine_at_its_end(node, pole) if node.op == "pow" else None


def distance_at_zero(node: Node, operand: Node, value: Evaluate) -> Evidence | None:
    """sqrt of a squared difference (or of a sum of squares): 0 where the two coincide, or for the zero vector.

    A spread (squares of x minus its own mean) is left out: it is 0 for constant data only.
    """
    inner = bare(operand)
    summed = inner.op == "sum"
    if inner.op in ("sum", "mean", "part"):
        inner = bare(inner["x"])
    if inner.op in ("squared_error", "squared_difference"):
        return Evidence(f"is 0 {coincidence(*list(inner.args.values())[:2])}", operand, origin=Origin.COINCIDENCE)
    root = square_root_of(inner)
    if root is None:
        return None
    difference = bare(root)
    if value(difference).zero is NEVER or (difference.op == "sub" and centred(difference)):
        return None
    if difference.op != "sub":
        return Evidence("is 0 for the zero vector", operand, origin=Origin.ATTAINED) if summed else None
    return Evidence(f"is 0 {coincidence(difference['a'], difference['b'])}", difference, origin=Origin.COINCIDENCE)


def norm_of_difference(node: Node, operand: Node, value: Evaluate) -> Evidence | None:
    """The norm of the difference of two points."""
    difference = displacement(node["x"])
    if difference is None or value(difference).zero is NEVER:
        return None
    return Evidence(f"is 0 {coincidence(difference['a'], difference['b'])}", difference, origin=Origin.COINCIDENCE)


def both_components(node: Node, operand: Node, value: Evaluate) -> Evidence | None:
    """atan2 or hypot of components of a difference, or of two: at the origin where points coincide."""
    of = [displacement(node[k]) for k in ("a", "b")]
    if None in of or NEVER in [value(node[k]).zero for k in ("a", "b")]:
        return None
    return Evidence("is 0, and the other component too, where two points coincide", of[0], origin=Origin.COINCIDENCE)


def fractional_power(node: Node, operand: Node, value: Evaluate) -> Evidence | None:
    """A distance that is written as a power: (x - y)**2 summed, to the power of 0.5."""
    p = value(node["y"]).constant
    return distance_at_zero(node, operand, value) if p is not None and 0 < p < 1 else None


def power_of_cosine_at_its_end(node: Node, pole: Pole) -> Evidence | None:
    """cos(v) ** (1 / a): meant for angles up to pi/2, where rounding takes the cosine below 0."""
    if pole.cls != "neg" or not power_of_cosine(node):
        return None
    return Evidence(
        "is a cosine: 0, and by rounding negative, at the end of the angles that have a power",
        node["x"],
        origin=Origin.ROUNDING,
    )


def identity_rotation(pole: Pole, operand: Node) -> Evidence | None:
    """The angle of a rotation from its trace: its cosine is 1 for the identity, and rounds beyond."""
    if pole.operand != "x-1" or not cosine_of_rotation(operand):
        return None
    because = "is the cosine of a rotation's angle: 1 for the identity, and rounding takes it just beyond"
    return Evidence(because, operand, origin=Origin.ROUNDING)


def factor_of_log(node: Node, operand: Node, value: Evaluate) -> Evidence | None:
    """p * log(p), and (a - 1) * log(x): the factor is 0 where the logarithm is -inf, or for a legal parameter.

    log(-log(u)) of a uniform draw: a Gumbel sample.
    """
    own = own_logarithm(node)
    if own is not None and value(operand).lo <= 0 and may_vanish(operand, value) and may_vanish(own[1], value):
        return Evidence(
            "multiplies its own logarithm, as in an entropy: the term is meant to be 0 at 0",
            operand,
            origin=Origin.ATTAINED,
        )
    if bare(operand).op == "uniform" and any(u.op in LOGARITHMS for n in node.users if n.op == "neg" for u in n.users):
        return Evidence("a uniform draw is exactly 0 now and then", operand, origin=Origin.ATTAINED)
    for product in node.users:
        if product.op != "mul":
            continue
        other = product["b"] if product["a"] is node else product["a"]
        terms = [bare(f) for f in factors(other)]
        probability = value(operand).lo == 0 and value(operand).hi == 1 and not value(operand).whole
        if value(operand).zero is POSSIBLE and probability and value(other).zero is not NEVER:
            return Evidence(
                "is a probability by its name, times what may be 0 where it is 0", operand, origin=Origin.SATURATION
            )
        if cross_entropy(product, other, operand):
            return Evidence(
                "is a probability by its place in a cross-entropy: exactly 0 when the model behind it saturates",
                operand,
                origin=Origin.SATURATION,
            )
        if any(shifted_parameter(t, value) for t in terms) and unguarded(operand):
            return Evidence(
                "is the base of a power taken in log space: at 0, with an exponent of 0, the product is nan",
                operand,
                origin=Origin.ATTAINED,
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


def product_that_underflows(operand: Node, value: Evaluate) -> Evidence | None:
    """log(det(A)) and log(prod(x)): a product of many factors leaves the range of floating point."""
    product = bare(operand)
    if product.op not in ("prod", "det") or value(product["x"]).whole or value(product).kind is Kind.SCALAR:
        return None
    what = "determinant" if product.op == "det" else "product"
    return Evidence(
        f"a {what} of many factors underflows to 0, where the sum of their logarithms is finite",
        product,
        origin=Origin.SATURATION,
    )


def difference_in_a_tail(operand: Node, value: Evaluate) -> Evidence | None:
    """log(cdf(b) - cdf(a)): both round to 1, or to 0, far out."""
    found = tail(operand, value)
    if found is None or found.core.op != "sub" or value(found.core).zero is NEVER:
        return None
    return Evidence(
        "is 0 where both are in one tail: each rounds to the same number", found.core, origin=Origin.ROUNDING
    )


def logarithm(node: Node, operand: Node, value: Evaluate) -> Evidence | None:
    """The forms of a logarithm."""
    return (
        factor_of_log(node, operand, value)
        or difference_in_a_tail(operand, value)
        or product_that_underflows(operand, value)
        or silence(operand, value)
    )


def silence(operand: Node, value: Evaluate) -> Evidence | None:
    """The logarithm of an energy: the sum of the squares, or absolute values, of a signal that may be silent."""
    total = bare(operand)
    if total.op not in ("sum", "mean"):
        return None
    inner = bare(total["x"])
    source = bare(inner["x"]) if inner.op == "abs" else square_root_of(inner)
    if source is None or value(source).zero is NEVER or not from_outside(source):
        return None
    return Evidence("is the energy of a signal: 0 where the signal is", total, origin=Origin.ATTAINED)


def raised(node: Node, value: Evaluate) -> bool:
    """Whether a small positive number was added to a value: against its being 0, whatever it is."""
    node = bare(node)
    if node.op != "add":
        return False
    return any(0 < value(node[k]).lo <= value(node[k]).hi < SMALL or value(node[k]).lo > 0 for k in ("a", "b"))


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
    pending, seen = [node], set[int]()
    while pending and len(seen) < limit:
        current = bare(pending.pop())
        if current.index in seen:
            continue
        seen.add(current.index)
        if current.op in (PHI, LOOP):
            pending += [current[k] for k in ("a", "b", "pre", "back") if k in current.args]
        else:
            yield current


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


def masked_mean(node: Node, operand: Node, value: Evaluate) -> Evidence | None:
    """sum(x * m) / sum(m): m selects what is averaged, and may select nothing."""
    total = bare(operand)
    if total.op not in ("sum", "cumsum") or "a" not in node.args:
        return None
    weights = bare(total["x"])
    above = bare(node["a"])
    if above.op not in ("sum", "einsum", "dot"):
        return None
    if value(weights).zero is NEVER or value(weights).lo > 0 or weights.op in ("exp", "softmax", "softplus"):
        return None
    if total.get("axis") is None and (weights.op in (ATTR, CALL) or weights.attrs.get("held")):
        # one number for all: weights of a configuration, masses
        return None
    if value(weights).whole and value(weights).low < LIKELY and value(weights).evidence("low") is not None:
        # a mask of which more is known
        return None
    parts = [f for a in above.args.values() for f in factors(a)] if above.op != "sum" else factors(above["x"])
    if len(parts) < 2 or not any(same(p, weights) for p in parts):
        return None
    return Evidence(
        "sums the mask that selects what is averaged: 0 where it selects nothing", total, origin=Origin.EMPTY
    )


def relative_error(node: Node, operand: Node) -> Evidence | None:
    """|a - b| / |b|: b is data, and 0 where the truth is."""
    above, below = bare(node["a"]), bare(operand)
    if above.op != "abs" or below.op != "abs":
        return None
    difference, truth = bare(above["x"]), bare(below["x"])
    if difference.op == "sub" and truth.op == PARAM and any(same(difference[k], truth) for k in ("a", "b")):
        return Evidence("is the reference of a relative error: 0 where the truth is 0", operand, origin=Origin.ATTAINED)
    return None


def quotient(node: Node, operand: Node, value: Evaluate) -> Evidence | None:
    """The forms of a quotient."""
    if node.op != "div":
        return normalised_offset(operand, value)
    return (
        masked_mean(node, operand, value)
        or relative_error(node, operand)
        or share_of_a_sum(node, operand, value)
        or own_reciprocal(node, operand, value)
        or own_size(node, operand, value)
        or normalised_offset(operand, value)
    )


def normalised_offset(operand: Node, value: Evaluate) -> Evidence | None:
    """Division by the distance of two points of one set: a point and itself among them."""
    length = length_behind(operand)
    vectors = [displacement(v) for v in vectors_of(length)] if length is not None else []
    if len(vectors) != 1 or vectors[0] is None or value(operand).zero is NEVER:
        return None
    if whole(vectors[0]["a"]).key != whole(vectors[0]["b"]).key:
        return None
    return Evidence(
        "is the difference of two points of one set: 0 where they are the same", vectors[0], origin=Origin.COINCIDENCE
    )


def share_of_a_sum(node: Node, operand: Node, value: Evaluate) -> Evidence | None:
    """a / (a + b) of sums that are not negative, as in precision and recall: nothing may be counted."""
    terms = summands(operand)
    if "a" not in node.args or len(terms) < 2 or any(value(t).zero is NEVER for t in terms):
        return None
    sums = [t for t in terms if t.op in ("sum", "count_nonzero", "bincount") and t["x"].op != "exp"]
    above = [bare(f) for f in factors(node["a"])]
    if len(sums) < len(terms) or not any(same(f, t) for f in above for t in terms):
        return None
    return Evidence("adds up what is counted, the numerator too: all of it may be 0", operand, origin=Origin.EMPTY)


def summands(node: Node) -> list[Node]:
    """Terms of a sum, up to constant factors."""
    found: list[Node] = []
    pending = [node]
    while pending and len(found) < 8:
        current = bare(pending.pop())
        if current.op == "add":
            pending += [current["a"], current["b"]]
        elif current.op == "mul" and CONST in (current["a"].op, current["b"].op):
            pending.append(current["b"] if current["a"].op == CONST else current["a"])
        else:
            found.append(current)
    return found


def own_reciprocal(node: Node, operand: Node, value: Evaluate) -> Evidence | None:
    """sum(p * log(1 / p)), sum(p * log(q / p)): an entropy, or a divergence, whose terms are meant to be 0 at 0."""
    if value(operand).lo > 0 or not from_outside(operand):
        return None
    for log in node.users:
        for product in log.users if log.op == "log" else ():
            taken = any(u.op in ("sum", "mean", "where") for u in product.users)
            if product.op == "mul" and taken and any(same(f, operand) for f in factors(product)):
                because = "multiplies the logarithm of its own reciprocal: the term is meant to be 0 at 0"
                return Evidence(because, operand, origin=Origin.ATTAINED)
    return None


def own_size(node: Node, operand: Node, value: Evaluate) -> Evidence | None:
    """x / |x|, a . b / (|a| |b|), d / |d|, x / max(x): 0 / 0 for the zero vector, silence, a black image."""
    if "a" not in node.args:
        return None
    above = parts_of_product(node["a"])
    for size in factors(operand):
        vector = measured(size)
        if vector is None or value(vector).zero is NEVER or not (given(vector) or displacement(vector)):
            continue
        if any(same(f, vector) for f in above):
            return Evidence(
                "is the size of what it divides: 0 / 0 for one that is 0 throughout", size, origin=Origin.ATTAINED
            )
    return None


def given(node: Node) -> bool:
    """Whether a node is an argument on every path: whatever a caller has, zeros too."""
    return all(choice.op == PARAM for choice in choices(node))


def parts_of_product(node: Node) -> list[Node]:
    """What is multiplied, elements and, for a dot product, vectors."""
    found = factors(node)
    for factor in list(found):
        if factor.op in ("dot", "einsum"):
            found += [bare(a) for a in factor.args.values()]
        elif factor.op == "sum":
            found += factors(factor["x"])
    return found


def measured(size: Node) -> Node | None:
    """The vector of which a node is the norm, or the largest or average absolute value, or the largest element."""
    length = length_behind(size)
    if length is not None:
        return bare(vectors_of(length)[0]) if length.op not in ("std", "var") else None
    if size.op in ("sum", "mean", "max") and "x" in size.args:
        inner = bare(size["x"])
        return bare(inner["x"]) if inner.op == "abs" else inner if size.op == "max" else None
    return None


FORMS: dict[str, Callable[[Node, Node, Evaluate], Evidence | None]] = {
    "sqrt": distance_at_zero,
    "norm": norm_of_difference,
    "hypot": both_components,
    "atan2": both_components,
    "pow": fractional_power,
    "log": logarithm,
    "log1p": logarithm,
    "log2": logarithm,
    "log10": logarithm,
    "div": quotient,
    "reciprocal": quotient,
}
