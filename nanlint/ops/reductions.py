"""Sums, means, extrema, norms, spreads, products of matrices: many elements to one."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import reduce

from nanlint.ops.arithmetic import (
    DIFFERENTIABLE,
    Attrs,
    add,
    divide,
    kept,
    multiply,
    negate,
    noted,
    power,
    rounds,
    square,
    tensor_like,
)
from nanlint.ops.op import Operands, Pole, define
from nanlint.ops.value import (
    CERTAIN,
    INF,
    LIKELY,
    NEVER,
    POSSIBLE,
    TOP,
    UNKNOWN,
    Evidence,
    Kind,
    Origin,
    Reach,
    Value,
    constant,
    join,
    signed,
    value,
)


def all_zero(x: Value) -> Reach:
    """Reach of "every element is zero": natural for masks (an empty one) and rectifiers, a coincidence otherwise."""
    if x.zero <= UNKNOWN:
        return x.zero
    if x.whole:
        return x.zero
    return min(x.zero, LIKELY) if x.hi == INF else POSSIBLE


def total(x: Value) -> Value:
    """Sum: of non-negatives at least 0; exactly 0 if all are; at least the peak if one is known to be there."""
    if x.sum_one:
        # the error of a sum grows with its length: 2**17 terms here
        slack = min(0.5, 2**17 * x.format.eps)
        return value(1.0 - slack, 1.0 + slack, nan=x.nan, kind=Kind.TENSOR, format=x.format)
    if x.peak and x.lo >= 0:
        return value(x.hi, INF, zero=NEVER, low=LIKELY, **tensor_like(x))
    if x.lo >= 0:
        zero = NEVER if x.zero is NEVER else all_zero(x)
        return value(
            x.lo if x.lo > 0 else 0.0,
            INF,
            zero=zero,
            whole=x.whole,
            pinf=x.pinf,
            because=kept(x, "zero", "pinf"),
            **tensor_like(x),
        )
    if x.hi <= 0:
        return value(
            -INF,
            0.0,
            zero=NEVER if x.zero is NEVER else all_zero(x),
            ninf=x.ninf,
            because=kept(x, "zero", "ninf"),
            **tensor_like(x),
        )
    sign = signed(x)
    return value(
        ninf=x.ninf,
        pinf=x.pinf,
        neg=sign.get("neg", UNKNOWN),
        nan=max(x.nan, min(x.ninf, x.pinf)),
        whole=x.whole,
        because=kept(x, "ninf", "pinf", "nan") | sign.get("because", {}),
        **tensor_like(x),
    )


def mean(x: Value) -> Value:
    """Mean: inside the range."""
    one_sided = x.lo >= 0 or x.hi <= 0
    zero = UNKNOWN if not one_sided else NEVER if x.zero is NEVER else all_zero(x)
    sign = signed(x)
    return value(
        x.lo,
        x.hi,
        zero=zero,
        neg=sign.get("neg", UNKNOWN),
        pinf=x.pinf,
        ninf=x.ninf,
        nan=max(x.nan, min(x.ninf, x.pinf)),
        low=UNKNOWN if x.lo else zero,
        high=UNKNOWN,
        because=kept(x, "zero", "pinf", "ninf") | sign.get("because", {}),
        **tensor_like(x),
    )


def middle(x: Value) -> Value:
    """Median or quantile: inside the range; nan where it interpolates between infinities."""
    found = mean(x)
    return replace(found, nan=max(found.nan, min(max(x.pinf, x.ninf), UNKNOWN)))


def largest(x: Value) -> Value:
    """Maximum over elements."""
    if x.peak:
        return replace(constant(x.hi), kind=Kind.TENSOR)
    zero = min(all_zero(x), POSSIBLE) if x.lo >= 0 else UNKNOWN
    return value(
        x.lo,
        x.hi,
        zero=zero,
        high=x.high,
        low=zero if x.lo == 0 else UNKNOWN,
        ninf=x.ninf,
        pinf=x.pinf,
        whole=x.whole,
        because=kept(x, "zero", "high", "ninf"),
        **tensor_like(x),
    )


def smallest(x: Value) -> Value:
    """Minimum over elements: any zero of a non-negative operand shows."""
    return value(
        x.lo,
        x.hi,
        zero=x.zero if x.lo >= 0 else UNKNOWN,
        low=x.low,
        high=UNKNOWN,
        ninf=x.ninf,
        pinf=x.pinf,
        whole=x.whole,
        because=kept(x, "zero", "low"),
        **tensor_like(x),
    )


def spread(v: Operands, _: Attrs) -> Value:
    """Standard deviation or variance: 0 for constant data."""
    written = v["x"].constant is not None
    note = Evidence("is 0 if all elements are equal", origin=Origin.START if written else Origin.STATISTIC)
    # up to rounding of the mean
    return value(0.0, INF, zero=LIKELY if written else POSSIBLE, because=note, **tensor_like(v["x"]))


def norm(v: Operands, attrs: Attrs) -> Value:
    """A vector norm: 0 for the zero vector only."""
    x = v["x"]
    if x.zero is NEVER or (x.peak and x.hi > 0):
        return value(0.0, INF, zero=NEVER, **tensor_like(x))
    if x.constant == 0:
        return value(0.0, 0.0, zero=CERTAIN, because=kept(x, "zero"), **tensor_like(x))
    return value(
        0.0, INF, zero=POSSIBLE, because=Evidence("is 0 for the zero vector", origin=Origin.DATA), **tensor_like(x)
    )


def dot(v: Operands, _: Attrs) -> Value:
    """Matrix product or einsum: a sum of products."""
    found = multiply(v["a"], v["b"])
    return total(replace(found, neg=min(found.neg, UNKNOWN)))


def einsum(v: Operands, _: Attrs) -> Value:
    """Sum of products over any number of operands."""
    vs = list(v.values())
    if not vs:
        return value(kind=Kind.TENSOR)
    product = vs[0]
    for other in vs[1:]:
        product = multiply(product, other)
    return total(replace(product, sum_one=False, neg=min(product.neg, UNKNOWN)))


def product(v: Operands, _: Attrs) -> Value:
    """Product over elements: 0 as soon as one is, and by underflow."""
    x = v["x"]
    if x.lo >= 0:
        hi = x.hi if x.hi <= 1 else INF
        return value(0.0, hi, zero=NEVER if x.lo >= 1 else x.zero, because=kept(x, "zero"), **tensor_like(x))
    return value(**tensor_like(x))


def count(v: Operands, _: Attrs) -> Value:
    """Number of elements that satisfy something: 0 when none does."""
    x = v.get("x", TOP)
    mask = x.whole and x.lo >= 0 and x.hi <= 1
    zero, why = (
        (total(x).zero, x.evidence("zero"))
        if mask
        else (LIKELY, Evidence("is 0 if nothing is counted", origin=Origin.EMPTY))
    )
    because = noted(zero=why)
    return value(0.0, INF, zero=zero, pinf=NEVER, nan=NEVER, whole=True, because=because, kind=Kind.TENSOR)


def tally(v: Operands, attrs: Attrs) -> Value:
    """How often each number occurs, or what those weigh that are it: 0 for one that does not."""
    counted, weights = count(v, attrs), v.get("weights")
    if weights is None:
        return counted
    lo = 0.0 if weights.lo >= 0 else -INF
    return value(lo, INF, zero=counted.zero, nan=weights.nan, because=counted.why, kind=Kind.TENSOR)


#: what reductions make of the numbers of an array, all of them known
COMBINED: Mapping[str, Callable[[Sequence[Value]], Value]] = {
    "sum": lambda numbers: reduce(add, numbers),
    "mean": lambda numbers: divide(reduce(add, numbers), constant(float(len(numbers)))),
    "max": lambda numbers: max(numbers, key=lambda v: v.lo),
    "min": lambda numbers: min(numbers, key=lambda v: v.lo),
    "prod": lambda numbers: reduce(multiply, numbers),
    "norm": lambda numbers: power(reduce(add, (multiply(v, v) for v in numbers)), constant(0.5)),
}

define("sum", "x axis", rounds(lambda v, _: total(v["x"])), reduction=True, zero_preserving=True)
define("mean", "x axis", rounds(lambda v, _: mean(v["x"])), reduction=True, zero_preserving=True, keeps_constants=True)
define("max", "x axis", lambda v, _: largest(v["x"]), reduction=True, zero_preserving=True, keeps_constants=True)
define("min", "x axis", lambda v, _: smallest(v["x"]), reduction=True, zero_preserving=True, keeps_constants=True)
define("prod", "x axis", rounds(product), reduction=True, zero_preserving=True)
#: the root of a sum of squares, differentiated as it stands; PyTorch's own functions look for 0
ROOT_OF_SQUARES = Pole("result", "zero", "nan", gradient=True, frameworks=DIFFERENTIABLE - {"torch"})


def norm_poles(v: Operands) -> tuple[Pole, ...]:
    """Poles of a norm: the sum and the maximum of absolute values have none."""
    order = v["ord"].constant if "ord" in v else None
    return () if order in (1.0, INF, -INF) else (ROOT_OF_SQUARES,)


define("std", "x axis ddof", spread, ROOT_OF_SQUARES, reduction=True, zero_preserving=True, flat=True)
define("var", "x axis ddof", spread, reduction=True, zero_preserving=True, flat=True)
define("norm", "x ord axis", rounds(norm), poles_for=norm_poles, reduction=True, zero_preserving=True)
define(
    "normalize",
    "x axis",
    rounds(lambda v, _: value(-1.0 if v["x"].lo < 0 else 0.0, 1.0, zero=v["x"].zero, **tensor_like(v["x"]))),
)
define("cumsum", "x axis", rounds(lambda v, _: total(replace(v["x"], sum_one=False, peak=False))), zero_preserving=True)
define("cumprod", "x axis", rounds(product), zero_preserving=True)
define("dot", "a b", rounds(dot), zero_preserving=True, bilinear=True)
define("einsum", "", rounds(einsum), zero_preserving=True, bilinear=True)
define("count_nonzero", "x axis", count, reduction=True, zero_preserving=True, stops_gradient=True)
define("bincount", "x weights", tally, stops_gradient=True)
define("ranks", "x", stops_gradient=True)
define("occurrences", "x", lambda v, _: value(1.0, INF, whole=True, nan=NEVER, kind=Kind.TENSOR), stops_gradient=True)
define(
    "argmax", "x axis", lambda v, _: value(0.0, INF, zero=UNKNOWN, whole=True, kind=Kind.TENSOR), stops_gradient=True
)
define(
    "argsort",
    "x axis",
    lambda v, _: value(0.0, INF, zero=UNKNOWN, trough=True, whole=True, kind=Kind.TENSOR),
    stops_gradient=True,
)
define(
    "median", "x axis", rounds(lambda v, _: middle(v["x"])), reduction=True, zero_preserving=True, keeps_constants=True
)


def distance(v: Operands, _: Attrs) -> Value:
    """Distance of two points: 0 where they meet."""
    note = {"low": Evidence("is 0 where two points coincide", origin=Origin.COINCIDENCE)}
    return value(0.0, INF, low=POSSIBLE, because=note, **tensor_like(*v.values()))


def cosine(v: Operands, _: Attrs) -> Value:
    """Cosine of an angle, from rounded products: 1 and a little more for parallel vectors."""
    fields = tensor_like(*v.values())
    end = 1.0 + 16 * fields["format"].eps
    because = Evidence("is 1 for parallel vectors, and rounding can push it just beyond 1", origin=Origin.ROUNDING)
    sign = Evidence("is a cosine: negative beyond a right angle", origin=Origin.SIGNED)
    why = {"low": because, "high": because, "neg": sign}
    return value(-end, end, low=POSSIBLE, high=LIKELY, neg=LIKELY, because=why, **fields)


def correlation(v: Operands, _: Attrs) -> Value:
    """A coefficient of correlation, clipped by the library: 1 for proportional data."""
    fields = tensor_like(*v.values())
    end = 1.0 + 16 * fields["format"].eps
    return value(-end, end, **fields)


def spread_of_ends(v: Operands, _: Attrs) -> Value:
    """Maximum minus minimum: 0 for constant data."""
    return value(
        0.0,
        INF,
        low=POSSIBLE,
        because={"low": Evidence("is 0 if all elements are equal", origin=Origin.STATISTIC)},
        **tensor_like(v["x"]),
    )


def segments(v: Operands, inner: Value) -> Value:
    """A reduction by segment: an empty segment gives 0."""
    empty = replace(constant(0.0), kind=Kind.TENSOR, format=inner.format)
    found = join(replace(inner, peak=False, sum_one=False), empty)
    return replace(
        found, zero=POSSIBLE, low=found.low, why={"zero": Evidence("is 0 for an empty segment", origin=Origin.EMPTY)}
    )


def alone(x: Value) -> Value:
    """What is known of single elements."""
    return replace(x, peak=False, sum_one=False)


def scatter_sum(v: Operands, _: Attrs) -> Value:
    """Elements added into places: what was there, plus a sum. Ones into zeros count how often each index occurs."""
    start = v.get("x", replace(constant(0.0), kind=Kind.TENSOR))
    if start.constant == 0 and v["src"].constant == 1:
        return tally({}, {})
    return join(start, add(start, total(alone(v["src"]))))


def average(v: Operands, _: Attrs) -> Value:
    """Weighted mean: inside the range for weights that are not negative."""
    weights = v.get("weights")
    return mean(v["x"]) if weights is None or weights.lo >= 0 else value(**tensor_like(v["x"]))


def pooled(v: Operands, _: Attrs) -> Value:
    """Means over windows that may reach over the border, into zeros."""
    x = v["x"]
    return value(min(x.lo, 0.0), max(x.hi, 0.0), zero=UNKNOWN, nan=x.nan, **signed(x), **tensor_like(x))


define(
    "nansum",
    "x axis",
    rounds(lambda v, _: replace(total(v["x"]), nan=min(v["x"].pinf, v["x"].ninf))),
    reduction=True,
    zero_preserving=True,
)
define(
    "nanmean",
    "x axis",
    rounds(lambda v, _: replace(mean(v["x"]), nan=UNKNOWN)),
    reduction=True,
    zero_preserving=True,
    keeps_constants=True,
)
define("average", "x axis weights", rounds(average), reduction=True, zero_preserving=True, keeps_constants=True)
define("gmean", "x axis", lambda v, _: value(0.0, INF, **tensor_like(v["x"])), reduction=True)
define("ptp", "x axis", spread_of_ends, reduction=True, zero_preserving=True, flat=True)
define("distance", "a b", distance)
define("cosine", "a b", cosine)
define("corrcoef", "x", correlation)
# 0 / 0 for the zero vector
define("unit_vector", "x", lambda v, _: value(-1.0, 1.0, **tensor_like(v["x"])), Pole("x", "zero", "nan"))
define("safe_norm", "x min", lambda v, _: value(0.0, INF, zero=UNKNOWN, **tensor_like(v["x"])), reduction=True)
define(
    "half_square_sum",
    "x",
    rounds(lambda v, _: total(replace(square(v["x"]), sum_one=False))),
    reduction=True,
    zero_preserving=True,
)
define(
    "fraction",
    "x",
    lambda v, _: value(
        0.0, 1.0, zero=POSSIBLE, because=Evidence("is 0 if nothing is counted", origin=Origin.EMPTY), kind=Kind.TENSOR
    ),
)
define("zscore", "x axis")
define("diff", "x", rounds(lambda v, _: add(v["x"], negate(v["x"]))), zero_preserving=True, flat=True)
define(
    "segment_sum",
    "x",
    rounds(
        lambda v, _: scatter_sum({"src": v["x"]}, {}) if v["x"].constant == 1 else segments(v, total(alone(v["x"])))
    ),
    zero_preserving=True,
)
define("segment_mean", "x", rounds(lambda v, _: segments(v, mean(v["x"]))), zero_preserving=True, keeps_constants=True)
define("segment_max", "x", lambda v, _: value(**tensor_like(v["x"])), zero_preserving=True, keeps_constants=True)
define("scatter_sum", "x src index", rounds(scatter_sum))
define("avg_pool", "x", pooled, zero_preserving=True)
define("batch_normalization", "x mean var eps")
