"""Logarithms and exponentials to other bases, special functions, densities and distribution functions."""

from __future__ import annotations

import math
from dataclasses import replace

from nanlint.ops.activations import interval
from nanlint.ops.arithmetic import Attrs, absolute, kept, multiply, rounds, tensor_like
from nanlint.ops.functions import ALL_MASKED, LOG_POLES, logarithm, logsumexp
from nanlint.ops.op import Operands, Pole, Transfer, define
from nanlint.ops.value import (
    CERTAIN,
    INF,
    LIKELY,
    NEVER,
    POSSIBLE,
    UNKNOWN,
    Evidence,
    Kind,
    Origin,
    Value,
    constant,
    like,
    value,
)


def log_to(base: float) -> Transfer:
    """Logarithm to a base: that to base e, scaled."""
    rate = 1 / math.log(base)

    def transfer(v: Operands, _: Attrs) -> Value:
        found = logarithm(v["x"])
        return replace(found, lo=found.lo * rate, hi=found.hi * rate)

    return transfer


def power_of(base: float) -> Transfer:
    """base**x: 0 where it underflows, inf where it overflows, in the dtype of x."""
    rate = math.log(base)

    def transfer(v: Operands, _: Attrs) -> Value:
        x = v["x"]
        fmt = x.format
        under, over = fmt.exp_underflow / rate, fmt.exp_overflow / rate
        lo = 0.0 if x.lo <= under else fmt.max if x.lo >= over else base**x.lo
        hi = INF if x.hi >= over else base**x.hi
        note = Evidence(f"overflows above {over:.0f} ({fmt.name})", origin=Origin.OVERFLOW)
        return like(
            x,
            lo,
            hi,
            zero=POSSIBLE if lo == 0 and x.lo == -INF else UNKNOWN,
            pinf=max(POSSIBLE, min(x.pos, LIKELY)) if hi == INF and x.hi == INF else UNKNOWN if hi == INF else NEVER,
            nan=x.nan,
            because={
                "zero": Evidence(f"underflows to 0 below {under:.0f} ({fmt.name})", origin=Origin.SATURATION),
                "pinf": note,
            },
        )

    return transfer


def _copysign(v: Operands, _: Attrs) -> Value:
    a = absolute(v["a"])
    return value(-a.hi, a.hi, zero=a.zero, nan=a.nan, because=kept(a, "zero"), **tensor_like(*v.values()))


def _density(v: Operands, _: Attrs) -> Value:
    note = {"low": Evidence("underflows to 0 in the tails", origin=Origin.SATURATION)}
    return value(0.0, INF, low=POSSIBLE, because=note, **tensor_like(*v.values()))


# the least value of sin(t)/t, at t = 4.4934
SINC_LOW = -0.21724

define("log2", "x", log_to(2.0), *LOG_POLES, pointwise=True)
define("log10", "x", log_to(10.0), *LOG_POLES, pointwise=True)
define(
    "log_base",
    "x base",
    lambda v, _: replace(like(v["x"]), nan=logarithm(v["x"]).nan, ninf=logarithm(v["x"]).ninf),
    *LOG_POLES,
    pointwise=True,
)
define("masked_log", "x", pointwise=True)
define("log1mexp", "x", interval(-INF, 0.0), pointwise=True)
define("logaddexp2", "a b", interval(-INF, INF), *ALL_MASKED, pointwise=True)
define("logcumsumexp", "x axis", logsumexp, *ALL_MASKED)
define("logmeanexp", "x axis", reduction=True)
define("exp2", "x", rounds(power_of(2.0)), pointwise=True)
define("exp10", "x", rounds(power_of(10.0)), pointwise=True)
define("rel_entr", "x y", pointwise=True)
define("log_cdf", "x", interval(-INF, 0.0), pointwise=True)
define("density", "x", _density, pointwise=True)
define("log_density", "x", pointwise=True)
define("quantile", "x", pointwise=True)
define(
    "ndtri",
    "x",
    interval(-INF, INF),
    *(Pole("x", "zero", "-inf"), Pole("x-1", "zero", "inf"), Pole("x", "neg", "nan"), Pole("x-1", "pos", "nan")),
    pointwise=True,
)
define("erfcx", "x", interval(0.0, INF), pointwise=True)
define(
    "sinc",
    "x",
    interval(SINC_LOW, 1.0),
    Pole("x", "zero", "nan", gradient=True, frameworks=frozenset({"keras"})),
    pointwise=True,
)
define("polygamma", "n x", pointwise=True)
define("mvlgamma", "x p", pointwise=True)
define("zeta", "x q", pointwise=True)
define("bessel_i0", "x", interval(1.0, INF), pointwise=True)
define("bessel_i0e", "x", interval(0.0, 1.0), pointwise=True)
define("bessel_i1", "x", pointwise=True)
define("bessel_i1e", "x", interval(-1.0, 1.0), pointwise=True)
define("deg2rad", "x", rounds(lambda v, _: multiply(v["x"], constant(math.pi / 180))), pointwise=True)
define("rad2deg", "x", rounds(lambda v, _: multiply(v["x"], constant(180 / math.pi))), pointwise=True)
define("copysign", "a b", _copysign, pointwise=True)
define("heaviside", "x at_zero", interval(-INF, INF), pointwise=True, stops_gradient=True)
define("positive", "x", interval(0.0, INF))
define("nonnegative", "x", interval(0.0, INF))
define("entropy", "x", reduction=True)


def _frequencies(_: Operands, __: Attrs) -> Value:
    note = {"zero": Evidence("starts at frequency 0", origin=Origin.START)}
    return value(-INF, INF, zero=CERTAIN, because=note, kind=Kind.TENSOR)


def _spectrum(v: Operands, _: Attrs) -> Value:
    note = {"zero": Evidence("is 0 for a silent signal", origin=Origin.ROW)}
    return value(zero=LIKELY, because=note, **(tensor_like(v["x"]) | {"kind": Kind.TENSOR}))


define("frequencies", "", _frequencies)
define("positive_frequencies", "", lambda v, a: replace(_frequencies(v, a), lo=0.0, low=CERTAIN, neg=NEVER))
define("spectrum", "x", _spectrum, zero_preserving=True)
