"""Activations of neural networks beyond relu, sigmoid, softmax and tanh: rectifiers, squashers, attention."""

from __future__ import annotations

from dataclasses import replace

from nanlint.ops.arithmetic import Attrs, clamp, kept, negate, rounds, tensor_like
from nanlint.ops.functions import softmax
from nanlint.ops.op import Operands, Transfer, define
from nanlint.ops.selection import rectified
from nanlint.ops.value import (
    CERTAIN,
    INF,
    LIKELY,
    NEVER,
    TOP,
    UNKNOWN,
    Evidence,
    Kind,
    Origin,
    Reach,
    Value,
    constant,
    join,
    like,
    meet_range,
    value,
)


def _finite_or_nan(x: Value) -> Reach:
    """Reach of nan in a function that multiplies or divides infinities."""
    return max(x.nan, x.pinf, x.ninf)


def dipping(depth: float) -> Transfer:
    """x times a gate in [0, 1] that is at least 1/2 for x >= 0: x for large x, never below ``-depth``, 0 far below."""

    def transfer(v: Operands, _: Attrs) -> Value:
        x = v["x"]
        # a quarter and not a half: the gate is rounded
        lo = x.format.round(x.lo / 4) if x.lo > 0 else 0.0 if x.lo == 0 else max(-depth, x.lo)
        zero = NEVER if lo > 0 else max(x.zero, UNKNOWN)
        return value(
            lo,
            INF if x.hi > x.format.max / 8 else max(x.hi, 0.0),  # some multiply before they divide
            zero=zero,
            neg=max(x.neg, UNKNOWN),
            nan=_finite_or_nan(x),
            ninf=NEVER,
            pinf=max(x.pinf, UNKNOWN),
            because=kept(x, "zero"),
            **tensor_like(x),
        )

    return transfer


def leaky(v: Operands, _: Attrs) -> Value:
    """x for x >= 0, a fraction of it below."""
    x = v["x"]
    if x.lo >= 0:
        return replace(x, peak=False, sum_one=False)
    return like(
        x,
        zero=max(x.zero, UNKNOWN),
        neg=x.neg,
        nan=x.nan,
        because=kept(x, "zero", "neg"),
    )


def shrink(v: Operands, _: Attrs) -> Value:
    """x moved towards 0, and exactly 0 near it."""
    x = v["x"]
    return like(
        x,
        min(x.lo, 0.0),
        max(x.hi, 0.0),
        zero=LIKELY,
        neg=max(x.neg, UNKNOWN),
        pos=max(x.pos, UNKNOWN),
        nan=x.nan,
        because={"zero": Evidence("is exactly 0 near 0", origin=Origin.ATTAINED)},
    )


def softsign(v: Operands, _: Attrs) -> Value:
    """x / (1 + |x|): in [-1, 1], its ends by rounding."""
    x = v["x"]
    return like(
        x,
        -1.0 if x.lo < 0 else 0.0,
        1.0 if x.hi > 0 else 0.0,
        zero=x.zero,
        nan=_finite_or_nan(x),
        because=kept(x, "zero"),
    )


def hard_sigmoid(v: Operands, _: Attrs) -> Value:
    """A straight line held in [0, 1]: exactly 0 and 1 at moderate arguments."""
    x = v["x"]
    note = Evidence("is exactly 0 or 1 outside of a small interval", origin=Origin.SATURATION)
    return like(
        x,
        0.0,
        1.0,
        low=CERTAIN if x.lo == -INF else UNKNOWN,
        high=CERTAIN if x.hi == INF else UNKNOWN,
        nan=x.nan,
        because={"low": note, "high": note},
    )


def threshold(v: Operands, _: Attrs) -> Value:
    """x above the threshold, a given value below."""
    x = v["x"]
    if "value" not in v:
        return like(x)
    above = meet_range(x, v["threshold"].lo, INF, open_lo=True) if "threshold" in v else x
    return join(above, replace(v["value"], kind=x.kind, format=x.format))


def interval(lo: float, hi: float, **fields: Reach) -> Transfer:
    """Transfer function of something of which only the range is told."""
    return lambda v, _: value(lo, hi, **fields, **tensor_like(*v.values()))  # type: ignore[arg-type]


# least values: of x * sigmoid(x) 0.278465, of x * Phi(x) 0.169971 (with tanh 0.170041), of x * tanh(softplus(x))
# 0.308843, of x * relu6(x + 3) / 6 0.375; with room for rounding
define("silu", "x", rounds(dipping(0.2785)), pointwise=True)
define("gelu", "x", rounds(dipping(0.1701)), pointwise=True)
define("mish", "x", rounds(dipping(0.3089)), pointwise=True)
define("hardswish", "x", rounds(dipping(0.3751)), pointwise=True)
define("leaky_relu", "x", leaky, pointwise=True)
define("prelu", "x", pointwise=True)
define("crelu", "x", rectified)
define("shrink", "x", shrink, pointwise=True)
define("tanhshrink", "x", pointwise=True)
define("softsign", "x", softsign, pointwise=True)
define("hard_sigmoid", "x", hard_sigmoid, pointwise=True)
define("hard_tanh", "x", lambda v, _: clamp(v["x"], constant(-1.0), constant(1.0)), pointwise=True)
define("relu6", "x", lambda v, _: clamp(v["x"], constant(0.0), constant(6.0)), pointwise=True)
define("threshold", "x threshold value", threshold, pointwise=True)
define("squareplus", "x", interval(0.0, INF), pointwise=True)
define("sparse_plus", "x", interval(0.0, INF), pointwise=True)
define("unit_interval", "x", interval(0.0, 1.0, low=LIKELY, high=LIKELY))
define("glu", "x")
define("softmin", "x axis", rounds(lambda v, _: softmax(negate(v["x"]))))
define("gumbel_softmax", "x axis", lambda v, _: softmax(like(v["x"])), pure=False)
define("segment_softmax", "x", lambda v, _: replace(softmax(like(v["x"])), sum_one=False))
define("attention", "query value", lambda v, _: replace(TOP, kind=Kind.TENSOR))
