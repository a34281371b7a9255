"""Differences of numbers that are nearly equal: what is left of them is rounding, exactly 0 or of either sign."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from nanlint.analysis.algebra import monomial, terms
from nanlint.analysis.structure import Evaluate, bare, elementwise, factors, same, square_root_of
from nanlint.graph.node import CALL, PHI, Node, walk
from nanlint.ops.value import LIKELY, SMALL, Kind

#: linear in their operand x: what they do to squares and to the numbers themselves is one averaging
AVERAGES = frozenset(
    {"mean", "sum", "dot", "einsum", "nanmean", "nansum", "average", "cumsum", "avg_pool", "linear", "segment_mean"}
)
#: what is the same before a square is taken and after it
SELECTING = frozenset({"part", "view"})
#: what does not average
PLAIN_OPERANDS = frozenset({"axis", "ord"})
#: how deep a form is compared
MAX_DEPTH = 8


def cancellation(difference: Node, evaluate: Evaluate) -> str | None:
    """Why ``a - b`` is the difference of nearly equal numbers, by the way it is written; None where nothing says so."""
    a, b = difference["a"], difference["b"]
    if is_variance(a, b, evaluate):
        return "is a mean of squares minus a squared mean: rounding can make it 0 or slightly negative"
    if is_discriminant(a, b, evaluate):
        return "is ((a + d) / 2)**2 - (a * d - b * c), about 0 for equal eigenvalues: rounding can make it negative"
    if is_small_root(a, b, evaluate):
        return "is t - sqrt(t**2 + ...), about 0 for large t: rounding can make it 0 or slightly negative"
    return None


def left_by_cancellation(node: Node | None, evaluate: Evaluate) -> bool:
    """Whether a node is such a difference."""
    return node is not None and node.op == "sub" and cancellation(node, evaluate) is not None


def raised_a_little(total: Node, evaluate: Evaluate) -> Node | None:
    """The cancelling difference of ``difference + eps``: the error of large operands is larger than any eps."""
    for one, other in (("a", "b"), ("b", "a")):
        eps = evaluate(total[other])
        if not 0 <= eps.lo < SMALL or (eps.constant is None and eps.kind is not Kind.SCALAR):
            continue
        v = evaluate(total[one])
        why = v.evidence("neg")
        if v.neg >= LIKELY and why is not None and left_by_cancellation(why.node, evaluate):
            return total[one]
    return None


# a + k * f(x), for an f that rounds to its limits


@dataclass(frozen=True)
class Affine:
    """``offset + factor * core``: what a node is of the first operand that is no number."""

    offset: float
    factor: float
    core: Node


def affine(node: Node, evaluate: Evaluate) -> Affine:
    """A node as a number plus a number times another node, as far as its sums and products with numbers go."""
    offset, factor = 0.0, 1.0
    for _ in range(MAX_DEPTH):
        node = bare(node)
        if node.op == "neg":
            factor, node = -factor, node["x"]
            continue
        if node.op not in ("add", "sub", "mul", "div"):
            break
        a, b = (evaluate(node[k]).constant for k in ("a", "b"))
        if (a is None) is (b is None) or (node.op == "div" and (b is None or b == 0)):
            break
        number, inner = (b, node["a"]) if a is None else (a, node["b"])
        assert number is not None
        if node.op in ("mul", "div"):
            factor *= number if node.op == "mul" else 1 / number
        else:
            offset += factor * (-number if node.op == "sub" and a is None else number)
            factor = -factor if node.op == "sub" and a is not None else factor
        node = inner
    return Affine(offset, factor, node)


#: they round to their limits at moderate arguments
SATURATING = frozenset({"cdf", "erf", "erfc", "sigmoid", "tanh"})


def saturated_difference(difference: Node) -> bool:
    """f(a) - f(b) of a distribution function or the like: 0 where both are in one tail."""
    a, b = bare(difference["a"]), bare(difference["b"])
    return a.op == b.op and a.op in SATURATING


@dataclass(frozen=True)
class Tail:
    """``scale * (1 + sign * core)``, or ``scale * core`` (sign 0), where the parenthesis is 0 in a tail by rounding.

    ``core``: a distribution function, erf, erfc, the square of a tanh, an exp, or a difference of saturated values.
    """

    scale: float
    sign: int
    core: Node


def held(found: Tail, evaluate: Evaluate) -> bool:
    """Whether what saturates is clamped to bounds that stand elsewhere: chosen, perhaps, to keep it off the tail."""

    def operands(node: Node) -> Iterable[Node]:
        return node.args.values() if elementwise(node) and node.op != "clamp" else ()

    clamps = (node for node in walk(found.core, operands, 24) if node.op == "clamp")
    bounds = (bound for clamp in clamps for name, bound in clamp.args.items() if name != "x")
    return any(evaluate(bound).constant is None for bound in bounds)


def tail(node: Node, evaluate: Evaluate, *, plus: float = 0.0) -> Tail | None:
    """``node + plus`` as something that cancels in a tail."""
    form = affine(node, evaluate)
    offset, core = form.offset + plus, form.core
    if offset == 0:
        itself = core.op in ("cdf", "erfc") or (core.op == "sub" and saturated_difference(core))
        return Tail(form.factor, 0, core) if itself else None
    if not math.isclose(abs(form.factor), abs(offset)):
        return None
    sign = 1 if form.factor * offset > 0 else -1
    root = square_root_of(core)
    squared = sign < 0 and root is not None and bare(root).op == "tanh"
    cancels = squared or core.op in ("cdf", "erf") or (core.op == "exp" and sign < 0)
    return Tail(offset, sign, core) if cancels else None


# E[x**2] - E[x]**2


def is_variance(a: Node, b: Node, evaluate: Evaluate) -> bool:
    """E[x**2] - E[x]**2, whatever the averaging; n * sum(x**2) - sum(x)**2; q/n - (s/n)**2 of running sums."""
    root = square_root_of(b)
    if root is None:
        return False
    for mean in branches(root):
        scaled = [f for f in factors(a) if f.op == "sum"] if bare(a).op == "mul" else []
        if averages_square(a, mean) or any(averages_square(part, mean, normalised=True) for part in scaled):
            return True
        square, mean = bare(a), bare(mean)
        if square.op == mean.op == "div" and same(square["b"], mean["b"]) and not same(square["a"], mean["a"]):
            return evaluate(mean["b"]).constant is None
    return False


def is_covariance(a: Node, b: Node) -> bool:
    """E[x * y] - E[x] * E[y] of two different things, whatever the averaging."""
    above, below = bare(a), bare(b)
    if above.op not in AVERAGES or below.op != "mul" or bare(above.get("x") or above).op != "mul":
        return False
    means, product = [bare(below[k]) for k in ("a", "b")], bare(above["x"])
    if any(mean.op != above.op for mean in means) or same(product["a"], product["b"]):
        return False
    pairs = ((means[0], means[1]), (means[1], means[0]))
    return any(same(one["x"], product["a"]) and same(other["x"], product["b"]) for one, other in pairs)


def branches(node: Node) -> Iterator[Node]:
    """A value, or the values it has on each path."""
    node = bare(node)
    if node.op != PHI:
        yield node
        return
    for name in ("a", "b"):
        yield bare(node[name])


def averages_square(
    square: Node, mean: Node, depth: int = 0, *, averaged: bool = False, normalised: bool = False
) -> bool:
    """Whether ``square`` is what ``mean`` is, of x**2 instead of x. A bare sum is ``normalised`` by its weights."""
    square, mean = bare(square), bare(mean)
    if averaged and is_square_of(square, mean):
        return normalised or len(factors(mean)) > 1
    if square.op != mean.op or depth > MAX_DEPTH or square.args.keys() != mean.args.keys():
        return False
    averages = square.op in AVERAGES or (square.op == CALL and bool(square.name) and square.name == mean.name)
    if not averages and square.op not in ("mul", "div", *SELECTING):
        return False
    apart = [k for k in square.args if k not in PLAIN_OPERANDS and not same(square[k], mean[k])]
    if len(apart) != 1 or (square.op == "div" and apart != ["a"]):
        return False
    return averages_square(
        square[apart[0]],
        mean[apart[0]],
        depth + 1,
        averaged=averaged or averages,
        normalised=normalised or square.op not in ("sum", "nansum", "cumsum", "mul", *SELECTING),
    )


def is_square_of(square: Node, root: Node) -> bool:
    """x**2 of x; w * x**2 of w * x."""
    inner = square_root_of(square)
    if inner is not None and same(inner, root):
        return True
    more = Counter(f.key for part in factors(square) for f in squared_out(part))
    once = Counter(f.key for f in factors(root))
    return sum((more - once).values()) == 1 and not once - more and (more - once).keys() <= once.keys()


def squared_out(factor: Node) -> tuple[Node, ...]:
    """x and x for x**2."""
    root = square_root_of(factor)
    return (factor,) if root is None else (bare(root), bare(root))


# ((a + d) / 2)**2 - (a * d - b * c)


def is_discriminant(a: Node, b: Node, evaluate: Evaluate) -> bool:
    """The square of half the trace of a 2 by 2 matrix minus its determinant."""
    root, determinant = square_root_of(a), bare(b)
    if root is None:
        return False
    half = bare(root)
    if half.op in ("mul", "div"):
        half = next((bare(half[k]) for k in ("a", "b") if evaluate(half[k]).constant is None), half)
    if determinant.op == "mul":
        determinant = next((f for f in factors(determinant) if f.op == "sub"), determinant)
    if half.op != "add" or determinant.op != "sub":
        return False
    diagonal = Counter(bare(half[k]).key for k in ("a", "b"))
    return Counter(f.key for f in factors(determinant["a"])) == diagonal


# t - sqrt(t**2 + c)


def is_small_root(a: Node, b: Node, evaluate: Evaluate) -> bool:
    """t - k * sqrt(s**2 + ...), where t is among the terms of ``a`` and equal to k * s."""
    roots = [f for f in factors(b) if f.op == "sqrt"]
    if len(roots) != 1:
        return False
    scale = [f for f in factors(b) if f is not roots[0]]
    radicand = terms(roots[0]["x"])
    squares = [s for term in radicand if (s := square_root_of(term.node)) is not None and not term.negative]
    if len(radicand) < 2 or not squares:
        return False
    wanted = [multiplied_out((s, *scale), evaluate) for s in squares]
    return any(not t.negative and multiplied_out((t.node,), evaluate) in wanted for t in terms(a))


def multiplied_out(parts: Iterable[Node], evaluate: Evaluate) -> tuple[float, Counter[int]]:
    """The number of a product, and how often each other factor (by key) is in it; less than 0 for divisors."""
    number, powers = 1.0, Counter[int]()
    for part in parts:
        found = monomial(part, evaluate)
        number *= found.number
        powers.update(f.key for f in found.above)
        powers.subtract(f.key for f in found.below)
    return number, Counter({key: n for key, n in powers.items() if n})
