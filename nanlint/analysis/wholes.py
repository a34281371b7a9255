"""Parts of a whole: what a sum has left without some of what it adds up; conditions of which one holds for each."""

from __future__ import annotations

import math
from collections.abc import Hashable
from itertools import product

from nanlint.analysis.algebra import Term, terms
from nanlint.analysis.structure import Evaluate, bare, factors, same
from nanlint.graph.node import Node
from nanlint.ops.value import INF, NEVER, UNKNOWN, Value, like

#: some of the elements, or the largest
PICKS = frozenset({"diagonal", "part", "max", "min", "trace"})
COUNTS = frozenset({"sum", "count_nonzero"})
#: that a sum goes over everything
OVER_ALL = (False, None)
#: a comparison, and the one that holds where it does not
OPPOSITE = {"le": "gt", "ge": "lt"}
#: atomic conditions of one truth table, which has 2**5 rows then
MAX_ATOMS = 5


def left_of_whole(node: Node, evaluate: Evaluate) -> Value | None:
    """a + b - c where c is a part of b: a and more. tp + tn + fp + fn: as many as there are."""
    parts = terms(node)
    rest = [t.node for t in parts if not t.negative]
    if counts_each(parts, evaluate):
        return like(evaluate(rest[0]), 1.0, INF, whole=True)
    if not 0 < len(rest) < len(parts):
        return None
    v = evaluate(rest[0])
    for taken in (t.node for t in parts if t.negative):
        wholes = [whole for whole in rest if is_part(taken, whole, evaluate)]
        if not wholes or evaluate(taken).constant is not None:
            return None
        # what is known not to be 0 is kept
        rest.remove(min(wholes, key=lambda whole: evaluate(whole).zero is NEVER))
    left = [evaluate(one) for one in rest]
    if any(one.lo < 0 for one in left):
        return None
    zero = NEVER if any(one.zero is NEVER for one in left) else UNKNOWN
    return like(v, math.fsum(one.lo for one in left), INF, zero=zero)


def is_part(small: Node, whole: Node, evaluate: Evaluate) -> bool:
    """Whether a number is some of what another, which is not negative, adds up: of its elements, or of each."""
    small, whole = bare(small), bare(whole)
    if whole.op not in COUNTS:
        return no_more(small, whole, evaluate)
    if small.op in COUNTS and no_more(small["x"], whole["x"], evaluate):
        return True
    return evaluate(whole["x"]).lo >= 0 and picked(small["x"] if small.op in COUNTS else small, whole["x"])


def picked(node: Node, of: Node) -> bool:
    """Whether a node holds elements of another."""
    node = bare(node)
    while node.op in PICKS and "x" in node.args:
        node = bare(node["x"])
        if same(node, of):
            return True
    return False


def no_more(small: Node, large: Node, evaluate: Evaluate) -> bool:
    """Whether each element is at most that of another, which is not negative."""
    if evaluate(large).lo < 0:
        return False
    if same(small, large):
        return True
    small = bare(small)
    if small.op in ("and", "minimum"):
        return any(no_more(small[k], large, evaluate) for k in ("a", "b"))
    others = factors(small)
    kept = next((f for f in others if same(f, large)), None)
    shares = (evaluate(f) for f in others if f is not kept)
    return kept is not None and all(v.lo >= 0 and v.hi <= 1 for v in shares)


def counts_each(parts: list[Term], evaluate: Evaluate) -> bool:
    """Whether sums of conditions count each element at least once, however these come out.

    A count of all is no less than one of a part: up to an element, or along an axis.
    """
    sums = [bare(t.node) for t in parts]
    if len(parts) < 2 or any(s.op not in (*COUNTS, "cumsum") for s in sums):
        return False
    if len({extent(s) for t, s in zip(parts, sums, strict=True) if t.negative or extent(s) != OVER_ALL}) > 1:
        return False
    table = TruthTable(evaluate)
    signed = [(-1 if t.negative else 1, s["x"]) for t, s in zip(parts, sums, strict=True)]
    for _, condition in signed:
        table.number(condition)
    atoms = list(table.known)
    # of one thing alone it may be neither 0 nor 1: a label that is left out
    if len(atoms) > MAX_ATOMS or (table.believed and len(atoms) < 2):
        return False
    for case in product((0.0, 1.0), repeat=len(atoms)):
        table.known = dict(zip(atoms, case, strict=True))
        if sum(sign * table.number(condition) for sign, condition in signed) < 1:
            return False
    return True


def extent(total: Node) -> tuple[Hashable, ...]:
    """What a sum goes over: all, or along which axis all, or up to each element."""
    return total.op == "cumsum", axis.key if (axis := total.get("axis")) is not None else None


class TruthTable:
    """What conditions come out as for ``known`` truths of those that they are made of; one not known yet is false."""

    def __init__(self, evaluate: Evaluate) -> None:
        self.evaluate = evaluate
        self.known: dict[Hashable, float] = {}
        #: whether something is taken for 0 or 1 because it is compared with these
        self.believed = False

    def number(self, node: Node) -> float:
        """A condition, or an expression of conditions, as 0 or 1."""
        node = bare(node)
        c = self.evaluate(node).constant
        if c is not None:
            return c
        if node.op in ("eq", "ne"):
            return self.equal(node["a"], node["b"]) == (node.op == "eq")
        if node.op == "not":
            return 1 - self.number(node["x"])
        if node.op in ("and", "or", "mul", "add", "sub"):
            a, b = self.number(node["a"]), self.number(node["b"])
            return {"and": a * b, "mul": a * b, "or": max(a, b), "add": a + b, "sub": a - b}[node.op]
        if node.op in ("gt", "le", "lt", "ge"):
            atom = (OPPOSITE.get(node.op, node.op), bare(node["a"]).key, bare(node["b"]).key)
            return self.known.setdefault(atom, 0.0) if node.op not in OPPOSITE else 1 - self.known.setdefault(atom, 0.0)
        return self.known.setdefault(node.key, 0.0)

    def equal(self, a: Node, b: Node) -> bool:
        """Whether two things are equal: numbers with 0 or 1, conditions with each other, and anything else."""
        keys = {bare(a).key, bare(b).key}
        numbers = [self.evaluate(n).constant for n in (a, b)]
        if not keys <= self.known.keys() and not {0.0, 1.0}.intersection(numbers):
            return self.known.setdefault(frozenset(keys), 0.0) == 1
        for n in (a, b):
            v = self.evaluate(n)
            self.believed = self.believed or not (v.constant is not None or (v.lo >= 0 and v.hi <= 1 and v.whole))
        return self.number(a) == self.number(b)
