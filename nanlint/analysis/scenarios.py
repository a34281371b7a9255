"""Degenerate data: what an expression becomes where its data is zero, constant, or where two points coincide.

A scenario says something of what enters an expression; the expression is then executed on symbols. Where it comes out
as exactly 0, the scenario is the evidence that it does, and a witness at once. What an op does to zeros and constants
is read from the catalogue: its traits, and its transfer function at a constant.

A scenario that what the path to the op says is not so is none: the conditions of the path are executed too.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from enum import Enum
from itertools import islice
from itertools import product as combinations
from typing import Any

from nanlint.analysis.cases import decided_by_range, is_zero
from nanlint.analysis.epsilons import LOGARITHMS
from nanlint.analysis.evaluate import SCALAR_ANNOTATIONS
from nanlint.analysis.expected import expected
from nanlint.analysis.names import (
    BATCH,
    NEVER_ZERO,
    is_coordinate,
    is_epsilon,
    is_probability,
    is_trained,
    says,
)
from nanlint.analysis.relations import laid_out
from nanlint.analysis.structure import (
    REDUCES,
    Evaluate,
    asked_once,
    bare,
    called,
    coincidence,
    in_source,
    is_field,
    same,
    square_root_of,
)
from nanlint.graph.conditions import TRUE, TRUTHS
from nanlint.graph.node import ATTR, CALL, CONST, LAYER, LOOP, PARAM, PHI, REFINE, TUPLE, Node, walk
from nanlint.graph.path import PathCondition
from nanlint.ops.op import OPS, Op, Pole
from nanlint.ops.selection import COMPARISONS
from nanlint.ops.value import (
    LIKELY,
    NEVER,
    TOP,
    Evidence,
    Kind,
    Origin,
    Value,
    constant,
    value,
)

#: nodes looked at between an operand and the data that it is made of
MAX_NODES = 40
#: nodes executed in one scenario
MAX_STEPS = 200
#: pieces of data that a message names
MAX_NAMED = 2
#: scenarios that are tried for one operand
MAX_SCENARIOS = 6
#: conditions of a path that are asked whether they hold in one, the last ones
MAX_CONDITIONS = 100
#: what holds numbers that a caller, a file or a network gives
SOURCES = frozenset({PARAM, ATTR, CALL, "input", "unknown", "linear", "gradient"})
#: of these, what is made of its operands, nobody sees how
UNSEEN = frozenset({CALL, "unknown"})
#: operands that say where, not what
PLACES = frozenset({"by", "axis", "ord", "ddof"})
#: operands that hold no data
NOT_DATA = PLACES | {"cond", "index"}
#: the term that is the number 1
ONE = 0
#: the average of equal numbers is that number, but for rounding
AVERAGES = frozenset({"mean", "nanmean", "average", "segment_mean", "interpolate"})
#: comparisons that tell what is below a bound from what is above it
BELOW = frozenset({"lt", "le", "gt", "ge"})
#: what is left of coefficients that cancel, beside them: the rounding of their arithmetic
TOLERANCE = 1e-12
#: ops that are 0 where their first two operands are the same
ERRORS = frozenset({"squared_difference", "distance", "squared_error", "absolute_error"})
DIFFERENCES = ERRORS | {"sub"}
#: nodes that leave each element where it can be met by its own
ARRANGED = frozenset({"view", "cast", "identity", "stop_gradient"})
#: nodes that hand on what they are given
TRANSPARENT = frozenset({REFINE, "cast", "identity", "stop_gradient", "finite", "list", "tensor", "item", "dropout"})


class Shape(Enum):
    """What a scenario says of the data.

    All of it is 0, all of its elements are equal, two things are the same; or one element is 0, whatever others are.
    """

    ZERO = "zero"
    CONSTANT = "constant"
    EQUAL = "equal"
    ELEMENT = "element"


@dataclass(frozen=True, eq=False)
class Scenario:
    """``shape`` of ``data``: nodes by key; of EQUAL, the two that coincide, operands of ``difference`` if of one."""

    shape: Shape
    data: tuple[Node, ...]
    difference: Node | None = None


@dataclass(frozen=True)
class Symbol:
    """The outcome of an expression, as a sum of terms: equal symbols are equal numbers, element by element.

    ``terms``: pairs of a term and its coefficient, sorted; the term ``ONE`` is the number 1. ``uniform``: all elements
    are equal. ``touched``: it depends on the data of the scenario. ``rounded``: the numbers are equal in exact
    arithmetic only. ``weak``: on one path only; ``hidden``: where a selection takes this and not the other number.
    """

    terms: tuple[tuple[int, float], ...]
    uniform: bool = False
    touched: bool = False
    rounded: bool = False
    weak: bool = False
    hidden: bool = False

    @property
    def number(self) -> float | None:
        """The one number that all elements are, if known."""
        if not self.terms:
            return 0.0
        return self.terms[0][1] if len(self.terms) == 1 and self.terms[0][0] == ONE else None


class Execution:
    """Symbols of expressions in one scenario."""

    def __init__(
        self,
        scenario: Scenario,
        evaluate: Evaluate,
        *,
        made_of: Mapping[int, frozenset[int]] | None = None,
        along: Node | None = None,
    ) -> None:
        """``made_of``: of nodes near what is asked, by index, the keys of what they are made of near it."""
        self.evaluate = evaluate
        self._made_of = made_of
        self._reached: dict[int, bool] = {}
        self._terms: dict[Any, int] = {"one": ONE}
        self._memo: dict[int, Symbol] = {}
        self._open: set[int] = set()
        #: steps that are left for what is asked
        self.left = MAX_STEPS
        self._given: dict[int, Symbol] = {}
        self._single = scenario.shape is Shape.ELEMENT
        #: the axis along which all elements are as the one of which the scenario speaks
        self._along = along.key if along is not None else None
        #: whether it is one row, or one element, of the data of which the scenario speaks
        self._partly = self._single
        #: whether what is known of a node on the way is not so in the scenario
        self.refuted = False
        for node in scenario.data:
            if scenario.shape in (Shape.ZERO, Shape.ELEMENT):
                self._given[node.key] = Symbol((), uniform=not self._single, touched=True)
            else:
                same = self._term("data", scenario.data[0].key)
                self._given[node.key] = Symbol(same, scenario.shape is Shape.CONSTANT, touched=True)

    def suppose(self, node: Node, number: float) -> None:
        """Let a node that is no literal be a number, and what it is that number less, or more, than a literal."""
        if self.evaluate(node).constant is not None:
            return
        found = Symbol(((ONE, number),) if number else (), uniform=not self._single, touched=True)
        self._given.update({one.key: found for one in (node, bare(node))})
        self._reached.clear()
        node = bare(node)
        if node.op == "neg":
            self.suppose(node["x"], -number)
        elif node.op in ("add", "sub"):
            a, b = (self.evaluate(node[k]).constant for k in ("a", "b"))
            if a is not None:
                self.suppose(node["b"], a - number if node.op == "sub" else number - a)
            elif b is not None:
                self.suppose(node["a"], number + b if node.op == "sub" else number - b)

    def symbol(self, node: Node) -> Symbol:
        given = self._given.get(node.key)
        if given is not None:
            return given
        found = self._memo.get(node.index)
        if found is None:
            if node.index in self._open or not self.left or not self._reaches(node):
                return self._untouched(node)
            self.left -= 1
            self._open.add(node.index)
            found = self._memo[node.index] = self._execute(node)
            self._open.discard(node.index)
        return found

    def _reaches(self, node: Node) -> bool:
        """Whether the scenario says anything of what a node is made of."""
        if self._made_of is not None:
            parts = self._made_of.get(node.index)
            return parts is None or not parts.isdisjoint(self._given)
        pending: list[tuple[Node, list[Node] | None]] = [(node, None)]
        opened = set[int]()
        while pending:
            current, operands = pending[-1]
            if current.index in self._reached:
                pending.pop()
            elif current.key in self._given:
                self._reached[current.index] = True
            elif operands is None:
                operands = [] if taken_as_it_is(current) else [a for _, a in operands_of(current)]
                opened.add(current.index)
                pending[-1] = current, operands
                pending += [(a, None) for a in operands if a.index not in self._reached and a.index not in opened]
            else:
                self._reached[current.index] = any(self._reached.get(a.index, False) for a in operands)
        return self._reached[node.index]

    def _term(self, *structure: Any) -> tuple[tuple[int, float], ...]:
        try:
            return ((self._terms.setdefault(structure, len(self._terms)), 1.0),)
        except TypeError:
            # an attribute that cannot be hashed: equal to nothing else
            return ((self._terms.setdefault(("fresh", len(self._terms)), len(self._terms)), 1.0),)

    def _untouched(self, node: Node) -> Symbol:
        v = self.evaluate(node)
        c = v.constant
        if c is not None and math.isfinite(c):
            return Symbol(((ONE, c),) if c else (), uniform=True)
        return Symbol(self._term("node", bare(node).key), v.kind is Kind.SCALAR)

    def _execute(self, node: Node) -> Symbol:
        if taken_as_it_is(node):
            return self._untouched(node)
        operands = {name: self.symbol(a) for name, a in operands_of(node)}
        touched = [s for s in operands.values() if s.touched]
        if not touched:
            return self._untouched(node)
        if node.op in (PHI, "where"):
            return self._choice(node, operands)
        if node.op == REFINE and self.compared(node.attrs["cmp"], node["x"], node["by"]) is False:
            self.refuted = True
        if node.op in COMPARISONS and (holds := self.compared(node.op, node["a"], node["b"])) is not None:
            return self._joined(((ONE, 1.0),) if holds else (), touched, uniform=not self._single)
        op = OPS.get(node.op)
        if self._along is not None and op is not None and op.reduction and not self._one_by_one(node, op):
            # what is so along one axis
            return self._made(node, operands)
        if self._single and not (node.op == REFINE or (op is not None and self._one_by_one(node, op))):
            # what becomes of the other elements is not known
            return self._made(node, operands)
        if self._partly and made_of_rows(node) and not by_row(node):
            return self._made(node, operands)
        if node.op in TRANSPARENT and "x" in operands:
            return operands["x"]
        data = {name: s for name, s in operands.items() if name not in NOT_DATA}
        x = data.get("x")
        if op is None:
            return data[next(iter(data))] if one_of(data) else self._made(node, operands)
        if x is not None and (op.view or node.op in ("shuffle", "concat")):
            # elements keep their numbers; those of one place are not those of another
            zero = x.number == 0 and not self._single
            return x if x.uniform or zero or node.op == "view" else self._made(node, operands)
        if x is not None and x.uniform and x.touched and (op.flat or op.keeps_constants):
            # the average of zeros is 0, that of other equal numbers has a rounding error
            averaged = node.op in AVERAGES and x.number != 0
            if op.flat:
                return replace(x, terms=())
            # of equal elements of a row each row leaves its own
            return replace(x, rounded=x.rounded or averaged, uniform=x.uniform and self._along is None)
        zeros = [s.number == 0 for s in data.values()]
        if op.zero_preserving and (all(zeros) or (op.bilinear and any(zeros))):
            return self._joined((), data.values(), uniform=True)
        found = self._arithmetic(node, data)
        if found is not None:
            return found
        if op.pointwise and all(s.number is not None for s in touched):
            number = self._transferred(node, operands)
            if number is not None and math.isfinite(number):
                return self._joined(((ONE, number),) if number else (), touched, uniform=True)
        return self._made(node, operands)

    def _one_by_one(self, node: Node, op: Op) -> bool:
        """Whether what an op makes of the element of a scenario, and of its row, is known."""
        if op.reduction and (axis := node.get("axis")) is not None:
            return axis.key == self._along
        return op.pointwise or node.op in ARRANGED

    def _joined(
        self, terms: tuple[tuple[int, float], ...], parts: Iterable[Symbol], *, uniform: bool, rounds: bool = False
    ) -> Symbol:
        made_of = list(parts)
        return Symbol(
            terms,
            uniform,
            touched=any(s.touched for s in made_of),
            rounded=rounds or any(s.rounded for s in made_of),
            weak=any(s.weak for s in made_of),
            hidden=any(s.hidden for s in made_of),
        )

    def _made(self, node: Node, operands: Mapping[str, Symbol]) -> Symbol:
        """The symbol of an op of which nothing is simplified."""
        op = OPS.get(node.op)
        attrs = () if op is None or op.reduction else tuple(sorted(node.attrs.items(), key=lambda item: item[0]))
        parts = list(operands.values())
        terms = self._term(node.op, tuple((name, s.terms) for name, s in operands.items()), attrs)
        uniform = all(s.uniform for s in parts) and (op is None or op.pointwise or op.reduction)
        return self._joined(terms, parts, uniform=uniform)

    def _arithmetic(self, node: Node, s: Mapping[str, Symbol]) -> Symbol | None:
        """What algebra simplifies: sums and differences, multiples, squares, sums of multiples."""
        if node.op in ("sum", "mean", "nansum", "nanmean", "trace", "neg") and "x" in s:
            return self._linear(node, s["x"])
        if node.op == "square" or (node.op == "pow" and "y" in s and s["y"].number == 2):
            return self._product(node, s["x"], s["x"])
        if node.op in ERRORS and len(s) > 1:
            one, other, *_ = s.values()
            if one.terms == other.terms:
                return self._joined((), (one, other), uniform=True)
        if len(s) != 2 and not ("a" in s and "b" in s):
            return None
        a, b = s.values() if len(s) == 2 else (s["a"], s["b"])
        if node.op in ("sub", "add"):
            return self._sum(a, b, 1.0 if node.op == "add" else -1.0)
        if node.op in ("mul", "dot", "einsum"):
            return self._product(node, a, b)
        if node.op == "div" and b.number == 0:
            # no number, whatever is divided
            return self._made(node, s)
        if node.op == "div" and a.number == 0:
            return a
        if node.op == "div" and b.number is not None:
            return self._multiple(a, 1 / b.number)
        if node.op in ("maximum", "minimum") and a.terms == b.terms:
            return a
        return None

    def _sum(self, a: Symbol, b: Symbol, sign: float) -> Symbol:
        one, other = dict(a.terms), {term: sign * c for term, c in b.terms}
        total = {term: one.get(term, 0.0) + other.get(term, 0.0) for term in one | other}
        # only of what both have may something cancel: an epsilon that is added to 0 stays
        size = {term: max(abs(one[term]), abs(other[term])) for term in one.keys() & other.keys()}
        terms = tuple(sorted((term, c) for term, c in total.items() if abs(c) > TOLERANCE * size.get(term, 0.0)))
        # what is computed in the same way has the same error, and x - x, however it is written, has none
        opposite = one == {term: -c for term, c in other.items()}
        exact = opposite or a.terms == b.terms or len(terms) == len(a.terms) + len(b.terms)
        return self._joined(terms, (a, b), uniform=a.uniform and b.uniform, rounds=not exact)

    def _multiple(self, x: Symbol, factor: float) -> Symbol:
        terms = tuple((term, factor * c) for term, c in x.terms) if factor else ()
        # a multiple of an exact 0 is one
        return replace(x, terms=terms, rounded=x.rounded or (bool(x.terms) and abs(factor) != 1))

    def _linear(self, node: Node, x: Symbol) -> Symbol:
        if node.op == "neg":
            return self._multiple(x, -1.0)
        terms = tuple(sorted((self._term(node.op, term)[0][0], c) for term, c in x.terms))
        return self._joined(terms, (x,), uniform=x.uniform, rounds=len(terms) > 1)

    def _product(self, node: Node, a: Symbol, b: Symbol) -> Symbol | None:
        """A product, or a sum of products: of one term each, in either order, with their numbers taken out."""
        for one, other in ((a, b), (b, a)):
            if one.number == 0:
                return replace(one, weak=one.weak, touched=True) if one.touched else None
            if one.number is not None and node.op == "mul":
                return self._multiple(other, one.number)
        if len(a.terms) != 1 or len(b.terms) != 1:
            return None
        ((first, p),), ((second, q),) = a.terms, b.terms
        term = self._term("product", min(first, second), max(first, second))
        if node.op in ("dot", "einsum"):
            term = self._term("sum", term[0][0])
        rounds = node.op in ("dot", "einsum") or abs(p * q) != 1
        return self._joined(((term[0][0], p * q),), (a, b), uniform=a.uniform and b.uniform, rounds=rounds)

    def _choice(self, node: Node, s: Mapping[str, Symbol]) -> Symbol:
        """A selection, or what a variable is after two paths: the one taken, if the scenario tells."""
        a, b = s.get("a"), s.get("b")
        if a is None or b is None:
            return self._untouched(node)
        truth = self.truth(node["cond"]) if "cond" in node.args else None
        if truth is not None:
            return a if truth else b
        if a.terms == b.terms:
            return a if a.touched else b
        for one in (a, b):
            if one.touched and one.number == 0:
                return replace(one, weak=True, hidden=one.hidden or node.op == "where")
        return self._made(node, {"a": a, "b": b})

    def refutes(self, path: PathCondition, *, partly: bool = False) -> bool:
        """Whether the path to an op says what is not so in the scenario.

        ``partly``: where the scenario is so of one row, or one element, of the data, and nothing is said of the others.
        """
        self._partly = partly or self._single
        for key in path.last(MAX_CONDITIONS):
            for said, cond in path.get(key, ()):
                if said in TRUTHS and cond.key == key and self.truth(cond) is (said != TRUE):
                    return True
        return self.refuted

    def truth(self, cond: Node) -> bool | None:
        """Whether a condition holds in the scenario; None where it does not tell."""
        cond = bare(cond)
        if cond.op == "not":
            inner = self.truth(cond["x"])
            return None if inner is None else not inner
        if cond.op in ("any", "all", "test") and "x" in cond.args:
            inner = self.truth(cond["x"])
            # one element settles that some is, or that not all are
            partly = self._single or (self._partly and "axis" not in cond.args)
            return None if partly and inner is not (cond.op == "any") else inner
        if cond.op in ("and", "or"):
            both = [self.truth(cond[k]) for k in ("a", "b") if k in cond.args]
            if (cond.op == "or") in both:
                return cond.op == "or"
            return None if None in both else cond.op == "and"
        if cond.op in COMPARISONS and "a" in cond.args and "b" in cond.args:
            return self.compared(cond.op, cond["a"], cond["b"])
        found = self.symbol(cond)
        if found.weak or not found.touched or found.number is None:
            return None
        return bool(found.number)

    def compared(self, comparison: str, one: Node, other: Node) -> bool | None:
        """Whether two nodes compare so in the scenario."""
        a, b = self.symbol(one), self.symbol(other)
        if not (a.touched or b.touched) or a.weak or b.weak:
            return None
        if a.terms == b.terms:
            # of equal numbers none is NaN, as far as a scenario goes
            return comparison in ("eq", "le", "ge", "isclose")
        if a.number is not None and b.number is not None:
            return _compare(comparison, a.number, b.number)
        if a.number == 0 and not b.touched and self._unknown_bound(one, other) and comparison in BELOW:
            return comparison in ("lt", "le")
        return decided_by_range(comparison, self._range(one, a), self._range(other, b))

    def _unknown_bound(self, node: Node, bound: Node) -> bool:
        """Whether what is never negative is compared with a number that nobody knows: 0 is below what is meant."""
        return self.evaluate(node).lo >= 0 and self.evaluate(bound).lo < 0 and self.evaluate(bound).constant is None

    def _range(self, node: Node, symbol: Symbol) -> Value:
        """What a node can be in the scenario: of what depends on it, only what is computed is known."""
        if symbol.number is not None:
            return constant(symbol.number)
        extremum = bare(node)
        if self._single and extremum.op in ("min", "max") and self.symbol(extremum["x"]).number == 0:
            return value(-math.inf, 0.0) if extremum.op == "min" else value(0.0, math.inf)
        return TOP if symbol.touched else self.evaluate(node)

    def _transferred(self, node: Node, operands: Mapping[str, Symbol]) -> float | None:
        """The number that an op gives at the numbers of a scenario, whatever its other operands are."""
        values = {name: self.evaluate(a) for name, a in node.args.items()}
        for name, s in operands.items():
            if s.touched and s.number is not None:
                values[name] = constant(s.number, Kind.TENSOR)
        try:
            return OPS[node.op].transfer(values, node.attrs).constant
        except (KeyError, OverflowError, ZeroDivisionError):
            return None


def operands_of(node: Node) -> Iterator[tuple[str, Node]]:
    """The operands of a node; of a product of several in one tuple, each."""
    for name, operand in node.args.items():
        if node.op == "einsum" and operand.op == TUPLE:
            yield from ((f"{name}.{i}", a) for i, a in operand.args.items())
        elif name not in PLACES and has_data(node, operand) and not isinstance(operand.attrs.get("value"), str):
            yield name, operand


def one_of(data: Mapping[str, Symbol]) -> bool:
    """Whether several things in one are all the same."""
    return len({s.terms for s in data.values()}) == 1


def _compare(op: str, a: float | None, b: float | None) -> bool | None:
    if a is None or b is None or math.isnan(a) or math.isnan(b):
        return None
    outcomes = {"eq": a == b, "ne": a != b, "lt": a < b, "le": a <= b, "gt": a > b, "ge": a >= b}
    return outcomes.get(op)


def enters(node: Node) -> bool:
    """Whether a node holds numbers that a caller, a file or a network gives: also one entry of a record of several."""
    return node.op in SOURCES or is_field(node)


def taken_as_it_is(node: Node) -> bool:
    """Whether a scenario does not look into a node: what enters, literals, what a loop gives."""
    return enters(node) or node.op in (CONST, LOOP)


def upstream(operand: Node) -> list[Node]:
    """What an operand is made of, itself first."""
    return list(walk(operand, made_of, MAX_NODES))


def made_of(node: Node) -> list[Node]:
    """The operands that the data of a node comes from."""
    if node.op == LOOP or (enters(node) and node.op != "linear"):
        return []
    op = OPS.get(node.op)
    if op is not None and op.stops_gradient and node.op not in TRANSPARENT and not op.view:
        # comparisons, counts, sizes: no data any more
        return []
    return [a for name, a in node.args.items() if name not in NOT_DATA and has_data(node, a)]


def has_data(node: Node, operand: Node) -> bool:
    """Whether an operand is more than the layer that an op is written as: one with weights is."""
    return operand.op != LAYER or node.op == "linear"


def parts_of(nodes: list[Node]) -> dict[int, frozenset[int]]:
    """For each of the nodes upstream of an operand, by index, the keys of what it is made of, itself among them."""
    within = {n.index: n for n in nodes}
    found: dict[int, frozenset[int]] = {}
    # operands are created before the nodes that use them
    for index in sorted(within):
        node = within[index]
        parts = (found.get(a.index, frozenset((a.key,))) for a in node.args.values())
        found[index] = frozenset((node.key,)).union(*parts)
    return found


def root(node: Node, *, statistics: bool = True) -> Node:
    """The data that a node is a view, a part, or a mean or an extremum of (not so without ``statistics``)."""
    node = bare(node)
    while True:
        op = OPS.get(node.op)
        if is_field(node):
            return node
        if op is not None and (op.view or (statistics and op.keeps_constants)) and "x" in node.args:
            node = bare(node["x"])
        else:
            return node


def scenarios(nodes: list[Node], evaluate: Evaluate) -> Iterator[Scenario]:
    """What may be said of the data among the nodes that an operand is made of."""
    data = list({n.key: n for n in nodes if enters(n) and may_vanish(n, evaluate)}.values())[:MAX_SCENARIOS]
    for source in data:
        yield Scenario(Shape.CONSTANT, (source,))
    yield from (Scenario(Shape.CONSTANT, (made,)) for made in spread_out(nodes, evaluate) if made not in data)
    for node in nodes:
        if node.op in DIFFERENCES and len(node.args) > 1:
            a, b = (bare(operand) for operand in list(node.args.values())[:2])
            spread = root(a).key == root(b).key and root(a, statistics=False).key != root(b, statistics=False).key
            # the elements of a grid differ: they cannot all be one number
            placed = any(laid_out(root(n, statistics=False), evaluate) for n in (a, b))
            if CONST not in (a.op, b.op) and a.key != b.key and not spread and not placed:
                yield Scenario(Shape.EQUAL, (a, b), node)
                points = root(a, statistics=False), root(b, statistics=False)
                if points[0].key not in (a.key, points[1].key):
                    # two components of points are equal where the points are
                    yield Scenario(Shape.EQUAL, points, node)
    for source in data:
        yield Scenario(Shape.ZERO, (source,))
    if 1 < len(data) <= 4:
        yield Scenario(Shape.ZERO, tuple(data))
    if len(data) == 2:
        yield Scenario(Shape.EQUAL, (data[0], data[1]))


def spread_out(nodes: list[Node], evaluate: Evaluate) -> Iterator[Node]:
    """Computed data of which a deviation is taken: what a standard deviation is of, or its own mean is taken from.

    One sample, or one that repeats, has none, whatever it was computed from; random draws do not repeat.
    """
    for node in nodes:
        op = OPS.get(node.op)
        if op is not None and op.flat and op.reduction and "x" in node.args:
            made = bare(node["x"])
        elif node.op == "sub" and root(bare(node["b"])).key == root(bare(node["a"]), statistics=False).key:
            made = bare(node["a"])
        else:
            continue
        parts = walk(made, lambda n: n.args.values(), MAX_NODES)
        drawn = any(part.op in OPS and not OPS[part.op].pure for part in parts)
        known = evaluate(made).kind is Kind.SCALAR or evaluate(made).constant is not None
        if not known and not drawn and holds_data(made, evaluate):
            yield made


def is_set_in_table(source: Node) -> bool:
    """Whether an entry of a table is a number that someone set, and not to 0: an epsilon, a rate of an optimizer."""
    if not is_field(source) or source["index"].attrs["value"] == "params":
        return False
    groups = walk(source["x"], lambda n: [n["x"]] if n.op in ("part", REFINE) else (), 4)
    of_optimizer = any(n.op == ATTR and n.name.rpartition(".")[2] == "param_groups" for n in groups)
    return of_optimizer or is_epsilon(source["index"].attrs["value"])


def may_vanish(source: Node, evaluate: Evaluate) -> bool:
    """Whether nothing says that data is no array, or is not 0."""
    v = evaluate(source)
    if is_set_in_table(source):
        return False
    if source.op in UNSEEN and source.args and not any(holds_data(a, evaluate) for a in source.args.values()):
        # a window, a grid: made from numbers
        return False
    return v.kind is not Kind.SCALAR and v.zero is not NEVER and v.constant is None


def holds_data(node: Node, evaluate: Evaluate) -> bool:
    """Whether data comes into a node that a caller, a file or a network gives, not only settings, grids and draws."""

    def unsaid(n: Node) -> bool:
        return not is_setting(n, evaluate)

    def onward(n: Node) -> Iterable[Node]:
        return filter(unsaid, n.args.values()) if n.op in UNSEEN else made_of(n)

    # what a loop adds up is not looked through
    return unsaid(node) and any(
        n.op == LOOP or (enters(n) and not (n.op in UNSEEN and n.args) and unsaid(n))
        for n in walk(node, onward, MAX_NODES)
    )


@asked_once
def is_setting(node: Node, evaluate: Evaluate) -> bool:
    """Whether a value is a number of Python's, by its type or as an end of a range, or a word, or compared with one."""
    if evaluate(node).kind is Kind.SCALAR or named(node):
        return True
    if any(user.op in ("arange", "range") for user in node.users):
        # as many as it says
        return True
    others = (other for user in bare(node).users if user.op in ("eq", "ne", "test") for other in user.args.values())
    return any(named(other) or (other.op == TUPLE and any(map(named, other.args.values()))) for other in others)


def named(node: Node) -> bool:
    """Whether a node is a literal string."""
    return isinstance(node.attrs.get("value"), str)


class Met(Enum):
    """How degenerate data takes an operand to a pole, in the order in which it is surer."""

    #: two things are the same, and the slope is infinite there
    COINCIDENT = "coincident"
    #: what is 0 in exact arithmetic is rounded to less
    ROUNDED = "rounded"
    #: what is divided vanishes with its divisor
    BOTH_ZERO = "both_zero"
    #: a row, or all, of what is summed is 0
    ROW_OF_ZEROS = "row_of_zeros"
    #: a logarithm of what is summed
    SUM_OF_ZEROS = "sum_of_zeros"
    #: the slope at data that is 0 is infinite
    SLOPE_AT_ZERO = "slope_at_zero"
    #: the data is a factor of its own logarithm
    OWN_FACTOR = "own_factor"
    #: two things are the same, or all elements are, and it is for a caller to say whether
    EQUAL = "equal"
    #: data is 0, and it is for a caller to say whether
    ZERO = "zero"
    #: what is set, or stands in a grid, would have to be so
    SET_SO = "set_so"
    #: data that is met is not of this kind
    NOT_MET = "not_met"
    #: a selection takes another number there
    OTHER_TAKEN = "other_taken"


class Executions:
    """The executions of one file, each shared by all that is asked of its scenario."""

    def __init__(self, evaluate: Evaluate) -> None:
        self.evaluate = evaluate
        self._known: dict[tuple[Shape, tuple[int, ...]], Execution] = {}

    def vanishes(self, scenario: Scenario, operand: Node) -> bool:
        """Whether an operand may come out as 0: what the path to it says is not asked."""
        key = scenario.shape, tuple(node.key for node in scenario.data)
        execution = self._known.get(key)
        if execution is None:
            execution = self._known[key] = Execution(scenario, self.evaluate)
        execution.left = MAX_STEPS
        symbol = execution.symbol(operand)
        if not execution.left:
            # cut short, and so is what it remembers
            del self._known[key]
            return True
        return symbol.number == 0 and symbol.touched


def degenerate(
    node: Node, pole: Pole, operand: Node, shared: Executions, *, learned: bool = True
) -> Iterator[tuple[Met, Evidence]]:
    """The scenarios that take the operand of an op to a pole, each with how it does.

    ``learned``: what methods give may be the features of a network, which are not 0 throughout.
    """
    evaluate = shared.evaluate
    # of data that is 0, or all equal, no other operand is infinite
    if pole.shift or pole.cls not in ("zero", "neg") or any(cls in ("pinf", "ninf") for _, cls in pole.also):
        return
    if pole.cls == "zero" and node.op in (*LOGARITHMS, "sqrt") and evaluate(operand).neg >= LIKELY:
        # it is below 0 at times, which is worse
        return
    if enters(bare(operand)):
        if multiplied_at_zero(node, pole, operand, evaluate):
            because = "is part of a factor of its own logarithm, where the product should be 0 at 0"
            yield Met.OWN_FACTOR, Evidence(because, operand, origin=Origin.ATTAINED)
        return
    spreads: set[int] = set()
    nodes = upstream(operand)
    made_of: dict[int, frozenset[int]] | None = None
    partly = not of_all(nodes)
    for scenario in scenarios(nodes, evaluate):
        if scenario.shape is Shape.ZERO and spreads & {n.key for n in scenario.data}:
            # a spread is 0 for any constant
            continue
        if not shared.vanishes(scenario, operand):
            continue
        made_of = made_of or parts_of(nodes)
        execution = Execution(scenario, evaluate, made_of=made_of)
        symbol = execution.symbol(operand)
        if symbol.number != 0 or not symbol.touched:
            continue
        if pole.cls == "neg" and not symbol.rounded:
            # exactly 0, and not below
            continue
        others = (node[name] for name, cls in pole.also if cls != "pos" and name in node.args)
        if not all(execution.symbol(other).number == 0 for other in others):
            continue
        if execution.refutes(node.facts, partly=partly):
            continue
        if scenario.shape is Shape.CONSTANT:
            spreads.update(n.key for n in scenario.data)
        how = met_how(scenario, node, pole, operand, execution)
        met = scenario.shape is Shape.ZERO and met_by_data(
            scenario.data, nodes, learned=learned, gradient=pole.gradient
        )
        placed = scenario.shape in (Shape.CONSTANT, Shape.EQUAL) and any(
            is_coordinate(called(root(n))) for n in scenario.data
        )
        if how is None:
            continue
        if symbol.hidden:
            how = Met.OTHER_TAKEN
        elif placed and how is not Met.SET_SO:
            how = Met.EQUAL
        elif scenario.shape is Shape.ZERO and not met and how is not Met.SET_SO:
            how = Met.NOT_MET
        yield how, described(scenario, pole, operand, met=met)


def saturated(node: Node, pole: Pole, operand: Node, evaluate: Evaluate) -> Evidence | None:
    """The ends of functions that saturate which take an operand to a pole together."""
    found = list(islice(saturating(operand, evaluate), MAX_NAMED)) if pole.cls == "zero" else []
    wanted = {operand: -pole.shift} | {node[name]: 0.0 for name, cls in pole.also if cls != "pos" and name in node.args}
    for ends in combinations(*(ends for _, ends in found)):
        there = where_each_is(zip((source for source, _ in found), ends, strict=True), evaluate)
        met = there.symbol(operand).touched and all(there.symbol(n).number == number for n, number in wanted.items())
        if met and not there.symbol(operand).weak and not there.refutes(node.facts):
            names = " and ".join(dict.fromkeys(f"`{source.op}`" for source, _ in found))
            return Evidence(f"is {0 - pole.shift:g} at the ends of {names}", found[0][0], origin=Origin.SATURATION)
    return None


def saturating(operand: Node, evaluate: Evaluate) -> Iterator[tuple[Node, tuple[float, ...]]]:
    """The functions behind an operand that saturate at both ends for ordinary data, with these."""
    for source in {n.key: n for n in upstream(operand) if n.op in OPS}.values():
        v = evaluate(source)
        ends = tuple(
            number
            for end, number in (("low", v.lo), ("high", v.hi))
            if v.reach(end) >= LIKELY
            and (e := v.why.get(end)) is not None
            and e.origin is Origin.SATURATION
            and e.node is source
        )
        if len(ends) > 1:
            yield source, ends


def excluded(node: Node, pole: Pole, operand: Node, evaluate: Evaluate) -> bool:
    """Whether the path to an op says what is not so where its operand is 0: a * n > b with b not below 0.

    A length is 0 only where its vector is, and a sum of what is not negative only where all of its terms are.
    """
    if pole.cls != "zero" or pole.shift or not node.facts:
        return False
    return where_zero(operand, evaluate).refutes(node.facts)


def zero_where(node: Node, other: Node, evaluate: Evaluate) -> bool:
    """Whether a node is 0 wherever another one is: a vector where its length is, what is left of a mean where there is
    no deviation. Of a sum of what may have either sign nothing is known."""
    symbol = where_zero(other, evaluate).symbol(node)
    return symbol.number == 0 and symbol.touched and not symbol.weak


def normalises(quotient: Node, evaluate: Evaluate) -> bool:
    """Whether data is divided by what is gathered from it: x by its length, by its sum, by its range.

    It stays bounded as all of it goes to 0, and 0 is what is meant there. A quotient of the same numbers one by one, as
    sin(x) / x, has a limit instead, and a ratio of two statistics is undefined.
    """
    above, below = quotient.get("a"), quotient.get("b")
    if above is None or below is None or not zero_where(above, below, evaluate):
        return False
    parts, gatherers = gathered_by(below, evaluate)

    def one_by_one(node: Node) -> list[Node]:
        op = OPS.get(node.op)
        whole = node.key in gatherers or not (node.op == REFINE or (op is not None and (op.pointwise or op.view)))
        return [] if whole else [a for name, a in node.args.items() if name not in NOT_DATA]

    return any(n.key in parts for n in walk(above, one_by_one, MAX_NODES))


def variables(node: Node, known: Collection[int] = ()) -> set[int]:
    """The keys of what a node is computed from one by one, but for constants; those in ``known`` count as they are."""

    def computed(current: Node) -> list[Node]:
        if current.key in known:
            return []
        op = OPS.get(current.op)
        one_by_one = current.op == REFINE or (op is not None and (op.pointwise or current.op in ARRANGED))
        return [a for name, a in current.args.items() if name not in NOT_DATA] if one_by_one else []

    return {n.key for n in walk(node, computed, MAX_NODES) if n.op != CONST and not computed(n)}


def gathered_by(node: Node, evaluate: Evaluate) -> tuple[set[int], set[int]]:
    """The keys of what is 0, or all equal, wherever a node is 0 that is gathered from it, and of what gathers it."""
    parts: set[int] = set()
    gatherers: set[int] = set()
    pending = [(node, False)]
    while pending and len(parts) < MAX_NODES:
        current, within = pending.pop()
        one = bare(current)
        if within:
            parts |= {current.key, one.key}
        if (spread := spread_over(one)) is not None:
            parts |= {spread.key, bare(spread).key}
            gatherers.add(one.key)
            continue
        root_of_squares = one.op == "sqrt" and bare(one["x"]).op == "dot"
        gatherer = bare(one["x"]) if root_of_squares else one
        if made_of_rows(gatherer) or brings_together(gatherer):
            gatherers.add(gatherer.key)
            within = True
        pending += [(source, within) for source, _ in vanishing_with(one, evaluate)]
    return parts, gatherers


def brings_together(node: Node) -> bool:
    """Whether a node is made of two terms of different data."""
    if node.op not in ("add", "hypot"):
        return False
    one, other = ({n.key for n in upstream(node[k]) if enters(n)} for k in ("a", "b"))
    return one != other


def kept_off(operand: Node, pole: Pole, where: Node, evaluate: Evaluate) -> bool:
    """Whether an operand is not at its pole where another node is 0, because a selection takes another number there."""
    selection = bare(operand)
    if selection.op != "where":
        return False
    for branch in ("a", "b"):
        execution = Execution(Scenario(Shape.ZERO, (where, bare(where))), evaluate)
        execution.suppose(selection[branch], -pole.shift)
        taken = execution.symbol(selection)
        if taken.number not in (None, -pole.shift) and not taken.weak:
            return True
    return False


def breaks_further_on(node: Node, poles: Callable[[Node], Iterable[Pole]], evaluate: Evaluate) -> Node | None:
    """What is at a pole because a node is 0: the first op among those that it goes on to, if any."""
    execution = Execution(Scenario(Shape.ZERO, (node,)), evaluate)
    for user in walk(node, lambda current: current.users, MAX_NODES):
        for pole in poles(user) if user is not node else ():
            operand = user.get(pole.name)
            if pole.cls != "zero" or operand is None or pole.shift:
                continue
            others = [user[name] for name, cls in pole.also if cls != "pos" and name in user.args]
            symbols = [execution.symbol(one) for one in (operand, *others)]
            if all(s.number == 0 and not s.weak for s in symbols) and symbols[0].touched:
                return user
    return None


def where_zero(node: Node, evaluate: Evaluate) -> Execution:
    """What is so wherever a node is 0: a length is only where its vector is."""
    shape, along = Shape.ELEMENT, None
    data = [node, bare(node)]
    for current in data:
        if len(data) >= MAX_NODES:
            break
        if (spread := spread_over(current)) is not None:
            # 0 where all elements are equal
            equal = (spread, bare(spread))
            return Execution(Scenario(Shape.CONSTANT, equal), evaluate, along=current.get("axis"))
        for source, whole in vanishing_with(current, evaluate):
            along = along or current.get("axis")
            data += [source, bare(source)]
            if whole:
                shape = Shape.ZERO
    return Execution(Scenario(shape, tuple(data)), evaluate, along=along if shape is Shape.ELEMENT else None)


def where_each_is(numbers: Iterable[tuple[Node, float]], evaluate: Evaluate) -> Execution:
    """What is so wherever nodes are certain numbers at once: x is 1 where 1 - x is 0."""
    execution = Execution(Scenario(Shape.ELEMENT, ()), evaluate)
    for node, number in numbers:
        execution.suppose(node, number)
    return execution


def spread_over(node: Node) -> Node | None:
    """The array of whose elements a node is the deviation, or the range."""
    quantiles = node.spelling is not None and node.spelling.name.endswith("iqr")
    if node.op in ("std", "var", "ptp") and not quantiles:
        return node["x"]
    if node.op != "sub":
        return None
    high, low = bare(node["a"]), bare(node["b"])
    if (high.op, low.op) != ("max", "min") or "axis" in high.args or "axis" in low.args:
        return None
    return high["x"] if same(high["x"], low["x"]) else None


def vanishing_with(node: Node, evaluate: Evaluate) -> Iterator[tuple[Node, bool]]:
    """What is 0 wherever a node is, and whether all of it is."""
    if (root := square_root_of(node)) is not None:
        yield root, False
    elif node.op in ("abs", "neg"):
        yield node["x"], False
    elif node.op == "div":
        yield node["a"], False
    elif node.op == "sqrt":
        inner = bare(node["x"])
        yield (inner["a"], True) if inner.op == "dot" and same(inner["a"], inner["b"]) else (inner, False)
    elif node.op == "ne":
        yield from ((one, False) for one, other in ((node["a"], node["b"]), (node["b"], node["a"])) if is_zero(other))
    elif node.op in ("norm", "count_nonzero") or (node.op in REDUCES and evaluate(node["x"]).lo >= 0):
        yield node["x"], "axis" not in node.args
    elif node.op == "mul":
        factors = ((node[k], node[other]) for k, other in (("a", "b"), ("b", "a")))
        yield from [(one, False) for one, other in factors if evaluate(other).zero is NEVER][:1]
    elif node.op == "hypot" or (node.op == "add" and all(evaluate(node[k]).lo >= 0 for k in ("a", "b"))):
        yield from ((node[k], False) for k in ("a", "b"))


def multiplied_at_zero(node: Node, pole: Pole, operand: Node, evaluate: Evaluate) -> bool:
    """r**2 * log(r): whether a logarithm of data multiplies what is 0 where the data is."""
    if node.op not in LOGARITHMS or pole.cls != "zero" or not may_vanish(bare(operand), evaluate):
        return False
    execution = Execution(Scenario(Shape.ZERO, (bare(operand),)), evaluate)
    products = (user for user in node.users if user.op == "mul")
    others = (execution.symbol(one["b"] if one["a"] is node else one["a"]) for one in products)
    return any(other.number == 0 and other.touched for other in others)


def met_how(scenario: Scenario, node: Node, pole: Pole, operand: Node, execution: Execution) -> Met | None:
    """How a scenario takes what stands to break to its pole; None where too little speaks for it."""
    evaluate = execution.evaluate
    if pole.cls == "neg" and keeps_sign(operand, execution):
        return None
    gathered = gathers(operand)
    # 0 / 0: what is divided vanishes with its divisor
    own = node.op == "div" and execution.symbol(node["a"]).number == 0
    setting = [is_set(root(n), evaluate) for n in scenario.data]
    # whether data coincides is for who calls it; that rounding goes below 0 then, or a slope is infinite, is not
    felt = Met.COINCIDENT if pole.gradient else Met.ROUNDED if pole.cls == "neg" else Met.EQUAL
    if scenario.shape is Shape.CONSTANT:
        # the places of a schedule, or of a grid, are not data: two of them hardly coincide
        placed = all(setting) or any(n.op == "part" for n in upstream(operand))
        if placed and not gathered:
            return Met.SET_SO
        return Met.EQUAL if pole.gradient else felt
    if scenario.shape is Shape.EQUAL:
        if all(setting):
            return None
        one_thing = len({root(n).key for n in scenario.data}) == 1
        if not one_thing and pole.gradient and made_apart(scenario.data):
            return Met.NOT_MET
        if one_thing or (gathered and (scenario.difference or pole.cls == "neg")):
            return felt
        distance = scenario.difference and (pole.also or evaluate(operand).lo >= 0)
        if pole.gradient and distance and settled(node, operand, evaluate):
            # 0 is the end of its range
            return felt
        # any two numbers may be equal: too little to go by for a root or a logarithm
        return None if pole.gradient or pole.cls == "neg" else Met.EQUAL
    positive = evaluate(operand).lo >= 0
    if any(setting):
        # who sets a number to 0 knows
        return Met.SET_SO if positive or not all(setting) else None
    if own:
        return Met.BOTH_ZERO if gathered or positive else Met.ZERO
    if positive:
        slope = pole.gradient and len(scenario.data) == 1
        return Met.ROW_OF_ZEROS if gathered else Met.SLOPE_AT_ZERO if slope else Met.ZERO
    # who takes the logarithm of a sum has terms of one sign
    return Met.SUM_OF_ZEROS if gathered and node.op in LOGARITHMS else None


def made_apart(data: tuple[Node, ...]) -> bool:
    """Whether things are made by different layers: these hardly agree in all that they learn.

    What one layer makes of two inputs is equal where these are.
    """
    layers = [{n.site for n in upstream(made) if n.op == LAYER} for made in data]
    return all(layers) and any(one != layers[0] for one in layers)


def keeps_sign(node: Node, execution: Execution) -> bool:
    """Whether what vanishes in a node, and its rounding with it, is no less than 0: a factor, a term of a mean."""
    node = bare(node)
    if execution.evaluate(node).lo >= 0:
        return True
    parts = [node[k] for k in ("x", "a", "b")[: 2 if node.op == "div" else 3] if k in node.args]
    within = node.op in REDUCES or node.op in ("div", "mul", "dot", "average")
    return within and any(execution.symbol(one).number == 0 and keeps_sign(one, execution) for one in parts)


def met_by_data(data: tuple[Node, ...], nodes: list[Node], *, learned: bool, gradient: bool) -> bool:
    """Whether data of this kind is met that is 0 throughout, for an operand that is made of ``nodes``.

    Of a value, that is one row of what a step is given, and what starts at 0: hardly all of an array, or a setting.
    Of a ``gradient``, also one element, and all of it where batches come by.
    The features of a network are not 0 throughout, neither are counts that are added up, and probabilities sum to 1.
    """
    names = [called(n) for n in data]
    if learned and all(is_feature(n) for n in data):
        return False
    if not gradient:
        if not learned or len(data) > 1:
            return False
        (source,) = data
        if is_field(source) and is_trained(bare(source["x"]).name):
            return any(n.op == "dot" for n in nodes)
        rows = any(made_of_rows(n) and by_row(n) for n in nodes)
        return rows and is_given(source) and not is_probability(names[0])
    if not any(made_of_rows(n) for n in nodes):
        return not (len(data) > 1 and all(expected(name).whole for name in names))
    return not all(is_probability(name) for name in names)


def is_given(source: Node) -> bool:
    """Whether data is what a step is given: not what is trained, turned or drawn.

    A function does not say what it returns, nor what is in it; then the name does.
    """
    record = bare(source["x"]) if is_field(source) else source
    if record.op == CALL:
        return says(called(record), BATCH)
    return (source.op == PARAM or is_field(source)) and not says(called(source), NEVER_ZERO)


def made_of_rows(node: Node) -> bool:
    """Whether a node makes one element of many."""
    op = OPS.get(node.op)
    return op is not None and (op.reduction or op.bilinear or node.op == "cumsum")


def is_set(source: Node, evaluate: Evaluate) -> bool:
    """Whether a value is one number by its type, or belongs to an object, or has a few numbers as its default."""
    default = source.get("default")
    one = evaluate(source).kind is Kind.SCALAR or source.attrs.get("annotation") in SCALAR_ANNOTATIONS
    return source.op == ATTR or one or (default is not None and default.op == TUPLE)


def settled(node: Node, operand: Node, evaluate: Evaluate) -> bool:
    """Whether what the poles of an op depend on, beside the operand, is known: the exponent of a power."""
    others = (a for a in node.args.values() if a is not operand)
    return OPS[node.op].poles_for is None or all(evaluate(a).constant is not None for a in others)


def is_feature(node: Node) -> bool:
    """Whether data is what a layer, or a method of an object, makes of other data."""
    source = root(node)
    return source.op == "linear" or (source.op == CALL and source.name.startswith("."))


def gathers(operand: Node) -> bool:
    """Whether an operand is made of many elements: a length, a sum, an extremum."""
    return any(map(made_of_rows, upstream(operand)))


def of_all(nodes: list[Node]) -> bool:
    """Whether an operand that is made of these nodes is a number of all elements, as against one of each row."""
    gathering = list(filter(made_of_rows, nodes))
    return bool(gathering) and not any(map(by_row, gathering))


def by_row(node: Node) -> bool:
    """Whether what makes one element of many does so for each row: along an axis, or as a product of a matrix."""
    product = node.op == "dot" and {"a", "b"} <= node.args.keys()
    return "axis" in node.args or (product and not same(node["a"], node["b"]))


def described(scenario: Scenario, pole: Pole, operand: Node, *, met: bool) -> Evidence:
    """A scenario in words; ``met``: data of this kind is met."""
    equal = coincidence(*scenario.data) if scenario.shape is Shape.EQUAL else ""
    of = " and ".join(dict.fromkeys(written(n) for n in scenario.data)) if len(scenario.data) <= MAX_NAMED else ""
    alike = f"if all elements of {of} are equal" if of else "if all of its data is equal"
    if pole.cls == "neg":
        because = f"is 0 {equal or alike}, and rounding can make it negative"
        return Evidence(because, bare(operand), origin=Origin.ROUNDING)
    if scenario.shape is Shape.EQUAL:
        return Evidence(f"is 0 {equal}", scenario.difference or operand, origin=Origin.COINCIDENCE)
    if scenario.shape is Shape.CONSTANT:
        return Evidence(f"is 0 {alike}", operand, origin=Origin.STATISTIC)
    return Evidence(f"is 0 {zeros(of, upstream(operand))}", operand, origin=Origin.ROW if met else Origin.DATA)


def zeros(of: str, nodes: list[Node]) -> str:
    """Of how much of what it is made of an operand needs zeros, in words: each element by itself, of a row, of all."""
    gathering = list(filter(made_of_rows, nodes))
    if not gathering:
        return f"where {of or 'all of its data'} {'are' if '` and `' in of else 'is'} 0"
    row = "a row of " if any(map(by_row, gathering)) else ""
    return f"if {row}{of or 'its data'} {'are' if '` and `' in of and not row else 'is'} all zeros"


def written(source: Node) -> str:
    """Data as a message names it."""
    return f"`{variable}`" if (variable := source.attrs.get("variable")) else in_source(source) or f"`{called(source)}`"
