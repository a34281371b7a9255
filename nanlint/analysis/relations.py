"""What holds of an op by how its operands relate: x - max(x), x * x, exp(x) / sum(exp(x)), E[x**2] - E[x]**2."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from itertools import permutations

from nanlint.analysis.algebra import Monomial, beside, monomial, terms
from nanlint.analysis.cancellation import affine, cancellation, is_covariance, raised_a_little
from nanlint.analysis.geometry import holds_each_pair, is_cosine, is_unit, of_each_pair, tells_diagonal, whole
from nanlint.analysis.log_space import read_mask
from nanlint.analysis.names import is_coordinate, is_plain_logarithm
from nanlint.analysis.places import true_somewhere
from nanlint.analysis.structure import (
    Evaluate,
    bare,
    depends,
    elementwise,
    factors,
    same,
    shift_of,
    square_root_of,
    zero_together,
)
from nanlint.analysis.wholes import left_of_whole
from nanlint.graph.node import ATTR, CALL, CONST, LOOP, MODULE, PARAM, PHI, REFINE, TUPLE, Node, walk
from nanlint.ops.arithmetic import absolute, multiply, negate, square, subtract
from nanlint.ops.floats import FORMATS
from nanlint.ops.functions import exponential, sigmoid, softmax
from nanlint.ops.op import OPS
from nanlint.ops.reductions import cosine, total
from nanlint.ops.selection import COMPARISONS
from nanlint.ops.value import (
    INF,
    LIKELY,
    NEVER,
    POSSIBLE,
    UNKNOWN,
    Evidence,
    Kind,
    Origin,
    Reach,
    Value,
    constant,
    like,
    meet_range,
    signed,
    value,
)

#: arrays of which single elements are known by their place
PLACED = frozenset({TUPLE, "arange", "linspace", "scatter_sum", "segment_sum"})
#: arrays of numbers that differ from one to the next
GRIDS = frozenset({"arange", "range", "linspace", "frequencies", "positive_frequencies"})
#: what is laid out by places, and how many there are
PLACING = frozenset({*GRIDS, "eye", "ones", "zeros", "size"})
#: nodes behind one that a number at one place is followed through
MAX_ATTAINED = 40
#: what is 0 throughout where its input is negative
RECTIFIERS = frozenset({"relu", "maximum", "clamp"})
#: draws from a continuous range, and what keeps their numbers apart
DRAWS = frozenset({"normal", "exponential", "uniform", "uniform64"})
HANDS_ON = frozenset({REFINE, "part", "cumsum", "concat", "diff", "dot"})
ARITHMETIC = frozenset({"add", "sub", "neg", "mul", "div", "clamp", "minimum", "maximum"})
#: operations in one another that are looked through for bounds: no formula nests deeper
MAX_NESTED = 8
#: the distance of two vectors of length 1 is at most 2, and a little more in half precision
BETWEEN_UNITS = 2.25
#: what is one of several values
CHOICES = frozenset({"where", "stored", PHI})
#: what makes equal numbers of different ones
LEVELS = frozenset({*RECTIFIERS, "minimum", "where", "sign", "integer", "floordiv", "isnan", *COMPARISONS})
#: what is left of a number without its whole part, by how that is rounded
FRACTIONS = {"round": (-0.5, 0.5), "floor": (0.0, 1.0), "ceil": (-1.0, 0.0), "trunc": (-1.0, 1.0)}


def subtraction(node: Node, evaluate: Evaluate) -> Value | None:
    """a - b for operands that know of each other."""
    a, b = node["a"], node["b"]
    if bare(a).op == "minimum" and bare(b).op == "maximum" and same_pair(bare(a), bare(b)):
        v = evaluate(a)
        note = Evidence("is 0 if its two operands are equal", origin=Origin.COINCIDENCE)
        return like(v, -INF, 0.0, high=LIKELY, because={"high": note})
    va = evaluate(a)
    if same(a, b) and a.op != CONST:
        if not of_each_pair(node):
            return None
        because = "is 0 on the diagonal, where each element is compared with itself"
        return replace(subtract(va, evaluate(b)), zero=LIKELY, why={"zero": Evidence(because, origin=Origin.ATTAINED)})
    top = shift_of(b, ("max", "logsumexp"))
    if any(same(one, a) for one in largest_of(b)):
        return like(va, -INF, 0.0, high=LIKELY, nan=shift_of_infinity(va), because="")
    if top is not None and same(top, a):
        return like(va, -INF, 0.0, high=LIKELY, peak=True, nan=shift_of_infinity(va), because="")
    if top is not None and bare(a).op not in ("max", "logsumexp"):
        # shifted by some maximum, if not provably its own: written against overflow
        return like(va, -INF, 0.0, peak=True)
    if (of := shift_of(a, ("max", "logsumexp"))) is not None and same(of, b):
        return like(va, 0.0, INF, low=LIKELY, because=Evidence("is 0 at the largest element", origin=Origin.ATTAINED))
    if (rest := bare(b)).op in FRACTIONS and same(rest["x"], a):
        return like(va, *FRACTIONS[rest.op], nan=max(va.nan, va.pinf, va.ninf))
    if bare(b).op in ("mean", "median") and same(bare(b)["x"], a):
        return like(va, neg=LIKELY, pos=LIKELY, because=Evidence("is negative below the mean", origin=Origin.ATTAINED))
    low = shift_of(b, ("min",))
    if low is not None and same(low, a):
        note = Evidence("is 0 at the smallest element", origin=Origin.ATTAINED)
        return like(va, 0.0, INF, low=LIKELY, trough=True, because=note)
    if (whole_step := step_between(a, b, evaluate)) is not None:
        return value(whole_step, whole_step, zero=NEVER, nan=max(va.nan, va.pinf, va.ninf), kind=va.kind)
    high, least = shift_of(a, ("max",)), shift_of(b, ("min",))
    if high is not None and least is not None and same(high, least):
        if of_draws(high):
            return like(va, 0.0, INF, zero=UNKNOWN)
        name = str(bare(high).attrs.get("variable") or bare(high).name.rpartition(".")[2])
        note = Evidence("is 0 if all elements are equal", origin=Origin.STATISTIC)
        return like(va, 0.0, INF, zero=POSSIBLE if is_coordinate(name) else LIKELY, because=note)
    if (cancelled := cancellation(node, evaluate)) is not None:
        return like(va, neg=LIKELY, zero=LIKELY, because=Evidence(cancelled, origin=Origin.ROUNDING))
    if is_covariance(a, b):
        note = Evidence("is a covariance: negative if one rises as the other falls", origin=Origin.SIGNED)
        return like(va, neg=LIKELY, pos=LIKELY, because=note)
    root = square_root_of(b)
    if root is not None and same(root, a):
        return with_complement(va, subtract(constant(1.0), va))
    return left_of_whole(node, evaluate)


def step_between(a: Node, b: Node, evaluate: Evaluate) -> float | None:
    """The whole number that was added to one value to make the other: (n + 1) - n, n - (n - 1)."""
    for made, of, sign in ((bare(a), b, 1.0), (bare(b), a, -1.0)):
        if made.op not in ("add", "sub"):
            continue
        for one, other in (("a", "b"), ("b", "a")) if made.op == "add" else (("a", "b"),):
            c = evaluate(made[other]).constant if same(made[one], of) and of.op != CONST else None
            if c and math.isfinite(c) and c == int(c):
                return sign * c if made.op == "add" else -sign * c
    return None


def of_draws(x: Node) -> bool:
    """Whether an array is made of numbers that are drawn from a continuous range: no two of them are equal."""
    parts = list(walk(x, lambda n: n.args.values() if n.op in HANDS_ON or elementwise(n) else (), 40))
    sources = [n for n in parts if n.op in DRAWS or (not n.args and n.op not in (CONST, MODULE))]
    return bool(sources) and all(n.op in DRAWS for n in sources) and not any(n.op in LEVELS for n in parts)


def shift_of_infinity(v: Value) -> Reach:
    """How far -inf - -inf is met, where what is shifted by its own maximum is ``v``."""
    return v.ninf if v.ninf >= LIKELY else NEVER


def largest_of(node: Node) -> list[Node]:
    """The values of which a node is the elementwise largest; none if it is no maximum.

    The least number of its kind is the largest of none: raised to that, only -inf changes.
    """
    node = bare(node)
    if node.op == "max" and (stacked := bare(node["x"])).op == TUPLE:
        return list(stacked.args.values())
    if node.op == "maximum":
        parts = [node[k] for k in ("a", "b")]
    elif node.op == "clamp" and "min" in node.args and ("max" not in node.args or nothing(node["max"])):
        # raised to a bound
        parts = [node[k] for k in ("x", "min")]
    else:
        return []
    return [one for part in parts for one in largest_of(part) or [part] if not least_number(one)]


def nothing(node: Node) -> bool:
    """Whether a node is None."""
    return node.op == CONST and node.attrs["value"] is None


def least_number(node: Node) -> bool:
    """Whether a node is finfo.min, of whatever dtype."""
    node = bare(node)
    if node.op == CONST:
        number = node.attrs["value"]
        return isinstance(number, float) and number < 0 and any(number == -f.max for f in FORMATS.values())
    return node.op == "neg" and bare(node["x"]).attrs.get("field") == "min"


def same_pair(least: Node, largest: Node) -> bool:
    """Whether a minimum and a maximum are of the same two."""
    return {bare(least[k]).key for k in ("a", "b")} == {bare(largest[k]).key for k in ("a", "b")}


def product(node: Node, evaluate: Evaluate) -> Value | None:
    """x * x is a square, x * sign(x) is |x|; signs of equal factors cancel."""
    if node["a"].key == node["b"].key:
        return square(evaluate(node["a"]))
    for one, other in (("a", "b"), ("b", "a")):
        if node[one].op == "neg" and node[one]["x"].key == node[other].key:
            return negate(square(evaluate(node[other])))
        if node[one].op == "sign" and node[one]["x"].key == node[other].key:
            return absolute(evaluate(node[other]))
        if node[one].op == "copysign" and same(node[one]["b"], node[other]) and evaluate(node[one]["a"]).lo > 0:
            return multiply(absolute(evaluate(node[other])), evaluate(node[one]["a"]))
    parts = factors(node)
    for part, complement in permutations(parts, 2):
        rest = beside(complement, 1.0, evaluate)
        if rest is not None and rest.negative and same(rest.node, part):
            found = with_complement(evaluate(part), evaluate(complement))
            for factor in parts:
                found = found if factor is part or factor is complement else multiply(found, evaluate(factor))
            return found
    if len(parts) < 3:
        return of_either_sign(node, evaluate)
    scale = 1.0
    left: dict[int, Node] = {}
    for part in parts:
        c = evaluate(part).constant
        if c is not None:
            scale *= c
        elif left.pop(part.key, None) is None:
            left[part.key] = part
    bases = [p for p in parts if evaluate(p).constant is None]
    if left or scale == 0 or len(bases) != 2:
        return of_either_sign(node, evaluate)
    squared = square(evaluate(bases[0]))
    return multiply(squared, constant(scale))


def with_complement(v: Value, complement: Value) -> Value:
    """x * (1 - x): at most 1/4, whatever x is."""
    return meet_range(multiply(v, complement), -INF, 0.25)


def of_either_sign(node: Node, evaluate: Evaluate) -> Value | None:
    """A product, or a quotient, of what has either sign as a whole, and something that is not made of it."""
    values = {k: evaluate(node[k]) for k in ("a", "b")}
    for one, other in (("a", "b"), ("b", "a")) if node.op == "mul" else (("a", "b"),):
        sign, v = signed(values[one]), values[other]
        if sign and v.lo < 0 < v.hi and not depends(node[other], sign["because"]["neg"].node):
            found = OPS[node.op].transfer(values, node.attrs)
            return replace(found, neg=LIKELY, why={**found.why, **sign["because"]})
    return None


def larger(node: Node, evaluate: Evaluate) -> Value | None:
    """max(x, -x) is |x|."""
    for one, other in (("a", "b"), ("b", "a")):
        if bare(node[one]).op == "neg" and same(bare(node[one])["x"], node[other]):
            return absolute(evaluate(node[other]))
    return None


def dot(node: Node, evaluate: Evaluate) -> Value | None:
    """A product of matrices, also as einsum: with itself a sum of squares; of exponentials 0 where they underflow."""
    if (found := cosine_of(node, evaluate)) is not None:
        return found
    operands = list(node.args.values()) if node.op == "einsum" else [node["a"], node["b"]]
    vanishing = [a for a in operands if underflows(a, evaluate)]
    if vanishing and (node.op == "einsum" or len(vanishing) == len(operands)):
        because = "is 0 if the large entries of one factor are multiplied by underflowed entries of the other"
        note = Evidence(because, origin=Origin.SATURATION)
        return like(evaluate(vanishing[0]), 0.0, INF, zero=LIKELY, because=note)
    number, parts = matrix_product(node, evaluate) if node.op == "dot" else (1.0, [])
    if len(parts) > 1 and is_square(parts):
        v = square(evaluate(node["b"]))
        zero = max(v.zero, POSSIBLE) if v.zero is not NEVER else NEVER
        note = v.evidence("zero") or Evidence("is 0 for the zero vector", origin=Origin.DATA)
        found = like(v, 0.0, INF, zero=zero, because={"zero": note})
        return found if number == 1 else multiply(found, constant(number))
    return None


def underflows(node: Node, evaluate: Evaluate) -> bool:
    """Whether a node is (a list of) exponentials that reach 0 by underflow, each shifted by itself at best."""
    node = bare(node)
    if node.op == TUPLE and len(node.args) == 1:
        # a list that a loop fills
        reason = evaluate(node).evidence("zero")
        return reason is not None and reason.node is not None and reason.node.op == "exp"
    return node.op == "exp" and evaluate(node).low >= LIKELY


def matrix_product(node: Node, evaluate: Evaluate, depth: int = 2) -> tuple[float, list[Node]]:
    """A number and the matrices that it and a node are the product of: three at most, as no relation is of more."""
    part = affine(node, evaluate)
    core = bare(part.core)
    if part.offset or core.op != "dot" or not depth:
        return (1.0, [node]) if part.offset else (part.factor, [core])
    (p, left), (q, right) = (matrix_product(core[k], evaluate, depth - 1) for k in ("a", "b"))
    return part.factor * p * q, [*left, *right]


def is_square(parts: list[Node]) -> bool:
    """Whether a product is of a vector with itself, or its squared Mahalanobis distance, by an inverse or solved."""
    first, *between, last = parts
    solved = next((n["b"] for n in (first, last) if n.op == "solve"), None)
    if solved is not None:
        return not between and (same(solved, first) or same(solved, last))
    return same(first, last) and all(whole(n).op in ("inv", "pinv") for n in between)


def cosine_of(node: Node, evaluate: Evaluate) -> Value | None:
    """The scalar product of two vectors over their lengths, or of multiples of such."""
    if not is_cosine(node):
        sides = [factors(node[k]) for k in ("a", "b")] if node.op == "dot" else []
        units = [f for side in sides for f in side if is_unit(f)]
        numbers = [evaluate(f).constant for side in sides for f in side if f not in units]
        if [sum(map(is_unit, side)) for side in sides] != [1, 1] or None in numbers:
            return None
        scale = math.prod(number for number in numbers if number is not None)
        return multiply(cosine(dict(zip("ab", map(evaluate, units), strict=True)), {}), constant(scale))
    return cosine({name: evaluate(operand) for name, operand in node.args.items() if name != "axis"}, {})


def quotient(node: Node, evaluate: Evaluate) -> Value | None:
    """x / sum(x) of non-negatives is a fraction; x / norm(x) is in [-1, 1]."""
    a, b = bare(node["a"]), bare(node["b"])
    if (found := cosine_of(node, evaluate) or written_out_sigmoid(node, evaluate)) is not None:
        return found
    if zero_together(node):
        # where no weight is left it is NaN, and no 0
        mean = OPS["div"].transfer({"a": evaluate(a), "b": evaluate(b)}, node.attrs)
        empty = mean.evidence("zero")
        return replace(mean, zero=UNKNOWN, low=UNKNOWN) if empty is not None and empty.origin is Origin.EMPTY else mean
    if b.op == "norm" and "x" in b.args and a.op == "part" and same(b["x"], whole(a)):
        a = b["x"]
    if b.op in ("sum", "max", "norm", "logsumexp") and "x" in b.args and same(b["x"], a):
        va = evaluate(a)
        if b.op in ("sum", "max") and va.lo >= 0:
            share = like(va, 0.0, 1.0, low=va.low, high=LIKELY, zero=va.zero, because=va.why)
            return replace(share, nan=evaluate(b).zero, sum_one=b.op == "sum")
        if b.op == "norm":
            note = Evidence("is exactly ±1 for a vector along an axis", origin=Origin.BOUND)
            ends = {"low": POSSIBLE, "high": POSSIBLE}
            return like(va, -1.0, 1.0, **ends, zero=va.zero, nan=evaluate(b).zero, because=note)
    return of_either_sign(node, evaluate)


def exponential_in(node: Node) -> Node | None:
    """The exp that a node is, or has as a factor, or above what it is divided by, if that is not made of it."""
    for factor in factors(node):
        found = exponential_in(factor["a"]) if factor.op == "div" else factor
        below = walk(factor["b"], lambda n: n.args.values(), 40) if factor.op == "div" else ()
        if found is not None and found.op == "exp" and all(n.key != found.key for n in below):
            return found
    return None


def shifted_along(exponent: Node, reduction: Node, by: str = "b") -> bool:
    """Whether the maximum that ``exponent`` is shifted by was taken along the axis that ``reduction`` sums over."""
    exponent = bare(exponent)
    if exponent.op != "sub":
        return True
    top = bare(exponent[by])
    while top.op in ("where", PHI, "clamp", "nan_to_num"):
        inner = next((top[k] for k in ("x", "b", "a") if k in top.args and top[k].op != CONST), None)
        if inner is None:
            return True
        top = bare(inner)
    if top.op not in ("max", "logsumexp"):
        return True
    return top.get("axis") is not None or reduction.get("axis") is None


def counts_all(summed: Node, reduction: Node) -> bool:
    """Whether a sum over counts is the number of all that was counted: 0 for no data at all only."""
    counts = bare(summed["x"]) if summed.op == "sum" else summed
    if counts.op != "bincount" or "weights" in counts.args:
        return False
    return summed.op == "sum" or reduction.get("axis") is None


def addition(node: Node, evaluate: Evaluate) -> Value | None:
    """a + b for operands that know of each other; a difference that cancels, raised by an eps."""
    if (found := shifted_exponentials(node, evaluate)) is not None:
        return found
    if is_layer(node):
        return OPS["linear"].transfer({}, {"layer": node})
    masked = raised_where_zero(node, evaluate)
    difference = raised_a_little(node, evaluate) if masked is None else None
    if difference is None:
        return masked or left_of_whole(node, evaluate)
    v = evaluate(difference)
    return like(v, neg=LIKELY, because={"neg": v.why["neg"]})


def is_layer(node: Node) -> bool:
    """x @ w + b, of weights and a bias that are kept together: a layer by hand."""
    for product, bias in ((bare(node["a"]), bare(node["b"])), (bare(node["b"]), bare(node["a"]))):
        weights = [bare(product[k]) for k in ("a", "b")] if product.op == "dot" else []
        if any(w.op == bias.op and w is not bias and kept_with(w, bias) for w in weights):
            return True
    return False


def kept_with(one: Node, other: Node) -> bool:
    """Whether two nodes are different entries of one record, or attributes of one object."""
    holder = {"part": "x", ATTR: "base", CALL: "arg0"}.get(one.op)
    if holder is None or (one.op == CALL and (one.name or other.name or len(one.args) + len(other.args) != 2)):
        # neither entries, nor elements of one tuple
        return False
    return same(one[holder], other[holder]) and one.key != other.key


def shifted_exponentials(node: Node, evaluate: Evaluate) -> Value | None:
    """exp(a - m) + exp(b - m) for the larger of a and b: one of the terms is 1."""
    if bare(node["b"]).op != "exp":
        return None
    parts = [term for term in terms(node) if evaluate(term.node).constant != 0]
    exps = [bare(term.node) for term in parts if not term.negative]
    shifts = [bare(e["x"]) for e in exps if e.op == "exp"]
    if len(shifts) < len(parts) or any(s.op != "sub" for s in shifts):
        return None
    largest = largest_of(shifts[0]["b"])
    together = all(same(s["b"], shifts[0]["b"]) for s in shifts)
    if not largest or not together or not all(any(same(one, s["a"]) for s in shifts) for one in largest):
        return None
    values = [evaluate(e) for e in exps]
    nan = max(v.nan for v in values)
    return like(values[0], 1.0, float(len(shifts)), nan=nan)


def above_zero(node: Node, evaluate: Evaluate) -> Node:
    """What is held at 0 and above: 0 where that is not positive. Anything else as it is."""
    core = bare(node)
    held = core.op in ("clamp", "maximum", "relu") and evaluate(core).lo == 0
    return next((a for a in core.args.values() if a.op != CONST), node) if held else node


def raised_where_zero(node: Node, evaluate: Evaluate) -> Value | None:
    """x + (x <= 0) * eps: the mask adds the eps where it is needed. Distances + eye: 1 on the diagonal."""
    for one, other in (("a", "b"), ("b", "a")):
        if any(tells_diagonal(f) for f in factors(node[other])) and holds_each_pair(node[one]):
            v = evaluate(node[one])
            return like(v, max(v.lo, 0.0), INF, zero=UNKNOWN)
        parts = factors(node[other])
        held = (node[one], above_zero(node[one], evaluate))
        masked = any(p.op in ("le", "eq", "lt") and any(same(p["a"], x) for x in held) for p in parts)
        raised = [c for p in parts if (c := evaluate(p).constant) is not None and c > 0]
        if masked and len(parts) - len(raised) == 1:
            v = evaluate(node[one])
            return like(v, max(v.lo, 0.0), INF, zero=NEVER)
    return None


def sum_of(node: Node, evaluate: Evaluate) -> Value | None:
    """A sum of squares: 0 for the zero vector. A sum of exponentials without a lower bound: 0 when all underflow."""
    if node.op == "sum" and (found := cosine_of(node, evaluate)) is not None:
        return found
    if (found := sum_of_shares(node, evaluate)) is not None:
        return found
    chosen = bare(node["x"])
    if chosen.op in PLACED or (chosen.op == "tensor" and bare(chosen["x"]).op == TUPLE):
        # one element that is 0 does not make a sum of 0
        v = total(evaluate(node["x"]))
        return v if v.constant is not None else replace(v, zero=min(v.zero, UNKNOWN), low=UNKNOWN)
    if laid_out(chosen, evaluate):
        # a setting of which all elements were 0 is none that anybody chooses
        v = total(evaluate(node["x"]))
        return replace(v, zero=min(v.zero, UNKNOWN), low=min(v.low, UNKNOWN), why={}) if v.constant is None else v
    held = attained(node["x"], node, evaluate) if evaluate(node["x"]).lo >= 0 else None
    if held is not None and held > 0:
        v = evaluate(node["x"])
        return like(v, 0.0, INF, zero=NEVER, pinf=v.pinf, nan=v.nan)
    first = (axis := node.get("axis")) is not None and evaluate(axis).constant == 0
    if chosen.op == "one_hot" and "axis" not in chosen.args and first:
        return OPS["bincount"].transfer({}, {})
    if counts_all(chosen, node):
        return replace(total(evaluate(node["x"])), zero=POSSIBLE, low=POSSIBLE)
    if (found := weighted(node, evaluate)) is not None:
        return found
    exponential = exponential_in(node["x"])
    if exponential is not None:
        v = evaluate(exponential)
        peaked = v.peak and shifted_along(exponential["x"], node)
        if v.lo == 0 and v.low >= LIKELY and not peaked and evaluate(node["x"]).lo >= 0:
            note = v.evidence("low") or Evidence("underflows to 0", origin=Origin.SATURATION)
            note = Evidence(note.text, note.node or exponential, origin=Origin.SATURATION)
            return like(v, 0.0, INF, zero=LIKELY, pinf=v.pinf, because={"zero": note})
    if node.op == "sum" and (found := masked_sum(node, evaluate)) is not None:
        return found
    v, inner = evaluate(node["x"]), square_root_of(node["x"])
    added = total(v)
    if added.zero >= LIKELY and (e := added.evidence("zero")) is not None and e.origin is Origin.SATURATION:
        # shares that saturate leave what they lose to others: hardly all of a sum are 0
        return replace(added, zero=POSSIBLE, low=POSSIBLE)
    if inner is None:
        return None
    if between_units(inner):
        return meet_range(added, 0.0, BETWEEN_UNITS**2)
    if v.zero is NEVER or v.zero >= POSSIBLE:
        return None
    return like(v, 0.0, INF, zero=POSSIBLE, because=Evidence("is 0 for the zero vector", origin=Origin.DATA))


def weighted(node: Node, evaluate: Evaluate) -> Value | None:
    """The sum of something times weights that sum to 1, as those of a softmax do: no less and no more than that."""
    parts = factors(node["x"])
    weights = next((f for f in parts if f.op == "softmax"), None)
    along = [evaluate(axis).constant for n in (node, weights) if n is not None and (axis := n.get("axis")) is not None]
    if node.op != "sum" or weights is None or len(parts) != 2 or len(along) != 2 or along[0] != along[1]:
        return None
    v = evaluate(parts[parts[0] is weights])
    return replace(v, low=UNKNOWN, high=UNKNOWN, peak=False, sum_one=False) if v.lo > 0 or v.hi < 0 else None


def masked_sum(node: Node, evaluate: Evaluate) -> Value | None:
    """The sum of what a mask leaves: of a product with it, or of a selection that takes 0 elsewhere.

    It is 0 where the mask leaves nothing. One that is made of places alone leaves something of each row, or its author
    would see it; then all that is left has to be 0. Of two masks each may leave what the other does not.
    """
    inner, parts = bare(node["x"]), factors(node["x"])
    masks = [(p, True) for p in parts if evaluate(p).whole and evaluate(p).hi <= 1] if len(parts) > 1 else []
    if inner.op == "where" and "cond" in inner.args and apart(inner["cond"], inner):
        masks = [read_mask(inner["cond"], k == "b") for k in ("a", "b") if evaluate(inner[k]).constant == 0]
    found = [(evaluate(mask), "zero" if keeps else "pos") for mask, keeps in masks]
    empty = [v.evidence(cls) for v, cls in found if not v.peak and v.reach(cls) >= LIKELY]
    if not empty:
        return None
    added = total(evaluate(node["x"]))
    if all(laid_out(mask, evaluate, PLACING) for mask, _ in masks):
        return replace(added, zero=min(added.zero, POSSIBLE), low=min(added.low, POSSIBLE))
    return replace(
        added,
        zero=LIKELY,
        why={"zero": empty[0] or Evidence("is 0 if the mask selects nothing", origin=Origin.EMPTY)},
    )


def apart(cond: Node, selection: Node) -> bool:
    """Whether a condition asks about something else than what it selects."""
    asked = {n.key for n in walk(cond, lambda n: n.args.values(), 40)}
    chosen = (n for k in ("a", "b") for n in walk(selection[k], lambda n: n.args.values(), 40))
    return all(n.key not in asked for n in chosen if n.op != CONST)


def laid_out(node: Node, evaluate: Evaluate, places: frozenset[str] = GRIDS) -> bool:
    """Whether the elements of a node are computed from places, of a grid or others, and numbers: a table, no data."""

    def onward(n: Node) -> list[Node]:
        return [] if n.op in places else [a for name, a in n.args.items() if name != "index"]

    leaves = [n for n in walk(node, onward, 40) if not onward(n)]
    placed = any(n.op in places and n.op != "size" and not n.attrs.get("scalar") for n in leaves)
    return placed and all(n.op in (*places, CONST) or evaluate(n).kind is Kind.SCALAR for n in leaves)


#: operands of an op that a number at one place goes through
PASSED = frozenset({"x", "a", "b"})


def attained(node: Node, reduction: Node, evaluate: Evaluate, open_: frozenset[int] = frozenset()) -> float | None:
    """A number that an element along the axis of a reduction is, whatever the others are; None if unknown.

    The largest element minus itself is 0, any multiple of that is, and its exponential is 1.
    """
    node = bare(node)
    if node.index in open_ or len(open_) > MAX_ATTAINED:
        return None
    c = evaluate(node).constant
    if c is not None:
        return None
    within = open_ | {node.index}
    for one, other in (("a", "b"), ("b", "a")) if node.op == "sub" else ():
        if (top := shift_of(node[other], ("max",))) is not None and same(top, node[one]):
            return 0.0 if shifted_along(node, reduction, other) else None
    if node.op == PHI:
        found = {attained(node[k], reduction, evaluate, within) for k in ("a", "b") if k in node.args}
        return found.pop() if len(found) == 1 else None
    if node.op == LOOP:
        # what it starts from, if a turn keeps it
        start = attained(node["pre"], reduction, evaluate, within)
        kept = "back" not in node.args or attained(node["back"], reduction, evaluate, within) == start
        return start if kept else None
    op = OPS.get(node.op)
    if op is None or not op.pointwise:
        return None
    numbers = {k: attained(a, reduction, evaluate, within) for k, a in node.args.items()}
    known = [k for k, number in numbers.items() if number is not None]
    if len(known) != 1 or known[0] not in PASSED:
        return None
    if (node.op == "mul" or (node.op == "div" and known[0] == "a")) and numbers[known[0]] == 0:
        return 0.0
    values = {k: evaluate(a) if numbers[k] is None else constant(numbers[k] or 0.0) for k, a in node.args.items()}
    if node.op == "pow" and numbers[known[0]] == 1 and known[0] == "x":
        return 1.0
    try:
        return op.transfer(values, node.attrs).constant
    except (KeyError, OverflowError, ZeroDivisionError):
        return None


def sum_of_shares(node: Node, evaluate: Evaluate) -> Value | None:
    """The sum of a softmax over its own axis, also of a mean of it over another one, and of one with dropout."""
    axis, current, dropped = node.get("axis"), node["x"], False
    places = {evaluate(axis).constant} if node.op == "sum" and axis is not None else {None}
    means = 0
    while None not in places:
        current = bare(current)
        if current.op == "mean" and (over := current.get("axis")) is not None:
            removed = evaluate(over).constant
            if removed is None or removed in places:
                return None
            # where the mean keeps its axis, those behind it stay where they are
            places |= {p + 1 for p in places if p is not None and p >= removed >= 0}
            means += 1
        elif current.op == "dropout":
            dropped = True
        elif current.op == "softmax" and (own := current.get("axis")) is not None and (means or dropped):
            if evaluate(own).constant not in places:
                return None
            shares = total(replace(evaluate(current), sum_one=True))
            # with dropout, or where a mean may or may not have kept its axis, nothing is proved
            unsure = dropped or len(places) > 1
            return replace(shares, lo=0.0, hi=INF, zero=UNKNOWN, low=UNKNOWN) if unsure else shares
        else:
            return None
        current = current["x"]
    return None


def length(node: Node, evaluate: Evaluate) -> Value | None:
    """The distance of two vectors of length 1; the norm or deviation of one that is 0 at times, or never."""
    of = node if node.op == "distance" else node["x"]
    if node.op in ("norm", "distance") and "ord" not in node.attrs and between_units(of):
        v = OPS[node.op].transfer({k: evaluate(a) for k, a in node.args.items()}, node.attrs)
        return meet_range(v, 0.0, BETWEEN_UNITS)
    if node.op == "distance":
        return None
    x = evaluate(of)
    if node.op == "norm" and replaced_at_zero(of, evaluate):
        return like(x, 0.0, INF, zero=NEVER)
    # each thing is paired with itself, too
    on_diagonal = bare(of).op == "sub" and of_each_pair(bare(of))
    hidden = silenced(of, evaluate) or (x.evidence("zero") if on_diagonal else None)
    if hidden is None or x.peak or x.zero < LIKELY:
        return None
    return like(x, 0.0, INF, zero=LIKELY, because={"zero": hidden})


def silenced(node: Node, evaluate: Evaluate) -> Evidence | None:
    """Why an array is 0 throughout at times: its rectifier is dead, or it starts so."""
    inner = bare(node)
    v = evaluate(inner)
    if inner.op == "variable" and "x" in inner.args and evaluate(inner["x"]).constant == 0:
        return v.evidence("zero")
    if inner.op in RECTIFIERS and v.lo == 0 and v.zero >= LIKELY:
        return v.evidence("zero")
    return None


def replaced_at_zero(node: Node, evaluate: Evaluate) -> bool:
    """where(any(x != 0), x, 1): whether a vector is replaced by numbers other than 0 where it is 0 all over."""
    selection = bare(node)
    if selection.op != "where" or "cond" not in selection.args:
        return False
    for kept, other in (("a", "b"), ("b", "a")):
        c = evaluate(selection[other]).constant
        if c not in (None, 0.0) and reduces(selection["cond"], selection[kept]):
            return True
    return False


def reduces(cond: Node, x: Node) -> bool:
    """Whether a condition is about a reduction of x."""
    made_of = walk(bare(cond), lambda n: map(bare, n.args.values()), 20)
    reductions = (n for n in made_of if n.op in OPS and OPS[n.op].reduction)
    return any(of_elements(a, x) for n in reductions for a in n.args.values())


def of_elements(node: Node, x: Node) -> bool:
    """Whether a node is x, its squares, or a comparison of its elements."""
    node = bare(node)
    inner = square_root_of(node) or (node["x"] if node.op == "abs" else node["a"] if "a" in node.args else node)
    return same(inner, x)


def equality(node: Node, evaluate: Evaluate) -> Value | None:
    """x == max(x) holds for at least one element.

    So does x[:, None] == x[None, :], x[:, None] == unique(x) and, for one element, arange(n) == argmax(x).
    """
    a, b = bare(node["a"]), bare(node["b"])
    if {a.op, b.op} == {"arange", "argmax"}:
        return value(0.0, 1.0, whole=True, peak=True, kind=Kind.TENSOR)
    if a.op != CONST and (a.key == b.key or element_of(a, b) or element_of(b, a)):
        return value(0.0, 1.0, whole=True, peak=True, kind=evaluate(a).kind)
    for one, other in (("a", "b"), ("b", "a")):
        top = shift_of(node[one], ("max", "min"))
        if top is not None and same(top, node[other]):
            return value(0.0, 1.0, whole=True, peak=True, kind=evaluate(node[other]).kind)
        if top is not None or chosen_from_data(node[one]):
            # of another array, as far as is seen: one that its own elements were taken from, most of the time
            note = Evidence("is False everywhere if the element is not in the data", origin=Origin.EMPTY)
            kind = evaluate(node[other]).kind
            return value(0.0, 1.0, low=POSSIBLE, high=LIKELY, whole=True, because={"low": note}, kind=kind)
    return None


def chosen_from_data(node: Node) -> bool:
    """Whether a number is one of those that a function of a library takes out of an array: the distinct ones."""
    taken = walk(node, lambda n: [n["x"]] if n.op in ("part", REFINE, "view", "cast") and "x" in n.args else (), 8)
    return any(n.op == "part" and "index" not in n.args and n.spelling is not None for n in taken)


def element_of(node: Node, array: Node) -> bool:
    while node.op == "part" and "index" not in node.args:
        node = bare(node["x"])
        if same(node, array):
            return True
    return False


def support(node: Node, evaluate: Evaluate) -> Value | None:
    """1 + k * z_(k) > cumsum(z)_k, of sorted data: the support of a projection onto the simplex is never empty."""
    if (found := true_somewhere(node, evaluate)) is not None:
        return found
    if terms_of(node, "cumsum") and terms_of(node, "shuffle"):
        return value(0.0, 1.0, whole=True, kind=Kind.TENSOR)
    return None


def terms_of(node: Node, op: str, steps: int = 8) -> bool:
    """Whether an op is among the terms and factors that an expression is made of."""
    if node.op == op:
        return True
    return elementwise(node) and steps > 0 and any(terms_of(a, op, steps - 1) for a in node.args.values())


def bounds(node: Node, evaluate: Evaluate, steps: int = MAX_NESTED) -> tuple[bool, bool]:
    """Whether a value has a lower and an upper bound, were its settings ordinary numbers: a margin, a temperature.

    Nobody means one that is multiplied with, or the width that something is divided by, to be negative.
    """
    node, v = bare(node), evaluate(node)
    below, above = v.lo > -INF, v.hi < INF
    if (below and above) or setting(node, v) or not steps:
        return (True, True) if steps else (below, above)
    within = {k: bounds(a, evaluate, steps - 1) for k, a in node.args.items() if k in ("a", "b", "min", "max")}
    if node.op in CHOICES and within:
        below, above = (all(found) for found in zip(*within.values(), strict=True))
    elif node.op == "clamp":
        within = {k: found for k, found in within.items() if not nothing(node[k])}
        below, above = (any(found[end] for found in within.values()) for end in (0, 1))
        below, above = below or "min" in within, above or "max" in within
    elif node.op in ("add", "sub", "neg"):
        parts = [(bounds(t.node, evaluate, steps - 1), t.negative) for t in terms(node)]
        below, above = (all(found[end != negative] for found, negative in parts) for end in (0, 1))
    elif node.op == "div" and evaluate(node["a"]).hi <= 0 and evaluate(node["b"]).lo < 0:
        # the exponent of a Gaussian, whose width nobody means to be negative
        above = setting(node["b"], evaluate(node["b"])) or bare(node["b"]).op == PARAM
    elif node.op in ("mul", "div"):
        below, above = bounds_of_product(monomial(node, evaluate), evaluate, steps)
    return below or v.lo > -INF, above or v.hi < INF


def bounds_of_product(product: Monomial, evaluate: Evaluate, steps: int) -> tuple[bool, bool]:
    """The same of a product: of data with settings, and of what has a sign over anything."""
    data = [f for f in product.above if not setting(f, evaluate(f))]
    found = [bounds(f, evaluate, steps - 1) for f in data]
    signs = [(evaluate(f).lo >= 0, evaluate(f).hi <= 0) for f in data]
    unsettled = [f for f in product.below if not (setting(f, evaluate(f)) or whole(f).op == PARAM)]
    if not unsettled and all(map(all, found)):
        return True, True
    negative = product.number < 0
    if all(map(any, signs)):
        negative = negative != (sum(not positive for positive, _ in signs) % 2 == 1)
        return not negative, negative
    if len(found) != 1 or unsettled:
        return False, False
    return found[0][::-1] if negative else found[0]


def is_set(node: Node, evaluate: Evaluate) -> bool:
    """Whether a value is made of data and of settings, by arithmetic and bounds."""
    made = list(walk(bare(node), lambda n: map(bare, n.args.values()) if n.op in ARITHMETIC else (), 24))
    values = ((n, evaluate(n)) for n in made if n.op not in ARITHMETIC)
    kinds = {setting(n, v) for n, v in values if v.constant is None}
    divisors = (n["b"] for n in made if n.op == "div" and evaluate(n["b"]).constant is None)
    return False in kinds and (True in kinds or any(whole(b).op == PARAM for b in divisors))


def setting(node: Node, v: Value) -> bool:
    """Whether a value is a number of Python's, an attribute of an object, or what its constructor is given."""
    if node.op == "part" and "x" in node.args:
        return setting(bare(node["x"]), v)
    return v.kind is Kind.SCALAR or node.op == ATTR or bool(node.attrs.get("held"))


def shares(node: Node, evaluate: Evaluate) -> Value | None:
    """The softmax of bounded scores over a temperature: whether it underflows is up to that."""
    if not (is_set(node["x"], evaluate) and all(bounds(node["x"], evaluate))):
        return None
    v = softmax(evaluate(node["x"]))
    return replace(v, low=min(v.low, POSSIBLE), high=min(v.high, POSSIBLE), zero=min(v.zero, POSSIBLE))


def between_units(node: Node) -> bool:
    """Whether a node is the difference, or the distance, of two vectors of length 1: at most 2 long."""
    node = bare(node)
    ends = [node[k] for k in ("x", "a", "b") if k in node.args] if node.op in ("sub", "distance") else []
    return bool(ends) and all(map(is_unit, ends))


def on_grid(node: Node) -> bool:
    """Whether a value is made from a grid (arange, linspace) and numbers: its author sees how far it goes."""
    return any(n.op in ("arange", "linspace") for n in walk(node, lambda n: n.args.values(), 60))


#: logarithms by which a value is written in log space
LOGARITHMIC = frozenset({"log", "log1p", "log2", "log10"})


def in_log_space(node: Node, evaluate: Evaluate, steps: int = 8) -> bool:
    """Whether a value is a sum of multiples of logarithms: far from 0 only where what they are of is 0 or infinite."""
    node = bare(node)
    if node.op == PHI:
        # what is a logarithm on one path is meant to be one on the other
        return steps > 0 and any(in_log_space(node[k], evaluate, steps - 1) for k in ("a", "b") if k in node.args)
    parts = [t.node for t in terms(node)]
    within = [p for p in parts if any(f.op in LOGARITHMIC or nested(f, node, evaluate, steps) for f in factors(p))]
    others = (evaluate(p) for p in parts if p not in within)
    return bool(within) and all(math.isfinite(v.lo) and math.isfinite(v.hi) for v in others)


def nested(factor: Node, of: Node, evaluate: Evaluate, steps: int) -> bool:
    """Whether a factor of a term is a sum of logarithms itself."""
    inner = bare(factor)
    return (
        inner is not of
        and inner.op in ("add", "sub", "neg", PHI)
        and steps > 0
        and in_log_space(inner, evaluate, steps - 1)
    )


def saturation(exponent: Node, x: Value, evaluate: Evaluate) -> Value:
    """The sigmoid of x, which is made of an exponent; of a logarithm it is at its ends only where that is."""
    v = sigmoid(x)
    if not in_log_space(exponent, evaluate) and not called_logarithm(exponent):
        return v
    low, high = min(v.low, POSSIBLE), min(v.high, POSSIBLE)
    return replace(v, low=low, high=high, zero=min(v.zero, low), pos=min(v.pos, POSSIBLE))


def written_out_sigmoid(node: Node, evaluate: Evaluate) -> Value | None:
    """1 / (1 + exp(-x)) and exp(x) / (1 + exp(x)): exactly 0 and 1 far out."""
    term = beside(node["b"], 1, evaluate)
    exp = bare(term.node) if term is not None and not term.negative else node
    if exp.op != "exp":
        return None
    x = evaluate(exp["x"])
    if evaluate(node["a"]).constant == 1:
        return saturation(exp["x"], negate(x), evaluate)
    return saturation(exp["x"], x, evaluate) if same(node["a"], exp) else None


def called_logarithm(node: Node) -> bool:
    """Whether a value from outside, or minus it, is called the logarithm of something."""
    inner = bare(node)
    inner = bare(inner["x"]) if inner.op == "neg" else inner
    name = str(inner.attrs.get("variable") or inner.name.rpartition(".")[2])
    return inner.op in (PARAM, ATTR, CALL) and is_plain_logarithm(name)


def power_by_exp(node: Node, evaluate: Evaluate) -> Value | None:
    """exp(c * log(x)) is a power of x: it underflows only where x does. exp(-x**2 / d) does not overflow."""
    if in_log_space(node["x"], evaluate):
        v = exponential(evaluate(node["x"]))
        return replace(v, low=min(v.low, POSSIBLE), zero=min(v.zero, POSSIBLE), pinf=min(v.pinf, UNKNOWN))
    x = evaluate(node["x"])
    below, above = bounds(node["x"], evaluate) if is_set(node["x"], evaluate) else (False, False)
    above = above and x.hi > x.format.exp_overflow
    if below or above:
        v = exponential(replace(x, hi=min(x.hi, x.format.exp_overflow)) if above else x)
        return replace(v, low=min(v.low, POSSIBLE), zero=min(v.zero, POSSIBLE)) if below else v
    if not any(f.op in ("log", "log1p") for f in factors(node["x"])) and not on_grid(node["x"]):
        return None
    v = exponential(evaluate(node["x"]))
    return like(v, v.lo, v.hi, low=min(v.low, POSSIBLE), pinf=v.pinf, high=v.high, because=v.why)


RELATIONS: dict[str, Callable[[Node, Evaluate], Value | None]] = {
    "add": addition,
    "sub": subtraction,
    "mul": product,
    "maximum": larger,
    "dot": dot,
    "div": quotient,
    "exp": power_by_exp,
    "eq": equality,
    **dict.fromkeys(("gt", "ge", "lt", "le"), support),
    "einsum": dot,
    "norm": length,
    "std": length,
    "var": length,
    "sum": sum_of,
    "mean": sum_of,
    "sigmoid": lambda node, evaluate: saturation(node["x"], evaluate(node["x"]), evaluate),
    "softmax": shares,
    "distance": length,
}
