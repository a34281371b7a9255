"""Two operands that depend on one condition: what comes of them is worked out where it holds, and where it does not.

A number times its sign is not negative; of x and 1 - x one is at least a half.
"""

from __future__ import annotations

from nanlint.analysis.structure import bare, elementwise, same
from nanlint.graph.node import CONST, REFINE, Graph, Node, walk
from nanlint.ops.selection import COMPARISONS
from nanlint.ops.value import NEVER, Value

#: nodes behind an operand that are looked at
MAX_STEPS = 24


def distinction(graph: Graph, node: Node, found: Value) -> Node | None:
    """The condition that tells more of a node than was ``found`` without it; None where there is none."""
    if node.op == "mul" and found.lo < 0:
        return sign_tested(node)
    if node.op == "add" and found.lo == 0 and found.zero is not NEVER:
        return half_way(graph, node)
    return None


def sign_tested(product: Node) -> Node | None:
    """The comparison of one factor with 0 that the other, a sign, is made from."""
    for sign, x in ((product["a"], product["b"]), (product["b"], product["a"])):
        for part in behind(sign):
            if part.op in COMPARISONS and is_zero(part["b"]) and same(part["a"], x):
                return part
            cond = part.get("cond") if part.op == "where" else None
            if cond is not None and cond.op in COMPARISONS and is_zero(cond["b"]) and same(cond["a"], x):
                return cond
    return None


def half_way(graph: Graph, total: Node) -> Node | None:
    """For a sum of something of x and something of c - x: x >= c / 2."""
    for one, other in (("a", "b"), ("b", "a")):
        parts = list(behind(total[one]))
        for part in parts:
            if part.op != "sub" or part["a"].op != CONST or part["b"].op == CONST:
                continue
            whole, x = part["a"].attrs["value"], bare(part["b"])
            if not isinstance(whole, (int, float)) or whole <= 0:
                continue
            if any(same(x, n) for n in behind(total[other])):
                half = graph.imagine(CONST, {}, {"value": whole / 2}, part.site)
                return graph.imagine("ge", {"a": x, "b": half}, {}, part.site)
    return None


def behind(node: Node) -> list[Node]:
    """What the elements of a node are made from, one by one."""

    def onward(n: Node) -> list[Node]:
        return list(n.args.values()) if n.op == REFINE or elementwise(n) else []

    return list(walk(node, onward, MAX_STEPS))


def is_zero(node: Node) -> bool:
    return node.op == CONST and node.attrs["value"] == 0


def decided_by_range(comparison: str, a: Value, b: Value) -> bool | None:
    """Whether all of ``a`` compares so with all of ``b``, none does, or neither is known."""
    if comparison in ("gt", "ge"):
        a, b, comparison = b, a, {"gt": "lt", "ge": "le"}[comparison]
    if comparison == "lt":
        return True if a.hi < b.lo else False if a.lo >= b.hi else None
    if comparison == "le":
        return True if a.hi <= b.lo else False if a.lo > b.hi else None
    if comparison in ("eq", "ne") and a.constant is not None and b.constant is not None:
        return (a.constant == b.constant) is (comparison == "eq")
    return None
