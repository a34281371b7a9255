"""Small numbers that are put against a pole and do nothing: which they are, and why they do not count.

That somebody put one there is evidence that the pole is reached; only whether it works is asked here.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from nanlint.analysis.names import is_epsilon
from nanlint.analysis.structure import Evaluate, bare
from nanlint.graph.node import ATTR, CALL, CONST, PARAM, TUPLE, Node
from nanlint.ops.floats import FLOAT64
from nanlint.ops.op import OPS, Pole
from nanlint.ops.value import LIKELY, NEVER, SMALL, UNKNOWN, Kind, Value

LOGARITHMS = frozenset({"log", "log2", "log10"})
#: what an array is made by from numbers
MADE = frozenset({TUPLE, CONST, "tensor", "zeros", "ones", "full", "arange", "linspace"})
#: where a path of regularisation ends, by custom, as a share of where it begins: what guards against 0 is smaller
RATIO = 1e-3


@dataclass(frozen=True)
class Epsilon:
    """An epsilon that does not do what it is for.

    ``place``: the expression that it is part of; ``number``: the epsilon; ``other``: what it is put to. ``flaw`` names
    what is wrong ("rounds to 0", "rounds to 1", "multiplied", "subtracted", "too late"); ``why`` says it in numbers.
    ``enough``: the least power of ten that would count, where that is what is wrong. ``reached``: whether the pole is
    known to be reached without it: then the finding at the pole says so, and shows the epsilon.
    """

    place: Node
    number: Node
    other: Node
    flaw: str
    why: str
    enough: str = ""
    reached: bool = False


def epsilons(node: Node, pole: Pole, value: Evaluate) -> Iterator[Epsilon]:
    """The epsilons at one pole of an op that do not keep its operand from it."""
    operand = node.get(pole.name)
    if operand is None or pole.cls != "zero":
        return
    inner = bare(operand)
    if pole.shift == 0:
        for one in (below_format(inner, value), beside_one(inner, value), mistaken(node, inner, value)):
            if one is not None:
                yield one
    else:
        bound = bound_on(inner, -pole.shift, value)
        if bound is not None:
            yield bound
    if node.op in LOGARITHMS and pole.shift == 0:
        yield from too_late(node, operand, value)


def number_of(node: Node, value: Evaluate) -> float | None:
    """The number that a scalar is, or is unless somebody says otherwise."""
    given = node.get("default") if node.op == PARAM else node
    v = value(given) if given is not None else None
    return v.constant if v is not None and v.kind is not Kind.TENSOR else None


def small(node: Node, value: Evaluate) -> bool:
    """Whether a node is an epsilon: a small positive number, or one by its name."""
    c = number_of(node, value)
    named = node.op in (PARAM, ATTR, CALL) and is_epsilon(str(node.attrs.get("variable") or node.name))
    return 0 < c < SMALL if c is not None else named


def below_format(inner: Node, value: Evaluate) -> Epsilon | None:
    """x + eps, clamp(x, eps), max(x, eps) where eps is 0 in the format of x."""
    pairs = {
        "add": (("a", "b"), ("b", "a")),
        "maximum": (("a", "b"), ("b", "a")),
        "clamp": (("min", "x"),),
    }.get(inner.op, ())
    for one, other in pairs:
        number, x = inner.get(one), inner.get(other)
        c = number_of(number, value) if number is not None else None
        if number is None or x is None or c is None or not 0 < c < SMALL or value(x).zero is NEVER:
            continue
        fmt = value(x).format
        if value(x).kind is not Kind.SCALAR and fmt.round(c) == 0:
            enough = power_of_ten(fmt.tiny)
            known = known_to_reach(value(x), "zero")
            return Epsilon(inner, number, x, "rounds to 0", f"{c:g} is 0 in {fmt.name}", enough, known)
    return None


def beside_one(inner: Node, value: Evaluate) -> Epsilon | None:
    """1 + eps - x, and 1 - clip(x, eps, 1 - eps), where 1 + eps or 1 - eps is 1 in the format of x."""
    if inner.op != "sub":
        return None
    void = rounding_to(1.0, inner["a"], inner["b"], inner, value)
    return void or (bound_on(bare(inner["b"]), 1.0, value) if value(inner["a"]).constant == 1 else None)


def bound_on(inner: Node, pole: float, value: Evaluate) -> Epsilon | None:
    """clip(x, …, 1 - eps), min(x, 1 - eps) where 1 - eps is 1 in the format of x, and 1 is the pole."""
    names = {"clamp": ("min", "max"), "minimum": ("a", "b"), "maximum": ("a", "b")}.get(inner.op, ())
    for name in names:
        number, x = inner.get(name), inner.get("x") or inner.get("b" if name == "a" else "a")
        if number is not None and x is not None:
            void = rounding_to(pole, number, x, inner, value)
            if void is not None:
                return void
    return None


def rounding_to(one: float, number: Node, x: Node, place: Node, value: Evaluate) -> Epsilon | None:
    """The epsilon of a number beside ``one`` (1 or -1) that is ``one`` where it meets x."""
    c, v = value(number).constant, value(x)
    if c is None or abs(one) != 1 or v.kind is Kind.SCALAR:
        return None
    fmt = v.format
    offset = c - one
    if offset == 0 and number.op in ("add", "sub") and value(number["a"]).constant == one:
        # gone in Python's own arithmetic
        fmt, offset = FLOAT64, (value(number["b"]).constant or 0.0) * (1 if number.op == "add" else -1)
    if offset == 0 or fmt.round(c) != one:
        return None
    why = f"{one:.0f} {'+' if offset > 0 else '-'} {abs(offset):.3g} is {one:.0f} in {fmt.name}"
    return Epsilon(place, number, x, "rounds to 1", why, power_of_ten(2 * fmt.eps), reaches(v, one))


def reaches(v: Value, end: float) -> bool:
    """Whether a value is known to end at 1 or -1, and to get there."""
    return (v.hi == end and known_to_reach(v, "high")) or (v.lo == end and known_to_reach(v, "low"))


def known_to_reach(v: Value, cls: str) -> bool:
    """Whether it follows from what was computed that a class is reached, and not from the numbers of one call."""
    evidence = v.evidence(cls)
    by_numbers = evidence is None or evidence.node is None or evidence.node.op in MADE
    return v.reach(cls) >= LIKELY and not by_numbers


def mistaken(node: Node, inner: Node, value: Evaluate) -> Epsilon | None:
    """x - eps where x is not known to be larger, and x * eps for an eps that is called so."""
    if inner.op == "sub" and small(inner["b"], value) and inner["a"].op != CONST:
        x = value(inner["a"])
        is_log = node.op in LOGARITHMS or node.op in ("sqrt", "rsqrt")
        if value(inner).neg is not NEVER and x.kind is not Kind.SCALAR and (is_log or (x.lo == 0 and x.hi > 0)):
            return Epsilon(inner, inner["b"], inner["a"], "subtracted", "0 - eps is negative, and eps - eps is 0")
    if inner.op == "mul" and node.op != "log":
        for one, other in (("a", "b"), ("b", "a")):
            named = inner[one].op in (PARAM, ATTR) and is_epsilon(inner[one].name)
            c = number_of(inner[one], value)
            x = value(inner[other])
            if named and (c is None or c < RATIO) and x.zero is not NEVER and x.kind is not Kind.SCALAR:
                return Epsilon(inner, inner[one], inner[other], "multiplied", "0 * eps = 0")
    return None


def too_late(log: Node, operand: Node, value: Evaluate) -> Iterator[Epsilon]:
    """log(x) + eps of an x of which nothing is known: added to -inf."""
    if value(operand).zero is not UNKNOWN or OPS.get(bare(operand).op) is OPS["add"]:
        return
    for user in log.users:
        if user.op != "add" or divides(user):
            continue
        number = user["b"] if user["a"] is log else user["a"]
        if small(number, value) and number is not log:
            yield Epsilon(user, number, log, "too late", "log(0) + eps = -inf")


def divides(node: Node) -> bool:
    """Whether a value is divided by, or bounded: then the epsilon is about that."""
    return any((u.op == "div" and u["b"] is node) or u.op in ("reciprocal", "maximum", "clamp") for u in node.users)


def power_of_ten(x: float) -> str:
    """The least power of ten that is not below x, as it is written."""
    exponent = next(e for e in range(-320, 1) if float(f"1e{e}") >= x)
    return f"1e{exponent}"
