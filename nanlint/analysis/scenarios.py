"""Degenerate data: what an expression becomes where its data is zero, constant, or where two points coincide.

A scenario says something of what enters an expression; the expression is then executed on symbols. Where it comes out
as exactly 0, the scenario is the evidence that it does, and a witness at once. What an op does to zeros and constants
is read from the catalogue: its traits, and its transfer function at a constant.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from enum import Enum
from typing import Any

from nanlint.analysis.epsilons import LOGARITHMS
from nanlint.analysis.names import is_epsilon
from nanlint.analysis.structure import Evaluate, bare, coincidence, walk
from nanlint.graph.node import ATTR, CALL, CONST, LOOP, PARAM, PHI, REFINE, TUPLE, Node
from nanlint.ops.op import OPS, Pole
from nanlint.ops.selection import COMPARISONS
from nanlint.ops.value import LIKELY, NEVER, POSSIBLE, UNKNOWN, Evidence, Kind, Origin, Reach, constant

#: nodes looked at between an operand and the data that it is made of
MAX_NODES = 40
#: nodes executed in one scenario
MAX_STEPS = 200
#: scenarios that are tried for one operand
MAX_SCENARIOS = 6
#: what holds numbers that a caller, a file or a network gives
SOURCES = frozenset({PARAM, ATTR, CALL, "input", "unknown", "linear", "gradient"})
#: operands that say where, not what
PLACES = frozenset({"by", "axis", "ord", "ddof"})
#: operands that hold no data
NOT_DATA = PLACES | {"cond", "index"}
#: the term that is the number 1
ONE = 0
#: the average of equal numbers is that number, but for rounding
AVERAGES = frozenset({"mean", "nanmean", "average", "segment_mean", "interpolate"})
#: what is left of coefficients that cancel, beside them: the rounding of their arithmetic
TOLERANCE = 1e-12
#: nodes that hand on what they are given
TRANSPARENT = frozenset({REFINE, "cast", "identity", "stop_gradient", "finite", "list", "tensor", "item", "dropout"})


class Shape(Enum):
    """What a scenario says of the data: all of it is 0, all of its elements are equal, two things are the same."""

    ZERO = "zero"
    CONSTANT = "constant"
    EQUAL = "equal"


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
    arithmetic only. ``weak``: on one path only.
    """

    terms: tuple[tuple[int, float], ...]
    uniform: bool = False
    touched: bool = False
    rounded: bool = False
    weak: bool = False

    @property
    def number(self) -> float | None:
        """The one number that all elements are, if known."""
        if not self.terms:
            return 0.0
        return self.terms[0][1] if len(self.terms) == 1 and self.terms[0][0] == ONE else None


class Execution:
    """Symbols of expressions in one scenario."""

    def __init__(self, scenario: Scenario, evaluate: Evaluate, made_of: Mapping[int, frozenset[int]]) -> None:
        self.evaluate = evaluate
        self._made_of = made_of
        self._terms: dict[Any, int] = {"one": ONE}
        self._memo: dict[int, Symbol] = {}
        self._open: set[int] = set()
        self._left = MAX_STEPS
        self._given: dict[int, Symbol] = {}
        first = self._term("data", scenario.data[0].key)
        for node in scenario.data:
            if scenario.shape is Shape.ZERO:
                self._given[node.key] = Symbol((), uniform=True, touched=True)
            else:
                self._given[node.key] = Symbol(first, scenario.shape is Shape.CONSTANT, touched=True)

    def symbol(self, node: Node) -> Symbol:
        """The symbol of a node."""
        given = self._given.get(node.key)
        if given is not None:
            return given
        found = self._memo.get(node.index)
        if found is None:
            parts = self._made_of.get(node.index)
            apart = parts is not None and parts.isdisjoint(self._given)
            if apart or node.index in self._open or not self._left:
                return self._untouched(node)
            self._left -= 1
            self._open.add(node.index)
            found = self._memo[node.index] = self._execute(node)
            self._open.discard(node.index)
        return found

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
        if enters(node) or node.op in (CONST, LOOP):
            return self._untouched(node)
        operands = {name: self.symbol(a) for name, a in operands_of(node)}
        touched = [s for s in operands.values() if s.touched]
        if not touched:
            return self._untouched(node)
        if node.op in (PHI, "where"):
            return self._choice(node, operands)
        if node.op in TRANSPARENT and "x" in operands:
            return operands["x"]
        op = OPS.get(node.op)
        data = {name: s for name, s in operands.items() if name not in NOT_DATA}
        x = data.get("x")
        if op is None:
            return data[next(iter(data))] if one_of(data) else self._made(node, operands)
        if x is not None and (op.view or node.op in ("shuffle", "concat")):
            # elements keep their numbers; those of one place are not those of another
            return x if x.uniform or node.op == "view" else self._made(node, operands)
        if x is not None and x.uniform and x.touched and (op.flat or op.keeps_constants):
            return replace(x, terms=()) if op.flat else replace(x, rounded=x.rounded or node.op in AVERAGES)
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
        if len(s) != 2 and not ("a" in s and "b" in s):
            return None
        a, b = s.values() if len(s) == 2 else (s["a"], s["b"])
        if node.op in ("sub", "add"):
            return self._sum(a, b, 1.0 if node.op == "add" else -1.0)
        if node.op in ("squared_difference", "distance", "squared_error", "absolute_error") and a.terms == b.terms:
            return self._joined((), (a, b), uniform=True)
        if node.op in ("mul", "dot", "einsum"):
            return self._product(node, a, b)
        if node.op == "div" and a.number == 0 and b.number != 0:
            return a
        if node.op == "div" and b.number is not None and b.number != 0:
            return self._multiple(a, 1 / b.number)
        if node.op in ("maximum", "minimum") and a.terms == b.terms:
            return a
        return None

    def _sum(self, a: Symbol, b: Symbol, sign: float) -> Symbol:
        total, size = dict[int, float](), dict[int, float]()
        for part, factor in ((a, 1.0), (b, sign)):
            for term, coefficient in part.terms:
                total[term] = total.get(term, 0.0) + factor * coefficient
                size[term] = max(size.get(term, 0.0), abs(coefficient))
        # beside an exact 0 the smallest epsilon counts, and not beside what is left by rounding
        least = 1.0 if a.rounded or b.rounded else 0.0
        terms = tuple(sorted((term, c) for term, c in total.items() if abs(c) > TOLERANCE * max(least, size[term])))
        # what is computed in the same way has the same error
        exact = a.terms == b.terms or len(terms) == len(a.terms) + len(b.terms)
        return self._joined(terms, (a, b), uniform=a.uniform and b.uniform, rounds=not exact)

    def _multiple(self, x: Symbol, factor: float) -> Symbol:
        terms = tuple((term, factor * c) for term, c in x.terms) if factor else ()
        return replace(x, terms=terms, rounded=x.rounded or abs(factor) != 1)

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
            return a
        for one in (a, b):
            if one.touched and one.number == 0:
                return replace(one, weak=True)
        return self._made(node, {"a": a, "b": b})

    def truth(self, cond: Node) -> bool | None:
        """Whether a condition holds in the scenario; None where it does not tell."""
        cond = bare(cond)
        if cond.op == "not":
            inner = self.truth(cond["x"])
            return None if inner is None else not inner
        if cond.op in ("any", "all", "test") and "x" in cond.args:
            return self.truth(cond["x"])
        if cond.op in ("and", "or"):
            both = [self.truth(cond[k]) for k in ("a", "b") if k in cond.args]
            if (cond.op == "or") in both:
                return cond.op == "or"
            return None if None in both else cond.op == "and"
        if cond.op in COMPARISONS and "a" in cond.args and "b" in cond.args:
            a, b = self.symbol(cond["a"]), self.symbol(cond["b"])
            if not (a.touched or b.touched):
                return None
            if a.terms == b.terms:
                return cond.op in ("eq", "le", "ge", "isclose")
            return _compare(cond.op, a.number, b.number)
        found = self.symbol(cond)
        return bool(found.number) if found.touched and found.number is not None else None

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
        elif name not in PLACES and not isinstance(operand.attrs.get("value"), str):
            yield name, operand


def one_of(data: Mapping[str, Symbol]) -> bool:
    """Whether several things in one are all the same."""
    return len({s.terms for s in data.values()}) == 1


def _compare(op: str, a: float | None, b: float | None) -> bool | None:
    if a is None or b is None or math.isnan(a) or math.isnan(b):
        return None
    outcomes = {"eq": a == b, "ne": a != b, "lt": a < b, "le": a <= b, "gt": a > b, "ge": a >= b}
    return outcomes.get(op)


def upstream(operand: Node) -> list[Node]:
    """What an operand is made of, itself first."""

    def made_of(node: Node) -> list[Node]:
        if node.op == LOOP or (enters(node) and node.op != "linear"):
            return []
        op = OPS.get(node.op)
        if op is not None and op.stops_gradient and node.op not in TRANSPARENT and not op.view:
            # comparisons, counts, sizes: no data any more
            return []
        return [a for name, a in node.args.items() if name not in NOT_DATA]

    return list(walk(operand, made_of, MAX_NODES))


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
        if op is not None and (op.view or (statistics and op.keeps_constants)) and "x" in node.args:
            node = bare(node["x"])
        else:
            return node


def scenarios(nodes: list[Node], evaluate: Evaluate) -> Iterator[Scenario]:
    """What may be said of the data among the nodes that an operand is made of."""
    data = list({n.key: n for n in nodes if enters(n) and may_vanish(n, evaluate)}.values())[:MAX_SCENARIOS]
    for source in data:
        yield Scenario(Shape.CONSTANT, (source,))
    for node in nodes:
        if node.op in ("sub", "squared_difference", "distance") and "b" in node.args:
            a, b = bare(node["a"]), bare(node["b"])
            spread = root(a).key == root(b).key and root(a, statistics=False).key != root(b, statistics=False).key
            if CONST not in (a.op, b.op) and a.key != b.key and not spread:
                yield Scenario(Shape.EQUAL, (a, b), node)
    for source in data:
        yield Scenario(Shape.ZERO, (source,))
    if 1 < len(data) <= 4:
        yield Scenario(Shape.ZERO, tuple(data))
    if len(data) == 2:
        yield Scenario(Shape.EQUAL, (data[0], data[1]))


def enters(node: Node) -> bool:
    """Whether a node is where data enters; what is kept under one key is not what is kept under another."""
    return node.op in SOURCES or entry_of(node) is not None


def entry_of(node: Node) -> str | None:
    """The key of an entry of a table: state["exp_avg"]."""
    key = node["index"].attrs.get("value") if node.op == "part" and "index" in node.args else None
    return key if isinstance(key, str) else None


def names_epsilon(source: Node) -> bool:
    """Whether an entry of a table is called an epsilon: a small number that someone set, and not to 0."""
    key = entry_of(source)
    return key is not None and is_epsilon(key)


def may_vanish(source: Node, evaluate: Evaluate) -> bool:
    """Whether nothing says that data is no array, or is not 0."""
    v = evaluate(source)
    if names_epsilon(source):
        return False
    if source.op == CALL and source.args and all(evaluate(a).kind is Kind.SCALAR for a in source.args.values()):
        # a window, a grid: made from numbers
        return False
    return v.kind is not Kind.SCALAR and v.zero is not NEVER and v.constant is None


@dataclass(frozen=True)
class Degenerate:
    """A scenario in which an operand is at its pole: how likely it is met, and why."""

    reach: Reach
    evidence: Evidence


def degenerate(node: Node, pole: Pole, operand: Node, evaluate: Evaluate, *, learned: bool = True) -> Degenerate | None:
    """The likeliest scenario that takes the operand of an op to a pole, None if none of those tried does.

    ``learned``: what methods give may be the features of a network, which are not 0 throughout.
    """
    if pole.shift or pole.cls not in ("zero", "neg"):
        return None
    if pole.cls == "zero" and node.op in (*LOGARITHMS, "sqrt") and evaluate(operand).neg >= LIKELY:
        # it is below 0 at times, which is worse
        return None
    if enters(bare(operand)):
        return multiplied_at_zero(node, pole, operand, evaluate)
    best: Degenerate | None = None
    spreads: set[int] = set()
    nodes = upstream(operand)
    made_of = parts_of(nodes)
    for scenario in scenarios(nodes, evaluate):
        if scenario.shape is Shape.ZERO and spreads & {n.key for n in scenario.data}:
            # a spread is 0 for any constant
            continue
        execution = Execution(scenario, evaluate, made_of)
        symbol = execution.symbol(operand)
        if symbol.number != 0 or not symbol.touched:
            continue
        if pole.cls == "neg" and not symbol.rounded:
            # exactly 0, and not below
            continue
        if not all(execution.symbol(node[name]).number == 0 for name, _ in pole.also if name in node.args):
            continue
        if scenario.shape is Shape.CONSTANT:
            spreads.update(n.key for n in scenario.data)
        reach = plausibility(scenario, node, pole, operand, execution)
        if learned and scenario.shape is Shape.ZERO and all(is_feature(n) for n in scenario.data):
            reach = min(reach, POSSIBLE)
        if symbol.weak:
            reach = min(reach, POSSIBLE)
        if best is None or reach > best.reach:
            best = Degenerate(reach, described(scenario, pole, operand))
        if best.reach >= LIKELY:
            break
    return best if best is not None and best.reach >= POSSIBLE else None


def multiplied_at_zero(node: Node, pole: Pole, operand: Node, evaluate: Evaluate) -> Degenerate | None:
    """r**2 * log(r): a logarithm of data that multiplies what is 0 where the data is."""
    if node.op not in LOGARITHMS or pole.cls != "zero" or not may_vanish(bare(operand), evaluate):
        return None
    scenario = Scenario(Shape.ZERO, (bare(operand),))
    execution = Execution(scenario, evaluate, {})
    for product in node.users:
        if product.op == "mul":
            other = execution.symbol(product["b"] if product["a"] is node else product["a"])
            if other.number == 0 and other.touched:
                because = "is a factor of what multiplies its logarithm: the product is meant to be 0 at 0"
                return Degenerate(LIKELY, Evidence(because, operand, origin=Origin.ATTAINED))
    return None


def plausibility(scenario: Scenario, node: Node, pole: Pole, operand: Node, execution: Execution) -> Reach:
    """How likely a scenario is met, for what stands to break."""
    evaluate = execution.evaluate
    gathered = gathers(operand)
    # 0 / 0: what is divided vanishes with its divisor
    own = node.op == "div" and execution.symbol(node["a"]).number == 0
    setting = all(root(n).op == ATTR or evaluate(root(n)).kind is Kind.SCALAR for n in scenario.data)
    if scenario.shape is Shape.CONSTANT:
        return POSSIBLE if setting or pole.gradient else LIKELY
    if scenario.shape is Shape.EQUAL:
        if setting:
            return UNKNOWN
        one_thing = len({root(n).key for n in scenario.data}) == 1
        if one_thing or (gathered and (scenario.difference or pole.cls == "neg")):
            return LIKELY
        # any two numbers may be equal: too little to go by for a root or a logarithm
        return UNKNOWN if pole.gradient or pole.cls == "neg" else POSSIBLE
    if setting:
        return POSSIBLE if evaluate(operand).lo >= 0 else UNKNOWN
    if evaluate(operand).lo >= 0:
        return LIKELY if gathered or own or (pole.gradient and len(scenario.data) == 1) else POSSIBLE
    if own:
        computed = len(scenario.data) > 1 and all(n.op != PARAM for n in scenario.data)
        return LIKELY if gathered or computed else POSSIBLE
    # who takes the logarithm of a sum has terms of one sign
    return LIKELY if gathered and node.op in LOGARITHMS else UNKNOWN


def is_feature(node: Node) -> bool:
    """Whether data is what a layer, or a method of an object, makes of other data."""
    source = root(node)
    return source.op == "linear" or (source.op == CALL and source.name.startswith("."))


def gathers(operand: Node) -> bool:
    """Whether an operand is made of many elements: a length, a sum, an extremum."""
    return any(
        (op := OPS.get(n.op)) is not None and (op.reduction or op.bilinear or n.op == "cumsum")
        for n in upstream(operand)
    )


def described(scenario: Scenario, pole: Pole, operand: Node) -> Evidence:
    """A scenario in words."""
    equal = coincidence(*scenario.data) if scenario.shape is Shape.EQUAL else ""
    if pole.cls == "neg":
        place = bare(operand)
        where = equal or "where its data is constant"
        return Evidence(f"is 0 {where}, and rounding takes it below", place, origin=Origin.ROUNDING)
    if scenario.shape is Shape.EQUAL:
        return Evidence(f"is 0 {equal}", scenario.difference or operand, origin=Origin.COINCIDENCE)
    names = {str(n.attrs.get("variable") or n.name) for n in scenario.data}
    of = f"`{names.pop()}`" if len(names) == 1 and "" not in names else "its data"
    if scenario.shape is Shape.CONSTANT:
        return Evidence(f"is 0 where all elements of {of} are equal", operand, origin=Origin.STATISTIC)
    return Evidence(f"is 0 where {of} is 0 throughout", operand, origin=Origin.ATTAINED)
