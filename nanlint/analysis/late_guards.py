"""Guards that stand behind the op they are for: they keep its value in bounds, and come too late for its gradient."""

from __future__ import annotations

from nanlint.analysis.structure import Evaluate, bare, uses
from nanlint.graph.node import CONST, PHI, REFINE, Node, walk
from nanlint.ops.op import OPS, Pole
from nanlint.ops.value import INF, NEVER, POSSIBLE, SMALL, Kind, Value

#: an epsilon is at least this
LEAST = 1e-30
#: what makes whole numbers of others, and leaves an infinity as it is
WHOLE = frozenset({"floor", "ceil", "round", "trunc"})
#: what bounds an infinite logarithm is no nearer to 0
LARGE = 10.0


def late_guard(node: Node, pole: Pole, value: Evaluate) -> Node | None:
    """The use of a node's result that guards it: its author expects the pole to be met.

    Where the value is finite and only the derivative breaks (a root, a norm, a deviation): an epsilon that is added,
    or a floor. Where the value is infinite: a ceiling, a floor under a logarithm, ``nan_to_num``.
    """
    for user in uses(node, keeps_all, 40):
        if pole.gradient:
            if floors(user, node, value):
                return user
        elif user.op == "nan_to_num" or caps(user, node, pole, value):
            return user
    return None


def leaves_finite(user: Node, node: Node, pole: Pole, value: Evaluate) -> bool:
    """Whether a use bounds all that a node may be at a pole: of a quotient 0 / 0 stays NaN."""
    infinite = "inf" in pole.gives and not pole.gradient and ("nan" not in pole.gives or apart(node, value))
    return infinite and caps(user, node, pole, value)


def as_large(node: Node) -> Node:
    """What a node is infinite with: behind views, and behind what makes whole numbers of it."""
    node = bare(node)
    while node.op in WHOLE:
        node = bare(node["x"])
    return node


def apart(quotient: Node, value: Evaluate) -> bool:
    """Whether the numerator of a quotient has nothing to do with its denominator, and nothing says it is 0 or less."""
    if "a" not in quotient.args or "b" not in quotient.args:
        return False
    numerator = value(quotient["a"])
    if max(numerator.reach("zero"), numerator.reach("neg")) >= POSSIBLE:
        return False
    if numerator.zero is NEVER:
        return True
    made_of = {n.key for n in walk(quotient["a"], lambda n: n.args.values(), 40) if n.op != CONST}
    return made_of.isdisjoint(n.key for n in walk(quotient["b"], lambda n: n.args.values(), 40))


def keeps_all(user: Node, _: Node) -> bool:
    """Whether a use is of all elements as they are: a view, a refinement, no part."""
    op = OPS.get(user.op)
    return user.op in (REFINE, PHI, "cast", "identity") or (op is not None and op.view and user.op != "part")


def others(user: Node, node: Node) -> list[Node]:
    """The operands of a use that are not the node."""
    return [a for a in user.args.values() if bare(a) is not bare(node)]


def floors(user: Node, node: Node, value: Evaluate) -> bool:
    """Whether a use adds a small positive number, or bounds the result by one from below."""
    if user.op in ("add", "maximum"):
        return any(is_epsilon(value(o)) for o in others(user, node))
    low = user.get("min") if user.op == "clamp" else None
    return low is not None and is_epsilon(value(low))


def is_epsilon(v: Value) -> bool:
    """Whether a Python number is a small one, or a parameter that is one by default."""
    return v.kind is Kind.SCALAR and LEAST <= v.lo <= SMALL and (v.constant is not None or v.hi == INF)


def caps(user: Node, node: Node, pole: Pole, value: Evaluate) -> bool:
    """Whether a use bounds an infinite result: from above, or a logarithm from below."""
    from_below = pole.gives.startswith("-")
    if user.op == ("maximum" if from_below else "minimum"):
        return any(is_bound(value(o), from_below=from_below) for o in others(user, node))
    bound = user.get("min" if from_below else "max") if user.op == "clamp" else None
    low = user.get("min")
    if not from_below and low is not None and value(low).hi < 0:
        # a range of both signs is that of a cosine: what it is for is rounding
        return False
    return bound is not None and is_bound(value(bound), from_below=from_below)


def is_bound(v: Value, *, from_below: bool) -> bool:
    """Whether a number is one that only an infinity is bounded by."""
    if from_below:
        return v.hi <= -LARGE
    size = v.kind is Kind.SCALAR and v.whole and v.lo >= 0
    return (v.lo > 0 and v.kind is Kind.SCALAR) or (size and v.constant is None)
