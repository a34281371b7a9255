"""Gaps in data: NaN that its author takes out behind an op whose derivative has met it.

Who asks whether data is NaN says that it is at times. Taken out of the result, it stays in the gradient: the backward
pass multiplies 0 by the slope of the op, and the slope of most ops at NaN is NaN.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import permutations

from nanlint.analysis.selections import NOT_DATA, keeps_finite, test_of_result
from nanlint.analysis.structure import bare
from nanlint.graph.node import CONST, PHI, REFINE, TUPLE, Node, walk
from nanlint.ops.op import OPS, Op

#: ops whose slope is the same everywhere
STRAIGHT = frozenset({"add", "sub", "neg", "view", "part", "cast", "identity", "sum", "mean", "tensor", "concat"})
#: ops whose slope is a number at NaN all the same, where they compare (of ``abs``, TensorFlow's is NaN)
COMPARING = frozenset({"abs", "relu", "clamp", "maximum", "minimum", "absolute_error", "where"})
#: ops of two operands, each of which is the slope of the other
BILINEAR = frozenset({"mul", "dot"})
#: steps from what is taken out to the op that met it
MAX_STEPS = 80

Learns = Callable[[Node], bool]


def taken_out(mask: Node) -> tuple[Node, Node] | None:
    """What the NaN of some data is taken out of, and that data: ``where(isnan(t), 0, y)``, ``y[~isnan(t)]``."""
    cond = mask.get("index" if mask.op == "part" else "cond")
    test = test_of_result(cond) if cond is not None else None
    if cond is None or test is None:
        return None
    finite = keeps_finite(cond)
    if mask.op == "part":
        return (mask["x"], test["x"]) if finite else None
    kept = mask.get("a" if finite else "b")
    return (kept, test["x"]) if kept is not None else None


def met_by_gradient(mask: Node, learns: Learns) -> tuple[Node, Node] | None:
    """The op in front of a selection whose slope is NaN where data is, and that data.

    ``learns``: whether a node depends on what a gradient may be taken of.
    """
    found = taken_out(mask)
    if found is None or not given(found[1]):
        return None
    kept, data = found

    def carries(node: Node) -> bool:
        """Whether the NaN of the data is in a node."""
        return any(source.key == data.key for source in walk(node, passed_on, MAX_STEPS))

    return next(((n, data) for n in walk(kept, passed_on, MAX_STEPS) if broken(n, carries, learns)), None)


def hidden_by_zero(product: Node) -> Node | None:
    """The data whose NaN a product is to hide by a factor of 0, ``~isnan(t) * (y - t)**2``, and does not."""
    for one, other in (("a", "b"), ("b", "a")):
        cond, opposite = bare(product[one]), False
        if cond.op == "sub" and cond["a"].op == CONST:
            cond, opposite = bare(cond["b"]), True
        test = test_of_result(cond)
        if test is None or keeps_finite(cond) is opposite:
            continue
        if any(source.key == test["x"].key for source in walk(product[other], passed_on, MAX_STEPS)):
            return test["x"]
    return None


def given(node: Node) -> bool:
    """Whether a value comes in from outside, up to its arrangement, and is no result of the code that is read."""
    inner = bare(node)
    while inner.op == "part":
        inner = bare(inner["x"])
    return inner.op not in OPS


def passed_on(node: Node) -> Iterator[Node]:
    """The operands whose NaN is in the result, element by element or in a sum; none where the NaN are left out."""
    op = OPS.get(node.op)
    if op is not None:
        through = op.pointwise or op.view or op.reduction or is_loss(op) or node.op in BILINEAR
    else:
        through = node.op in (REFINE, TUPLE, PHI)
    if not through or node.op == "nan_to_num" or taken_out(node) is not None:
        return
    for name, source in node.args.items():
        if name not in NOT_DATA and source.op != CONST:
            yield source


def is_loss(op: Op) -> bool:
    """Whether an op compares results with targets."""
    return "target" in op.operands


def broken(node: Node, carries: Callable[[Node], bool], learns: Learns) -> bool:
    """Whether the slope of an op, with respect to an operand that learns, is NaN where it meets NaN."""
    op = OPS.get(node.op)
    if op is None or op.stops_gradient or op.reduction or op.view or node.op in STRAIGHT | COMPARING:
        return False
    operands = list(passed_on(node))
    if node.op in BILINEAR:
        return any(carries(one) and learns(other) for one, other in permutations(node.args.values(), 2))
    if node.op == "div":
        return (carries(node["b"]) and any(map(learns, operands))) or (carries(node["a"]) and learns(node["b"]))
    return (op.pointwise or is_loss(op)) and any(map(carries, operands)) and any(map(learns, operands))
