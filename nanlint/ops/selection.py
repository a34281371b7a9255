"""Choosing, comparing, masking, casting, moving elements about; creating tensors; what a function draws or is given."""

from __future__ import annotations

import math
from dataclasses import replace

from nanlint.ops.arithmetic import Attrs, kept, settled, tensor_like
from nanlint.ops.floats import FORMATS
from nanlint.ops.op import Operands, define
from nanlint.ops.value import (
    CERTAIN,
    INF,
    LIKELY,
    NEVER,
    POSSIBLE,
    SMALL,
    TOP,
    UNKNOWN,
    Evidence,
    Kind,
    Origin,
    Value,
    constant,
    join,
    like,
    value,
)

COMPARISONS = ("eq", "ne", "lt", "le", "gt", "ge")
#: what a mask is made by: comparisons, and what joins them
CONDITIONS = frozenset({*COMPARISONS, "and", "or", "not"})


def truth(v: Operands, _: Attrs) -> Value:
    """A comparison: 0 or 1."""
    return value(
        0.0,
        1.0,
        low=LIKELY,
        high=LIKELY,
        whole=True,
        ninf=NEVER,
        pinf=NEVER,
        nan=NEVER,
        because={"low": Evidence("is 0 where no element matches", origin=Origin.EMPTY)},
        kind=tensor_like(*v.values())["kind"] if v else Kind.ANY,
    )


def cast(v: Operands, attrs: Attrs) -> Value:
    """The same number in another dtype, rounded if it is a constant."""
    x = v.get("x", TOP)
    fmt = FORMATS.get(str(attrs.get("dtype", "")))
    if fmt is None:
        return x
    c = x.constant
    if c is not None:
        # what a dtype is called with is a number of the framework: it gives inf where Python raises
        return replace(constant(fmt.round(c)), format=fmt, kind=Kind.ANY if x.kind is Kind.SCALAR else x.kind)
    narrower = fmt.max_exponent < x.format.max_exponent
    return settled(replace(x, format=fmt)) if narrower else replace(x, format=fmt)


def integer(v: Operands, attrs: Attrs) -> Value:
    """The number without its fraction: 0 for whatever is smaller than 1."""
    x = replace(v["x"], kind=Kind.SCALAR) if attrs.get("scalar") else v["x"]
    lo, hi = (t if math.isinf(t) else float(math.trunc(t)) for t in (x.lo, x.hi))
    near = lo <= 0 <= hi
    return replace(
        part({"x": x}, attrs),
        lo=lo,
        hi=hi,
        whole=True,
        low=max(x.low, UNKNOWN) if near else UNKNOWN,
        high=max(x.high, UNKNOWN) if near else UNKNOWN,
        zero=max(x.zero, UNKNOWN) if near else x.zero,
    )


def tensor(v: Operands, attrs: Attrs) -> Value:
    """A tensor made from Python numbers."""
    x = v.get("x", TOP)
    return replace(cast({"x": x}, attrs), kind=Kind.TENSOR)


def elements(v: Operands, _: Attrs) -> Value:
    """A list or tuple of numbers, a stack or concatenation: any of its elements."""
    vs = list(v.values())
    if not vs:
        return TOP
    result = vs[0]
    for other in vs[1:]:
        result = join(result, other)
    return replace(result, peak=False, sum_one=False)


def view(v: Operands, _: Attrs) -> Value:
    """The same elements."""
    return v.get("x", TOP)


def part(v: Operands, _: Attrs) -> Value:
    """Some of the elements."""
    return replace(v.get("x", TOP), peak=False, sum_one=False)


def filled(number: float) -> Value:
    return replace(constant(number), kind=Kind.TENSOR)


def uniform(v: Operands, _: Attrs) -> Value:
    """Uniform draw from [low, high): the lower end is drawn, the upper one by rounding if low is not 0."""
    low, high = v.get("low", constant(0.0)), v.get("high", constant(1.0))
    drawn = POSSIBLE if low.constant is not None else min(low.low, POSSIBLE)
    if low.lo > -INF and high.hi < INF:
        return value(
            low.lo,
            high.hi,
            low=drawn,
            high=NEVER if high.constant is not None and low.constant == 0 else UNKNOWN,
            pinf=NEVER,
            ninf=NEVER,
            nan=NEVER,
            because=Evidence("a uniform random number can be exactly the lower bound", origin=Origin.ATTAINED),
            kind=Kind.TENSOR,
        )
    return value(low.lo, high.hi, kind=Kind.TENSOR)


def normal(_: Operands, __: Attrs) -> Value:
    """Normal draw: any sign, zero with probability zero."""
    return value(
        neg=LIKELY,
        pos=LIKELY,
        pinf=NEVER,
        ninf=NEVER,
        nan=NEVER,
        because=Evidence("a normal random number can be negative or positive", origin=Origin.ATTAINED),
        kind=Kind.TENSOR,
    )


def one_hot(_: Operands, __: Attrs) -> Value:
    """Zeros with a single one per row."""
    return value(
        0.0,
        1.0,
        peak=True,
        low=CERTAIN,
        high=CERTAIN,
        whole=True,
        nan=NEVER,
        because=Evidence("is 0 for all other classes", origin=Origin.ATTAINED),
        kind=Kind.TENSOR,
    )


def arange(v: Operands, _: Attrs) -> Value:
    """Consecutive numbers from start."""
    start, stop, step = v.get("start", constant(0.0)), v.get("stop"), v.get("step", constant(1.0))
    if stop is None:
        start, stop = constant(0.0), start
    first = start.constant
    if first is None or step.constant is None or step.constant == 0:
        return value(kind=Kind.TENSOR)
    fields = {"nan": NEVER, "whole": start.whole and step.whole, "kind": Kind.TENSOR}
    because = Evidence(f"starts at {first:g}", origin=Origin.START)
    if step.constant < 0:
        return value(min(stop.lo, first), first, high=CERTAIN, because=because, **fields)
    return value(first, max(stop.hi, first), low=CERTAIN, trough=True, because=because, **fields)


def randint(v: Operands, _: Attrs) -> Value:
    """A whole number from [low, high)."""
    low, high = v.get("low", constant(0.0)), v.get("high", TOP)
    return value(low.lo, max(high.hi, low.lo), nan=NEVER, whole=True, kind=Kind.TENSOR)


def dropout(v: Operands, a: Attrs) -> Value:
    """Some elements 0, the others divided by the share that is kept; or, when not training, all as they are."""
    x = v["x"]
    rate = a.get("rate")
    scale = 1 / (1 - rate) if isinstance(rate, (int, float)) and 0 <= rate < 1 else INF
    lo, hi = (0.0 if x.lo >= 0 else x.lo * scale), (0.0 if x.hi <= 0 else x.hi * scale)
    zero = max(x.zero, UNKNOWN)
    return replace(
        x,
        lo=lo,
        hi=hi,
        zero=zero,
        low=zero if lo == 0 else x.low if lo > -INF else UNKNOWN,
        high=zero if hi == 0 else x.high if hi < INF else UNKNOWN,
        peak=False,
        sum_one=False,
    )


def linspace(v: Operands, _: Attrs) -> Value:
    """From start, which is there, to stop, unless it is left out."""
    start, stop = v.get("start", TOP), v.get("stop", TOP)
    if start.constant is not None and stop.constant is not None:
        lo, hi = sorted((start.constant, stop.constant))
        rising = start.constant == lo
        return value(
            lo,
            hi,
            low=CERTAIN if rising else LIKELY,
            high=LIKELY if rising else CERTAIN,
            nan=NEVER,
            because=Evidence(f"includes its ends {lo:g} and {hi:g}", origin=Origin.START),
            kind=Kind.TENSOR,
        )
    # both ends are attained; the peak says so of a known upper one
    lo, hi = min(start.lo, stop.lo), max(start.hi, stop.hi)
    return value(lo, hi, peak=hi in (start.constant, stop.constant), kind=Kind.TENSOR)


def positive_scalar(v: Operands, attrs: Attrs) -> Value:
    """A machine constant of a format that is not known: eps, tiny, max; all but the last are small."""
    formats = FORMATS.values()
    return value(
        min(f.denormal for f in formats),
        max(f.max for f in formats) if attrs.get("field") == "max" else SMALL,
        zero=NEVER,
        neg=NEVER,
        pinf=NEVER,
        nan=NEVER,
        kind=Kind.SCALAR,
    )


def indicator(v: Operands, _: Attrs) -> Value:
    """Bernoulli draws and masks."""
    return value(
        0.0,
        1.0,
        low=LIKELY,
        high=LIKELY,
        whole=True,
        because=Evidence("may be 0 everywhere", origin=Origin.EMPTY),
        kind=Kind.TENSOR,
    )


def rectified(v: Operands, _: Attrs) -> Value:
    """relu and kin: exactly 0 for every negative input."""
    x = v["x"]
    if x.lo >= 0:
        return x
    return like(
        x,
        0.0,
        max(x.hi, 0.0),
        low=CERTAIN,
        high=x.high,
        nan=x.nan,
        pinf=x.pinf,
        because={
            **kept(x, "high"),
            "low": Evidence("is exactly 0 for every negative input", origin=Origin.ATTAINED),
        },
    )


def trained(x: Value) -> Value:
    """A trained variable: it starts at x, which the first step meets, and goes anywhere."""
    anywhere = Evidence("is trained, and nothing keeps it above 0", origin=Origin.START)
    starts = {
        "zero": Evidence("starts at 0", origin=Origin.START),
        "neg": Evidence("starts below 0", origin=Origin.START),
    }
    written = {cls for cls in starts if x.reach(cls) is CERTAIN}
    return value(
        zero=LIKELY if "zero" in written else POSSIBLE,
        neg=LIKELY if "neg" in written else POSSIBLE,
        because={cls: starts[cls] if cls in written else anywhere for cls in starts},
        kind=Kind.TENSOR,
    )


# the evaluator has refined each by the condition
define("where", "cond a b", lambda v, _: join(v["a"], v["b"]), pointwise=True)
for _name in COMPARISONS:
    define(_name, "a b", truth, pointwise=True, stops_gradient=True)
for _name in ("isnan", "isinf", "isfinite", "not"):
    define(_name, "x", truth, pointwise=True, stops_gradient=True)
define("and", "a b", truth, pointwise=True, stops_gradient=True)
define("or", "a b", truth, pointwise=True, stops_gradient=True)
define("isclose", "a b", truth, pointwise=True, stops_gradient=True)
define("any", "x axis", truth, stops_gradient=True, reduction=True)
define("all", "x axis", truth, stops_gradient=True, reduction=True)
define("cast", "x", cast, pointwise=True)
define(
    "integer",
    "x scalar",
    integer,
    pointwise=True,
    stops_gradient=True,
)
define("tensor", "x", tensor, view=True)
define("stop_gradient", "x", view, pointwise=True, stops_gradient=True)
define("view", "x", view, view=True)
define("part", "x index", part, view=True)
define("shuffle", "x", part, view=True, zero_preserving=True, keeps_constants=True)
define(
    "diagonal",
    "x",
    lambda v, _: replace(v["x"], zero=UNKNOWN, low=UNKNOWN, peak=False, sum_one=False, why={}),
    view=True,
)
define("list", "", elements)
define("concat", "x", view, view=True)
define("append", "a b", lambda v, _: join(v["a"], v["b"]) if "a" in v and "b" in v else TOP)


def learned(_: Operands, attrs: Attrs) -> Value:
    """What weights make of anything: where a layer holds them, they are trained, and nothing keeps it above 0."""
    if "layer" not in attrs:
        return value(kind=Kind.TENSOR)
    note = Evidence("is the output of a layer, which can be negative", origin=Origin.SIGNED)
    return value(neg=LIKELY, pos=LIKELY, kind=Kind.TENSOR, because={"neg": note, "pos": note})


define("zeros", "", lambda v, _: filled(0.0))
define("ones", "", lambda v, _: filled(1.0))
define("full", "fill", lambda v, attrs: replace(v.get("fill", TOP), kind=Kind.TENSOR))
define("eye", "", one_hot)
define("tri", "", one_hot)
define("one_hot", "x axis", one_hot, stops_gradient=True)
define("arange", "start stop step", arange)
define("linspace", "start stop", linspace)
define("uniform", "low high", uniform, pure=False)
define(
    "uniform64",
    "low high",
    lambda v, a: replace(uniform(v, a), low=min(uniform(v, a).low, POSSIBLE), zero=min(uniform(v, a).zero, POSSIBLE)),
    pure=False,
)
define("normal", "", normal, pure=False)
define("bernoulli", "", indicator, pure=False)
define("randint", "low high", randint, pure=False)
define("categorical", "x", randint, pure=False, stops_gradient=True)
define("finfo_eps", "", positive_scalar)
# a shape, size or length: hardly ever 0
define(
    "size",
    "x",
    lambda _, __: value(0.0, INF, zero=UNKNOWN, whole=True, pinf=NEVER, nan=NEVER, kind=Kind.SCALAR),
    stops_gradient=True,
)
define("relu", "x", rectified, pointwise=True)
define("elu", "x", lambda v, _: like(v["x"], -INF, INF), pointwise=True)
# attribute ``weights``: the array of the layer that the result is made of, where it adds no bias
define("linear", "x", learned, pure=False)
define("dropout", "x", dropout)
define("noisy", "x", lambda v, _: value(kind=Kind.TENSOR), pure=False)
define("variable", "x", lambda v, _: trained(v.get("x", TOP)), pure=False)
define("declared_finite", "x", lambda v, _: value(zero=UNKNOWN, ninf=NEVER, pinf=NEVER, nan=NEVER))
define("declared_positive", "x", lambda v, _: value(FORMATS["float32"].tiny, INF, zero=NEVER))
define("declared_non_negative", "x", lambda v, _: value(0.0, INF))
define("declared_unit", "x", lambda v, _: value(0.0, 1.0))


def sparse_part(v: Operands, _: Attrs) -> Value:
    """Some elements in their places, 0 in all others."""
    x = v["x"]
    zeros = replace(filled(0.0), format=x.format)
    return replace(
        join(part(v, _), zeros),
        why={**x.why, "zero": Evidence("is 0 outside of the part that is kept", origin=Origin.ATTAINED)},
    )


def padded(v: Operands, _: Attrs) -> Value:
    """The elements, and around them a given number, else 0."""
    x = v["x"]
    return join(part(v, _), replace(v.get("fill", filled(0.0)), kind=x.kind, format=x.format))


define("unknown", "x", lambda v, _: replace(TOP, kind=Kind.TENSOR))
define("input", "", lambda v, _: replace(TOP, kind=Kind.TENSOR))
define("empty", "", lambda v, _: replace(TOP, kind=Kind.TENSOR))
define("item", "x", lambda v, _: replace(v["x"], kind=Kind.SCALAR, peak=False), view=True, stops_gradient=True)
define("range", "start stop step", lambda v, _: replace(arange(v, _), kind=Kind.SCALAR))
define("finite", "x", lambda v, _: replace(v["x"], nan=NEVER, pinf=NEVER, ninf=NEVER), pointwise=True)
define("sparse_part", "x", sparse_part)
define("pad", "x fill", padded)
define("interpolate", "x", lambda v, _: like(v["x"]), zero_preserving=True, keeps_constants=True)
define("window", "", lambda v, _: value(-1.0, 1.0, kind=Kind.TENSOR))
