"""What the truth of one condition says of others: the same one, its negation, its parts; and of what it compares."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Iterator

from nanlint.graph.linear import Linear, Multiple
from nanlint.graph.node import CONST, DATA, FUNCTION, MODULE, REFINE, Graph, Node, number, stripped, walk
from nanlint.graph.path import Bound, Comparison, Known, Minus, PathCondition
from nanlint.ops.selection import CONDITIONS

#: facts about a condition itself, on the path taken: that it is true, or false
TRUE, FALSE = "true", "false"
TRUTHS = frozenset({TRUE, FALSE})
#: the facts that an array has elements, and that it has so many axes
FILLED, AXES = "filled", "axes"
#: facts that say nothing of the numbers of an expression
OF_NO_NUMBER = TRUTHS | {AXES}

#: a comparison with the two ends of an interval: not between them
OUTSIDE = "outside"
#: what the functions of NumPy, PyTorch and JAX take for close, where no tolerance is given
RELATIVE_TOLERANCE, ABSOLUTE_TOLERANCE = 1e-5, 1e-8

MIRRORED = {"eq": "eq", "ne": "ne", "lt": "gt", "le": "ge", "gt": "lt", "ge": "le"}
NEGATED = {"eq": "ne", "ne": "eq", "lt": "ge", "le": "gt", "gt": "le", "ge": "lt"}
OPPOSITE = {**NEGATED, "is": "isnot", "isnot": "is"}
#: what is left of a comparison of numbers where they are compared after a rounding
ROUNDED = {"lt": "le", "le": "le", "gt": "ge", "ge": "ge"}

#: ops that are finite only where all of their operands are
FINITE_TOGETHER = frozenset({"add", "sub", "neg", "sum", "mean", "abs", "square"})
#: of these, where 0 * inf is NaN
FINITE_FACTORS = frozenset({"mul", "dot", "div"})
#: nodes behind a result that are looked at for what cannot be 0
MAX_PARTS = 40
#: conditions whose truth says nothing of the numbers that they are made of
TELLS_NOTHING = frozenset(
    {"and", "or", "any", "all", "is", "isnot", "test", "isnan", "isinf", "isfinite", "isclose", CONST, DATA, MODULE}
    | {FUNCTION}
)

#: a fact: the key of an expression, which comparison holds of it, and with what
Fact = tuple[int, str, Bound]


def without_not(cond: Node, truth: bool) -> tuple[Node, bool]:
    """The condition behind negations, and its truth where ``cond`` is ``truth``."""
    while cond.op in (REFINE, "not") and "x" in cond.args:
        cond, truth = cond["x"], truth != (cond.op == "not")
    return cond, truth


def settled(graph: Graph, cond: Node, truth: bool) -> Iterator[tuple[int, str, Node]]:
    """Which conditions are true and which false where ``cond`` is ``truth``, however they are written: as facts."""
    cond, truth = without_not(cond, truth)
    if (cond.op == "and" and truth) or (cond.op == "or" and not truth):
        for part in cond.args.values():
            yield from settled(graph, part, truth)
    yield cond.key, TRUE if truth else FALSE, cond
    yield graph.key("not", {"x": cond}, {}), FALSE if truth else TRUE, cond
    opposite = OPPOSITE.get(cond.op)
    if opposite is not None:
        yield graph.key(opposite, cond.args, cond.attrs), FALSE if truth else TRUE, cond
    if cond.op in MIRRORED:
        swapped = {"a": cond["b"], "b": cond["a"]}
        yield graph.key(MIRRORED[cond.op], swapped, cond.attrs), TRUE if truth else FALSE, cond
        yield graph.key(NEGATED[MIRRORED[cond.op]], swapped, cond.attrs), FALSE if truth else TRUE, cond


def of_nothing(cond: Node, truth: bool) -> bool:
    """Whether a condition is that an array has no elements."""
    cond, truth = without_not(cond, truth)
    if cond.op in ("eq", "ne") and cond["a"].op == "size" and number(cond["b"]) == 0:
        return (cond.op == "eq") == truth
    return cond.op == "size" and not truth


def truth_of(cond: Node, facts: Known) -> bool | None:
    """Whether the path taken says that a condition holds, or that it does not; None if it says nothing."""
    cond, truth = without_not(cond, True)
    known = said_of(cond.key, facts)
    return None if known is None else known == truth


def said_of(key: int, facts: Known) -> bool | None:
    """Whether the path taken says that a condition, by key, is true."""
    return next((said == TRUE for said, _ in facts.get(key, ()) if said in TRUTHS), None)


def parting(a: PathCondition, b: PathCondition) -> tuple[Node, bool] | None:
    """The condition at which two paths part, and what it is on the first; None where nothing tells them apart."""
    _, keys, _ = a.up_to(b)
    for key in keys:
        for said, cond in a.get(key, ()):
            if said in TRUTHS and cond.key == key:
                other = truth_of(cond, b)
                if other is not None and other != (said == TRUE):
                    return cond, said == TRUE
    return None


# what is known of an expression


def known_of(graph: Graph, key: int, facts: Known) -> list[Comparison]:
    """What the facts compare an expression with, by its key, in an order in which each tells the most.

    What is known of a multiple of the same sum is carried over to it.
    """
    said, multiple = facts.get(key, ()), graph.multiples.get(key)
    if not said and multiple is None:
        return []
    found = [fact for fact in said if fact[0] not in OF_NO_NUMBER]
    if multiple is not None and (known := facts.get(multiple.direction)):
        own = {(comparison, number(other)) for comparison, other in found}
        found += (fact for fact in carried(multiple, known, graph.roundings(key)) if fact not in own)
    return sorted(found, key=lambda fact: fact[0] == OUTSIDE)


def speaks_of(graph: Graph, key: int, known: Collection[int]) -> bool:
    """Whether something is known of an expression, or of what it is a multiple of; all by key."""
    return key in known or ((multiple := graph.multiples.get(key)) is not None and multiple.direction in known)


def carried(multiple: Multiple, known: Iterable[Comparison], roundings: int) -> Iterator[Comparison]:
    """What is known of ``factor * direction + shift``, given what is known of the direction.

    It is its sign, which one rounding does not change; two may leave 0 of it, and more change it. And that it is not
    near a number.
    """
    for comparison, other in known:
        if isinstance(other, tuple) and comparison == OUTSIDE:
            lo, hi = sorted(multiple.factor * end + multiple.shift for end in other)
            yield comparison, (lo, hi)
        elif comparison in MIRRORED and (value := number(other)) is not None:
            of_zero = multiple.factor * value + multiple.shift == 0
            kept = comparison if roundings < 2 else ROUNDED.get(comparison)
            if of_zero and roundings <= 2 and kept is not None:
                yield kept if multiple.factor > 0 else MIRRORED[kept], 0.0


# what follows from a condition


def implied(graph: Graph, cond: Node, truth: bool) -> list[Fact]:
    """What follows for expressions from ``cond`` being ``truth``; nothing is added to the graph.

    all(c) true gives c for every element; any(c) false gives not c; a bare value in a test is != 0.
    """
    cond, truth = without_not(cond, truth)
    op, x = cond.op, cond.get("x")
    if op in (REFINE, "view", "cast", "part") or (op == "all" and truth) or (op == "any" and not truth):
        return implied(graph, x, truth) if x is not None else []
    if (op == "and" and truth) or (op == "or" and not truth):
        found = [fact for part in cond.args.values() for fact in implied(graph, part, truth)]
        return found + (chained(graph, cond) if op == "and" else [])
    if op in MIRRORED:
        return compared(graph, op if truth else NEGATED[op], cond["a"], cond["b"])
    if op == "any":
        # some element is true: a sum of the same mask, along the same axis, is not 0
        totals = {graph.key(total, cond.args, {}) for total in ("sum", "count_nonzero", "mean")}
        return [*((key, "ne", 0) for key in {*sums_of(cond["x"]), *totals}), (cond["x"].key, FILLED, 0)]
    above = cond.spelling is not None and cond.spelling.name.endswith("isposinf")
    if (op == "isfinite" and truth) or (op == "isinf" and not truth and not above):
        return [(one.key, "ne", 0) for one in not_zero_if_finite(cond["x"], quotients=truth)]
    if op == "isclose" and not truth:
        # what is not close is not equal
        return [*compared(graph, "ne", cond["a"], cond["b"]), *apart(graph, cond)]
    if op in TELLS_NOTHING:
        return []
    found = [(cond.key, "ne" if truth else "eq", 0)]
    if truth:
        return found + [(key, FILLED, 0) for key in (*counted_by(cond), *([cond.key] if op == "list" else []))]
    mask = condition_counted(cond)
    return found + (implied(graph, mask, truth=False) if mask is not None else [])


def compared(graph: Graph, comparison: str, a: Node, b: Node) -> list[Fact]:
    """What follows from two expressions comparing so: for each of them, and for what both are made of."""
    found: list[Fact] = of_difference(graph, comparison, a, b)
    for one, other, c in ((a, b, comparison), (b, a, MIRRORED[comparison])):
        found += [(one.key, c, other), *of_count(graph, c, one, other), *of_elements(graph, c, one, other)]
    return found


def of_difference(graph: Graph, comparison: str, a: Node, b: Node) -> list[Fact]:
    """What the difference of the two sides is, and with it all multiples of it.

    A rounded sum is above an exact number only where the sum itself is: rounding keeps the order, and the sign.
    """
    one, other = graph.linear(a), graph.linear(b)
    roundings = one.roundings + other.roundings
    found: list[Fact] = []
    if roundings:
        found += [(graph.key("sub", {"a": a, "b": b}, {}), comparison, 0)]
        found += [(graph.key("sub", {"a": b, "b": a}, {}), MIRRORED[comparison], 0)]
    multiple = graph.multiple(one.plus(other, -1.0))
    if multiple is None or multiple.direction in (a.key, b.key):
        return found
    to_zero = 0 in (one.constant, other.constant)
    exact = not roundings or (roundings == 1 and (to_zero or comparison in ("gt", "lt", "ne")))
    end = -multiple.shift / multiple.factor
    if exact and math.isfinite(end):
        found.append((multiple.direction, comparison if multiple.factor > 0 else MIRRORED[comparison], end or 0.0))
    return found


def of_count(graph: Graph, comparison: str, count: Node, other: Node) -> Iterator[Fact]:
    """What a number of elements says of the array that it is of."""
    if excludes_zero(comparison, other):
        yield from ((key, FILLED, 0) for key in counted_by(count))
    if is_nothing(comparison, other) and (mask := condition_counted(count)) is not None:
        yield from implied(graph, mask, truth=False)
    if comparison == "eq" and count.op == "size" and count.attrs.get("axes"):
        yield count["x"].key, AXES, other


def of_elements(graph: Graph, comparison: str, one: Node, other: Node) -> list[Fact]:
    """What the size, the square or an extremum says of each element: |x| < r that -r < x < r."""
    inner, limit = stripped(one), number(other)
    found: list[Fact] = [(inner.key, comparison, other)] if inner.key != one.key else []
    if (inner.op == "min" and comparison in ("gt", "ge")) or (inner.op == "max" and comparison in ("lt", "le")):
        found.append((inner["x"].key, comparison, other))
    if inner.op not in ("abs", "square") or comparison == "eq":
        return found
    x = inner["x"]
    if excludes_zero(comparison, other):
        found.append((x.key, "ne", 0))
    if inner.op == "square" or comparison == "ne" or (limit is not None and limit < 0):
        return found
    if comparison in ("lt", "le"):
        found += [(x.key, comparison, other), (x.key, MIRRORED[comparison], Minus(other) if limit is None else -limit)]
    elif limit:
        # x - c is not within r of 0, so that x is not within r of c
        found += outside(graph, graph.linear(stripped(x)), limit)
    if limit is None and comparison in ("gt", "ge"):
        # r may be negative
        return found
    # as the squares have it: x**2 < r**2, but for rounding
    one_squared, other_squared = (Linear(0.0, ((graph.key("square", {"x": n}, {}), 1.0),)) for n in (x, other))
    multiple = graph.multiple(one_squared.plus(other_squared, -1.0))
    if multiple is not None:
        kept = ROUNDED[comparison]
        found.append((multiple.direction, kept if multiple.factor > 0 else MIRRORED[kept], 0.0))
    return found


def outside(graph: Graph, form: Linear, radius: float) -> list[Fact]:
    """That a sum is not within ``radius`` of 0."""
    multiple = graph.multiple(form)
    if multiple is None or (not form.number and len(form.terms) == 1):
        return []
    lo, hi = sorted((end - multiple.shift) / multiple.factor for end in (-radius, radius))
    return [(multiple.direction, OUTSIDE, (lo, hi))]


def apart(graph: Graph, isclose: Node) -> Iterator[Fact]:
    """How far two numbers are apart that are not close, of which one is a literal."""
    for one, other in (("a", "b"), ("b", "a")):
        scale = number(isclose[other])
        if scale is not None and "tolerance" not in isclose.attrs:
            # half of it: which of the two the tolerance is relative to differs
            radius = (ABSOLUTE_TOLERANCE + RELATIVE_TOLERANCE * abs(scale)) / 2
            yield from outside(graph, graph.linear(isclose[one]).plus(Linear(scale), -1.0), radius)


def counted_by(count: Node) -> list[int]:
    """Keys of the arrays that a count is the number of elements, or of true elements, of."""
    count = stripped(count)
    if count.op == "integer":
        count = stripped(count["x"])
    if count.op not in ("sum", "count_nonzero", "size", "any") or "x" not in count.args:
        return []
    counted = count["x"]
    if counted.op == "size" and "index" in count.args and count["index"].attrs.get("value") == 0:
        # the first of the sizes: how many there are of what is selected
        counted = counted["x"]
    return list({counted.key, stripped(counted).key})


def condition_counted(count: Node) -> Node | None:
    """The condition that a count is of: how often it is true, or how many elements it selects."""
    count = stripped(count)
    if count.op == "part" and stripped(count["x"]).op == "size":
        # the first of the sizes
        count = stripped(count["x"])
    if count.op not in ("sum", "count_nonzero", "size") or "x" not in count.args or "axis" in count.args:
        return None
    counted = stripped(count["x"])
    if count.op == "size":
        counted = stripped(counted["index"]) if counted.op == "part" and "index" in counted.args else counted
    return counted if counted.op in CONDITIONS else None


def is_nothing(comparison: str, other: Bound) -> bool:
    """Whether what compares so with a number is 0, given that it is a count."""
    value = number(other)
    if value is None:
        return False
    return (comparison in ("eq", "le") and value == 0) or (comparison == "lt" and 0 < value <= 1)


def excludes_zero(comparison: str, other: Bound) -> bool:
    """Whether what compares so with a number is not 0, given that it is not negative."""
    value = number(other)
    if value is None:
        return comparison == "gt"
    return (comparison in ("ne", "gt") and value == 0) or (comparison in ("gt", "ge") and value > 0)


def sums_of(mask: Node) -> Iterator[int]:
    """Keys of the sums of a mask, as it is or cast."""
    for user in mask.users:
        if user.op in ("sum", "count_nonzero", "mean"):
            yield user.key
        elif user.op in ("cast", "view", "integer", "tensor"):
            yield from sums_of(user)


def not_zero_if_finite(result: Node, *, quotients: bool) -> Iterator[Node]:
    """What is not 0 where a result is finite: of what logarithms in it are taken, and what is divided by.

    Without ``quotients`` it is only not infinite, and 0 / 0 is NaN.
    """

    def parts(n: Node) -> list[Node]:
        together = n.op in FINITE_TOGETHER or (quotients and n.op in FINITE_FACTORS)
        return [stripped(a) for name, a in n.args.items() if together and (n.op, name) != ("div", "b")]

    for node in walk(stripped(result), parts, MAX_PARTS):
        if node.op in ("log", "log2", "log10"):
            yield node["x"]
        if node.op in ("div", "reciprocal") and quotients:
            yield node["b" if node.op == "div" else "x"]


def chained(graph: Graph, both: Node) -> list[Fact]:
    """What follows for the ends of a chain of two comparisons: a < c from a <= b < c."""
    sides = [rising(part) for part in both.args.values()]
    for one, other in (sides, sides[::-1]) if len(sides) == 2 else ():
        if one is not None and other is not None and one[1].key == other[0].key:
            return compared(graph, "lt" if "lt" in (one[2], other[2]) else "le", one[0], other[1])
    return []


def rising(comparison: Node) -> tuple[Node, Node, str] | None:
    """The smaller and the larger side of a comparison, and whether it is strict: "lt" or "le"."""
    if comparison.op in ("lt", "le"):
        return comparison["a"], comparison["b"], comparison.op
    if comparison.op in ("gt", "ge"):
        return comparison["b"], comparison["a"], MIRRORED[comparison.op]
    return None
