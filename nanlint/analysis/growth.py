"""Exponentials that overflow: what they make infinite, and recursions that multiply them up."""

from __future__ import annotations

from collections.abc import Iterator

from nanlint.analysis.cancellation import affine
from nanlint.analysis.relations import called_logarithm
from nanlint.analysis.structure import Evaluate, bare, elementwise
from nanlint.graph.node import LOOP, PHI, REFINE, Node, walk
from nanlint.ops.floats import FLOAT32
from nanlint.ops.value import POSSIBLE

#: they overflow above (and those that are even or odd below, too)
EXPONENTIALS = frozenset({"exp", "expm1", "exp2", "exp10", "cosh", "sinh"})
#: infinite where their operand is
GROWING = frozenset({"neg", "square", "sqrt", "abs"})
#: an exponent that its author has bounded
BOUNDED = frozenset({"minimum", "maximum", "clamp"})
#: sums, products and choices
MADE = frozenset({"mul", "add", "sub", "div", "sum", "dot", "view", "part", "where", "cast", PHI, REFINE})
#: an argument beyond is no ordinary one: decibels over 20 overflow above 700
FAR = 500.0
MAX_STEPS = 60


def exponentials_in(node: Node, evaluate: Evaluate) -> Iterator[tuple[tuple[int, bool], Node]]:
    """The overflowing exponentials that make a value infinite, each with what it grows with, and which way."""
    pending, left = [node], MAX_STEPS
    while pending and left:
        left -= 1
        current = bare(pending.pop())
        if current.framework == "math":
            # Python raises where it overflows
            continue
        if current.op in EXPONENTIALS and evaluate(current).pinf >= POSSIBLE:
            exponent = affine(current["x"], evaluate)
            core = bare(exponent.core)
            shifted = core.op == "sub" and bare(core["b"]).op == "maximum"
            scaled_down = FAR * abs(exponent.factor) < FLOAT32.exp_overflow
            # exp(log_x) is x again
            undone = called_logarithm(core)
            if core.op not in BOUNDED and not (shifted or scaled_down or undone):
                yield (core.key, exponent.factor > 0), current
        elif current.op == "sub" and evaluate(current["a"]).constant is not None:
            # 1 - exp(-t) is written of a decay
            continue
        elif current.op in ("add", "sub", "mul"):
            pending += [current["a"], current["b"]]
        elif current.op in GROWING or (current.op == "pow" and evaluate(current["y"]).lo > 0):
            pending.append(current["x"])


def both_overflow(quotient: Node, evaluate: Evaluate) -> tuple[Node, Node] | None:
    """The exponentials by which both sides of a quotient are infinite at once."""
    above = dict(exponentials_in(quotient["a"], evaluate))
    if not above:
        return None
    return next(((above[key], exp) for key, exp in exponentials_in(quotient["b"], evaluate) if key in above), None)


def multiplied_up(exp: Node) -> Node | None:
    """The product of an exponential and a value that is carried along a loop, where the loop carries it on."""
    for product in exp.users:
        if product.op not in ("mul", "dot"):
            continue
        other = product["b"] if product["a"] is exp else product["a"]
        for loop in upstream(other):
            if loop.op == LOOP and "back" in loop.args and any(n is product for n in upstream(loop["back"])):
                return product
    return None


def upstream(node: Node) -> Iterator[Node]:
    """What a value is made of by sums, products and choices, itself first."""

    def made_of(current: Node) -> list[Node]:
        if current.op not in MADE:
            return []
        return [a for name, a in current.args.items() if name not in ("cond", "index", "axis", "by")]

    return walk(node, made_of, 4 * MAX_STEPS)


def chosen_by_regime(node: Node) -> bool:
    """Whether a value is one of several approximations, or the test, among which a selection chooses."""
    followed = walk(node, lambda n: filter(elementwise, n.users), MAX_STEPS)
    return any(user.op in ("where", PHI) for n in followed for user in n.users)
