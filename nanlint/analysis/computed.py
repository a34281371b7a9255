"""Arrays that are written out, number by number: what is made of them is computed with the transfer functions at single
numbers, and not with their range."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from itertools import pairwise, product

from nanlint.analysis.cases import decided_by_range
from nanlint.graph.node import CONST, TUPLE, Node
from nanlint.ops.floats import Format
from nanlint.ops.op import OPS
from nanlint.ops.reductions import COMBINED
from nanlint.ops.selection import COMPARISONS
from nanlint.ops.value import CERTAIN, Evidence, Kind, Origin, Value, constant, join

#: numbers that an array may have to be computed: tables and kernels that someone wrote have no more
MAX_NUMBERS = 64
#: operations one on the other that are computed: what a program wrote may have thousands
MAX_DEPTH = 50
#: what conditions make of those that they are made of
LOGICAL: Mapping[str, Callable[[Iterable[bool]], bool]] = {"and": all, "or": any, "not": lambda of: not any(of)}
#: what is said of an array, by the class that one of its numbers is in
HELD = {"zero": "contains a 0", "neg": "contains a negative number", "nan": "contains a NaN"}


@dataclass(frozen=True)
class Numbers:
    """The numbers of an array, in the order of its rows."""

    shape: tuple[int, ...]
    items: tuple[Value, ...]

    def in_format(self, fmt: Format) -> Numbers:
        """The same in a floating-point format."""
        return (
            self
            if self.items[0].format is fmt
            else Numbers(self.shape, tuple(replace(v, format=fmt) for v in self.items))
        )

    def joined(self, node: Node) -> Value:
        """What is known of all of them."""
        found = reduce(join, self.items)
        ends = {"low": f"contains a {found.lo:g}", "high": f"contains a {found.hi:g}"}
        some = {} if found.constant is not None else {**HELD, **ends}
        why = {c: Evidence(text, node, origin=Origin.START) for c, text in some.items() if found.reach(c) is CERTAIN}
        return replace(found, why={**found.why, **why}, peak=False, sum_one=False)


class Computed:
    """The numbers of the nodes of a graph; ``value``: of a literal."""

    def __init__(self, value: Callable[[Node], Value]) -> None:
        self.value = value
        self._memo: dict[int, Numbers | None] = {}
        self._depth = 0

    def numbers(self, node: Node) -> Numbers | None:
        """Those of a node, where all that it is made of is written out."""
        if node.index not in self._memo:
            self._memo[node.index] = None
            self._depth += 1
            found = self.of(node) if self._depth < MAX_DEPTH else None
            self._depth -= 1
            whole = found is not None and 0 < len(found.items) <= MAX_NUMBERS
            self._memo[node.index] = found if whole else None
        return self._memo[node.index]

    def truth(self, cond: Node) -> bool | None:
        """Whether a condition holds for all numbers, or for none."""
        found = self.numbers(cond)
        held = set() if found is None else {bool(v.constant) for v in found.items}
        return held.pop() if len(held) == 1 else None

    def of(self, node: Node) -> Numbers | None:
        if node.op == CONST:
            v = self.value(node)
            return Numbers((), (v,)) if v.constant is not None or v.nan is CERTAIN else None
        op = OPS.get(node.op)
        if node.op != TUPLE and (op is None or not op.pure):
            return None
        parts: dict[str, Numbers] = {}
        for name, arg in node.args.items():
            if name not in ("axis", "index"):
                found = self.numbers(arg)
                if found is None:
                    return None
                parts[name] = found.in_format(self.value(arg).format)
        if node.op != TUPLE and all(arg.op == CONST for arg in node.args.values()):
            return None  # Python's own numbers
        if node.op == TUPLE:
            return stacked(list(parts.values())) if not node.attrs.get("starred") else None
        x = parts.get("x")
        if node.op == "part" and x is not None:
            return taken(x, node["index"]) if "index" in node.args else None
        flat = x is not None and ("axis" not in node.args or len(x.shape) == 1)
        if node.op in COMBINED and x is not None and flat and len(parts) == 1:
            return one(COMBINED[node.op](x.items))
        if node.op == "diff" and x is not None and len(x.shape) == 1:
            return row(OPS["sub"].transfer({"a": b, "b": a}, {}) for a, b in pairwise(x.items))
        if op is not None and (op.pointwise or node.op == "where"):
            return each(node, parts)
        return each(node, parts) if node.op == "tensor" else None


def finite(number: Value) -> bool:
    """Whether a number is known, and an operation that made it is not at a pole."""
    return number.constant is not None and math.isfinite(number.constant)


def one(number: Value) -> Numbers | None:
    """A single number, if it is known."""
    return Numbers((), (number,)) if finite(number) else None


def row(items: Iterable[Value]) -> Numbers | None:
    """An array of one axis, if its numbers are known."""
    found = tuple(items)
    return Numbers((len(found),), found) if all(map(finite, found)) else None


def stacked(parts: Sequence[Numbers]) -> Numbers | None:
    """Arrays of one shape, one after the other."""
    if len({part.shape for part in parts}) != 1:
        return None
    return Numbers((len(parts), *parts[0].shape), tuple(v for part in parts for v in part.items))


def taken(x: Numbers, index: Node) -> Numbers | None:
    """What a number or a slice takes along the first axis."""
    if not x.shape:
        return None
    size = math.prod(x.shape[1:])
    rows = [x.items[i : i + size] for i in range(0, len(x.items), size)]
    if index.op == "slice" and all(a.op == CONST for a in index.args.values()):
        bounds = (
            index.args[name].attrs["value"] if name in index.args else None for name in ("lower", "upper", "step")
        )
        chosen = rows[slice(*bounds)]
        return Numbers((len(chosen), *x.shape[1:]), tuple(v for one in chosen for v in one))
    at = index.attrs.get("value") if index.op == CONST else None
    if type(at) is not int or not -len(rows) <= at < len(rows):
        return None
    return Numbers(x.shape[1:], rows[at])


def each(node: Node, parts: dict[str, Numbers]) -> Numbers | None:
    """What an operation makes of the numbers at each place, after the shapes are broadcast."""
    axes = max(len(part.shape) for part in parts.values())
    shapes = [(1,) * (axes - len(part.shape)) + part.shape for part in parts.values()]
    shape = tuple(max(sizes) for sizes in zip(*shapes, strict=True))
    if any(size not in (1, full) for one in shapes for size, full in zip(one, shape, strict=True)):
        return None
    transfer, items = OPS[node.op].transfer, []
    for place in product(*map(range, shape)):
        at = {name: part.items[offset(place, own)] for (name, part), own in zip(parts.items(), shapes, strict=True)}
        if node.op == "where":
            number = at["a" if at["cond"].constant else "b"]
        elif node.op in COMPARISONS:
            number = constant(float(bool(decided_by_range(node.op, at["a"], at["b"]))), Kind.TENSOR)
        elif node.op in LOGICAL:
            number = constant(float(LOGICAL[node.op](bool(v.constant) for v in at.values())), Kind.TENSOR)
        else:
            number = transfer(at, node.attrs)
        if not finite(number):
            return None
        items.append(number)
    return Numbers(shape, tuple(items))


def offset(place: Sequence[int], shape: Sequence[int]) -> int:
    """Where a number is in an array of a shape that is stretched."""
    found = 0
    for at, size in zip(place, shape, strict=True):
        found = found * size + (at if size > 1 else 0)
    return found
