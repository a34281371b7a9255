"""Lengths and angles: vectors that may be 0, vectors of length 1, cosines. Questions about the form alone."""

from __future__ import annotations

from collections.abc import Iterator

from nanlint.analysis.structure import bare, factors, same, square_root_of
from nanlint.graph.node import CONST, Node, walk

#: how far back the differences of pairs are looked for
MAX_STEPS = 60
UNIT = frozenset({"normalize", "unit_vector"})
LENGTHS = frozenset({"norm", "distance", "hypot", "std"})
#: ops that keep a length off 0
FLOORS = frozenset({"add", "clamp", "maximum", "where"})


def whole(node: Node) -> Node:
    """The array whose elements, all or some, a node holds."""
    node = bare(node)
    while node.op == "part":
        node = bare(node["x"])
    return node


def of_each_pair(difference: Node) -> bool:
    """Whether a difference is x[:, None] - x[None, :]: 0 on its diagonal."""
    a, b = difference["a"], difference["b"]
    if a is b or bare(a).key != bare(b).key or bare(a).op == CONST or "view" not in (a.op, b.op):
        return False
    views = (n for end in (a, b) for n in walk(end, lambda n: [n["x"]] if n is not bare(n) else ()))
    return all(n.op != "shuffle" for n in views)


def holds_each_pair(node: Node) -> bool:
    """Whether a node is computed from the differences of each pair of some points: singular on the diagonal."""
    made_of = walk(node, lambda n: n.args.values(), MAX_STEPS)
    return any(n.op == "sub" and of_each_pair(n) for n in made_of)


def tells_diagonal(cond: Node) -> bool:
    """Whether a condition is the identity matrix, or i[:, None] == i[None, :]."""
    cond = bare(cond)
    while cond.op == "not":
        cond = bare(cond["x"])
    if cond.op in ("eq", "ne"):
        a, b = cond["a"], cond["b"]
        return any(bare(k).op == "eye" for k in (a, b)) or (a.key != b.key and bare(a).key == bare(b).key)
    return cond.op == "eye"


def behind_floors(node: Node, op: str) -> Node:
    """What a length, or a product of lengths, is behind what keeps it off 0: as far as that is, or leads to, an op."""
    node = bare(node)
    while node.op in FLOORS:
        parts = [bare(node[k]) for k in ("x", "a", "b") if k in node.args]
        found = next((p for p in parts if p.op == op or p.op in FLOORS), None)
        if found is None:
            break
        node = found
    return node


def norm_behind(node: Node) -> Node | None:
    """The norm that a length is, behind what keeps it off 0."""
    found = behind_floors(node, "norm")
    return found if found.op == "norm" else None


def is_unit(node: Node) -> bool:
    """Whether a vector was divided by its own length, whatever the signs of its elements."""
    node = bare(node)
    while node.op in ("abs", "neg"):
        node = bare(node["x"])
    if node.op in UNIT:
        return True
    if node.op != "div":
        return False
    length = norm_behind(node["b"])
    return length is not None and same(length["x"], node["a"])


def products(node: Node) -> tuple[Node, Node] | None:
    """The two vectors of a scalar product, however it is written."""
    node = bare(node)
    if node.op == "dot":
        return node["a"], node["b"]
    if node.op == "sum" and len(parts := factors(node["x"])) == 2:
        return parts[0], parts[1]
    return None


def is_cosine(node: Node) -> bool:
    """Whether a node is the scalar product of two vectors over their lengths."""
    node = bare(node)
    pair = products(node)
    if pair is not None:
        return all(is_unit(v) for v in pair)
    if node.op != "div" or (pair := products(node["a"])) is None:
        return False
    lengths = [norm_behind(f) for f in factors(behind_floors(node["b"], "mul"))]
    return len(lengths) == 2 and all(
        length is not None and any(same(length["x"], v) for v in pair) for length in lengths
    )


def fractional(exponent: Node) -> bool:
    """Whether an exponent is 1 over something, up to sign and a whole number."""
    node = bare(exponent)
    while node.op in ("neg", "add", "sub"):
        parts = [bare(node[k]) for k in ("x", "a", "b") if k in node.args]
        node = next((p for p in parts if p.op != CONST), parts[0])
    return node.op == "reciprocal" or (node.op == "div" and bare(node["b"]).op != CONST)


def power_of_cosine(node: Node) -> bool:
    """Whether a power has a cosine as base and no whole exponent."""
    base = [f for f in factors(node["x"]) if f.op == "cos"]
    inner = bare(node["x"])
    if not base and inner.op == "div":
        base = [f for f in factors(inner["a"]) if f.op == "cos"]
    clamped = any(bare(b["x"]).op in ("clamp", "maximum", "minimum") for b in base)
    return bool(base) and not clamped and fractional(node["y"])


def length_behind(node: Node) -> Node | None:
    """The norm, distance or deviation that a denominator is, or has as a factor, also written as a root."""
    return next(lengths_behind(node), None)


def lengths_behind(node: Node) -> Iterator[Node]:
    """All of them that a denominator has as factors."""
    for factor in factors(node):
        if factor.op in LENGTHS:
            yield factor
        if factor.op == "sqrt":
            inner = bare(factor["x"])
            squares = bare(inner["x"]) if inner.op in ("sum", "mean") else None
            if inner.op == "var" or (squares is not None and square_root_of(squares) is not None):
                yield inner


def vectors_of(length: Node) -> list[Node]:
    """What a length is the length of."""
    found = [length[k] for k in ("x", "a", "b") if k in length.args]
    return [square_root_of(v) or v for v in found]
