"""Roots, logarithms, exponentials, sigmoids, trigonometry: pointwise functions, mostly of one argument."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace

from nanlint.ops.arithmetic import (
    DIFFERENTIABLE,
    Attrs,
    _both,
    absolute,
    add,
    clamp,
    divide,
    format_of,
    infinite,
    kept,
    monotone,
    multiply,
    negate,
    noted,
    or_zero,
    rounds,
    tensor_like,
    unary,
)
from nanlint.ops.floats import FLOAT32, FLOAT64
from nanlint.ops.op import Operands, Pole, Transfer, define, unknown
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
    Reach,
    Value,
    constant,
    join,
    like,
    value,
)


def total(f: Callable[[float], float], below: float, above: float) -> Callable[[float], float]:
    """``f`` extended to the ends of the line: errors below and above its domain give the limits named."""

    def extended(t: float) -> float:
        try:
            return f(t)
        except (ValueError, OverflowError, ZeroDivisionError):
            return below if t <= 0 else above

    return extended


_log = total(lambda t: INF if t == INF else math.log(t), -INF, INF)
_sqrt = total(lambda t: INF if t == INF else math.sqrt(t), 0.0, INF)


def exponential(x: Value) -> Value:
    """exp(x): 0 where it underflows, inf where it overflows, in the dtype of x."""
    fmt = x.format
    lo = 0.0 if x.lo <= fmt.exp_underflow else INF if x.lo > fmt.exp_overflow else math.exp(x.lo)
    hi = INF if x.hi > fmt.exp_overflow else math.exp(x.hi)
    low, why_low = x.low, x.evidence("low")
    if x.lo <= fmt.exp_underflow:
        one_sided = x.lo == -INF and x.hi < INF
        reach = LIKELY if one_sided else POSSIBLE if x.lo == -INF else x.low
        if reach >= low:
            low, why_low = (
                reach,
                Evidence(f"underflows to 0 below {fmt.exp_underflow:.0f} ({fmt.name})", origin=Origin.SATURATION),
            )
    over = POSSIBLE if hi == INF and x.hi == INF else max(x.high, x.pinf) if hi == INF else NEVER
    if hi == INF:
        over = CERTAIN if lo == INF else max(over, x.high, min(x.pos, LIKELY))
    why = noted(
        low=why_low,
        high=x.evidence("high"),
        pinf=Evidence(f"overflows above {fmt.exp_overflow:.0f} ({fmt.name})", origin=Origin.OVERFLOW)
        if hi == INF
        else None,
    )
    return like(
        x,
        lo,
        hi,
        low=low,
        high=x.high if hi < INF else UNKNOWN,
        pinf=over,
        ninf=NEVER,
        nan=x.nan,
        because=why,
        peak=x.peak,
    )


def logarithm(x: Value) -> Value:
    """log(x): -inf at 0, nan below."""
    lo, hi = _log(max(x.lo, 0.0)), _log(max(x.hi, 0.0))
    why = noted(
        ninf=x.evidence("zero"),
        nan=x.evidence("neg"),
        high=x.evidence("high"),
        low=x.evidence("low"),
        pinf=x.evidence("pinf"),
    )
    low = x.low if x.lo > 0 else UNKNOWN
    return like(
        x,
        lo,
        hi,
        low=low,
        high=x.high,
        ninf=x.zero if x.lo <= 0 else NEVER,
        pinf=x.pinf,
        nan=max(x.nan, x.neg) if x.lo < 0 else x.nan,
        because=why,
    )


def log1p(x: Value) -> Value:
    """log(1 + x): -inf at -1, nan below."""
    shifted = logarithm(add(x, constant(1.0)))
    lo, hi = (-INF if t <= -1 else INF if t == INF else math.log1p(t) for t in (x.lo, x.hi))
    fields = {c: shifted.reach(c) for c in ("ninf", "neg", "pinf", "nan")}
    why = {**shifted.why, **kept(x, "zero")}
    return like(x, lo, hi, zero=x.zero, low=x.low, high=x.high, because=why, **fields)


def expm1(x: Value) -> Value:
    v = exponential(x)
    lo, hi = (INF if t > 709 else math.expm1(t) for t in (x.lo, x.hi))
    why = {
        **v.why,
        **noted(
            zero=x.evidence("zero"), low=Evidence("is exactly -1 for very negative input", origin=Origin.SATURATION)
        ),
    }
    return like(x, lo, hi, zero=x.zero, pinf=v.pinf, low=v.low, high=v.high, nan=x.nan, because=why)


def square_root(x: Value) -> Value:
    """sqrt(x): nan below 0."""
    root = monotone(x, lambda t: _sqrt(max(t, 0.0)), zero_at=0.0)
    why = dict(root.why) | noted(nan=x.evidence("neg"), zero=x.evidence("zero"), pinf=x.evidence("pinf"))
    zero = x.zero if x.lo <= 0 else NEVER
    return like(
        x,
        root.lo,
        root.hi,
        zero=zero,
        low=root.low if x.lo >= 0 else zero,
        high=root.high,
        pinf=x.pinf,
        nan=max(x.nan, x.neg),
        because=why,
    )


def inverse_square_root(x: Value) -> Value:
    """1 / sqrt(x): inf at 0, nan below."""
    root = divide(constant(1.0), square_root(x))
    # the root of -0 is -0
    return replace(root, lo=-INF) if x.lo < 0 else root


def sigmoid(x: Value) -> Value:
    """1 / (1 + exp(-x)): exactly 0 once exp(-x) overflows, exactly 1 once exp(-x) is below eps/2."""
    fmt = x.format

    def f(t: float) -> float:
        if t <= -fmt.exp_overflow:
            return 0.0
        if t >= -math.log(fmt.eps / 2):
            return 1.0
        return 1 / (1 + math.exp(-t))

    v = monotone(x, f)
    why = dict(v.why)
    low, high = v.low, v.high
    if v.lo == 0:
        low, why["low"] = (
            CERTAIN if x.lo == -INF else x.low,
            Evidence(f"is exactly 0 below {-fmt.exp_overflow:.0f} ({fmt.name})", origin=Origin.SATURATION),
        )
    if v.hi == 1:
        high, why["high"] = (
            CERTAIN if x.hi == INF else x.high,
            Evidence(f"is exactly 1 above {-math.log(fmt.eps / 2):.0f} ({fmt.name})", origin=Origin.SATURATION),
        )
    return like(x, v.lo, v.hi, low=low, high=high, ninf=NEVER, pinf=NEVER, because=why, nan=x.nan)


def softmax(x: Value) -> Value:
    """exp(x_i) / sum exp(x): exactly 0 for a logit far below the largest, 1 for the largest then."""
    if math.isfinite(x.lo) and math.isfinite(x.hi):
        spread = x.hi - x.lo
        if spread < -x.format.exp_underflow:
            return like(x, 0.0, 1.0, zero=NEVER, low=NEVER, high=UNKNOWN, sum_one=True)
    gap = -x.format.exp_underflow
    why = {
        "low": Evidence(
            f"is exactly 0 when a logit is {gap:.0f} below the largest ({x.format.name})", origin=Origin.SATURATION
        ),
        "high": Evidence(
            f"is exactly 1 when all other logits are {-math.log(x.format.eps / 2):.0f} below ({x.format.name})",
            origin=Origin.SATURATION,
        ),
    }
    return value(
        0.0,
        1.0,
        low=CERTAIN,
        high=CERTAIN,
        ninf=NEVER,
        pinf=NEVER,
        nan=UNKNOWN,
        because=why,
        sum_one=True,
        **(tensor_like(x) | {"kind": Kind.TENSOR}),
    )


def tanh(x: Value) -> Value:
    """tanh: exactly ±1 once saturated."""
    end = -0.5 * math.log(x.format.eps / 4)
    note = f"is exactly ±1 beyond ±{end:.0f} ({x.format.name})"
    return monotone(x, math.tanh, zero_at=0.0, saturates=note)


def erf(x: Value) -> Value:
    """Error function: exactly ±1 beyond about ±4 in float32."""
    note = f"is exactly ±1 in the tails ({x.format.name})"
    v = monotone(x, math.erf, zero_at=0.0, saturates=note, origin=Origin.BOUND)
    # vectorised kernels are exact to 1e-7 only (PyTorch in bfloat16 has erf(1e-19) = 0), and TensorFlow's squares its
    # argument in float64: nan beyond 1e154
    lo, hi = (0.0 if 0 < v.lo < FLOAT32.eps else v.lo), (0.0 if -FLOAT32.eps < v.hi < 0 else v.hi)
    nan = max(x.nan, UNKNOWN) if max(-x.lo, x.hi) > math.sqrt(FLOAT64.max) else x.nan
    # that a number is so large is for who gives it
    low, high = (min(end, LIKELY) if math.isinf(of) else end for end, of in ((v.low, x.lo), (v.high, x.hi)))
    return replace(v, lo=lo, hi=hi, low=low, high=high, nan=nan)


def erfc(x: Value) -> Value:
    """1 - erf(x), without the cancellation: underflows far out only."""
    v = monotone(negate(x), lambda t: math.erfc(-t))
    return like(
        x,
        v.lo,
        v.hi,
        low=POSSIBLE if x.hi == INF else v.low,
        high=v.high,
        because=Evidence("underflows to 0", origin=Origin.SATURATION),
    )


def softplus(x: Value) -> Value:
    """log(1 + exp(x)): underflows to 0 for very negative x only."""
    f = lambda t: t if t > 700 else math.log1p(math.exp(t))  # noqa: E731
    v = monotone(x, f)
    low = v.low if x.lo > -INF else POSSIBLE
    return like(
        x,
        v.lo,
        v.hi,
        low=low,
        because={"low": Evidence(f"underflows to 0 below {x.format.exp_underflow:.0f}", origin=Origin.SATURATION)},
        pinf=NEVER if x.pinf is NEVER else UNKNOWN,
    )


def scaled_softplus(v: Operands, _: Attrs) -> Value:
    """log(1 + exp(beta * x)) / beta."""
    x, beta = v["x"], v.get("beta")
    if beta is None or beta.constant == 1:
        return softplus(x)
    scale = beta.constant
    if scale is None or scale <= 0:
        return like(x)

    def f(t: float) -> float:
        return t if t * scale > 700 else math.log1p(math.exp(t * scale)) / scale

    return monotone(x, f)


def log_softmax(x: Value) -> Value:
    """log(softmax(x)), stable: never above 0."""
    return value(
        -INF, 0.0, high=LIKELY, ninf=max(x.ninf, UNKNOWN), because="", **(tensor_like(x) | {"kind": Kind.TENSOR})
    )


def circular(x: Value, at_zero: float) -> Value:
    """sin or cos of anything: [-1, 1]; ``at_zero`` of exactly 0."""
    if x.constant == 0:
        return replace(constant(at_zero, x.kind), format=x.format)
    crosses = math.isinf(x.lo) or math.isinf(x.hi) or x.hi - x.lo >= math.pi
    level: Reach = POSSIBLE if crosses else UNKNOWN
    return like(
        x,
        -1.0,
        1.0,
        zero=level,
        neg=level,
        low=level,
        high=level,
        because=Evidence("passes through 0", origin=Origin.BOUND),
    )


def log_odds(v: Operands, attrs: Attrs) -> Value:
    """log(x / (1 - x)), of what an epsilon, if given, keeps between its ends."""
    x, eps = v["x"], v.get("eps")
    if eps is not None:
        least = eps.lo if 0 < eps.lo < 0.5 else 0.0
        x = clamp(x, constant(least), constant(1.0 - least))
    return rising(lambda t: math.log(t) - math.log1p(-t), 0.0, 1.0, zero_at=0.5)({"x": x}, attrs)


def tangent(v: Operands, attrs: Attrs) -> Value:
    """tan(x), which rises between two of its poles."""
    x = v["x"]
    quarter = math.pi / 2
    if not -quarter < x.lo <= x.hi < quarter:
        return like(x)
    return rising(math.tan, zero_at=0.0)(v, attrs)


def cosh(x: Value) -> Value:
    """cosh: at least 1, overflows on both sides."""
    far, near = max(abs(x.lo), abs(x.hi)), min(abs(x.lo), abs(x.hi)) if x.lo > 0 or x.hi < 0 else 0.0
    end = x.format.exp_overflow
    over = POSSIBLE if math.isinf(far) else UNKNOWN if far > end else NEVER
    lo, hi = (INF if t > end + 1 else math.cosh(t) for t in (near, far))
    return like(x, lo, hi, pinf=over, nan=x.nan, because=Evidence("overflows", origin=Origin.OVERFLOW))


def rising(
    f: Callable[[float], float], below: float = -INF, above: float = INF, *, zero_at: float | None = None
) -> Transfer:
    """Transfer function of a rising ``f`` between two ends, NaN beyond them; infinite at them where it has no value."""
    extended = total(f, -INF, INF)

    def transfer(v: Operands, _: Attrs) -> Value:
        x = v["x"]
        lo, hi = min(max(x.lo, below), above), min(max(x.hi, below), above)
        inside = replace(x, lo=lo, hi=hi, low=x.low if lo == x.lo else UNKNOWN, high=x.high if hi == x.hi else UNKNOWN)
        image = monotone(inside, extended, zero_at=zero_at)
        # what is next to an infinite end is not at it
        low, high = (r if math.isfinite(t) else UNKNOWN for r, t in ((image.low, image.lo), (image.high, image.hi)))
        beyond = x.lo < below or x.hi > above
        return replace(image, low=low, high=high, nan=max(x.nan, UNKNOWN) if beyond else x.nan)

    return rounds(transfer)


def bounded(lo: float, hi: float) -> Transfer:
    """Transfer function of a function of which only the range is told."""
    return lambda v, _: value(lo, hi, **tensor_like(*v.values()))


def _zero_wins(x: Value, log: Value) -> Value:
    """x * log, but 0 where x is 0 even if the logarithm is infinite."""
    product = replace(multiply(x, log), nan=max(x.nan, log.nan, min(infinite(x), log.zero)))
    return product if x.zero is NEVER else or_zero(product)


def _in_place_of(number: Value, x: Value) -> Value:
    """A replacement, as unlikely as what it replaces."""
    plain = {c: min(number.reach(c), UNKNOWN) for c in ("zero", "neg", "pos", "low", "high", "nan", "pinf", "ninf")}
    return replace(number, kind=x.kind, format=x.format, why={}, **plain)  # type: ignore[arg-type]


def nan_to_num(v: Operands, _: Attrs) -> Value:
    """x with nan replaced by 0 and infinities by the largest numbers, or by what is given."""
    x = v["x"]
    end = format_of(x).max
    found = like(
        x,
        min(max(x.lo, -end), end),
        max(min(x.hi, end), -end),
        zero=x.zero,
        neg=x.neg,
        pos=x.pos,
        low=x.low,
        high=x.high,
        nan=NEVER,
        pinf=NEVER,
        ninf=NEVER,
        because=x.why,
    )
    if x.nan is not NEVER:
        found = join(found, _in_place_of(v.get("nan", constant(0.0)), x))
    for given in ("posinf", "neginf"):
        if given in v:
            found = join(found, _in_place_of(v[given], x))
    return found


def logsumexp(v: Operands, _: Attrs) -> Value:
    """log(sum(exp(x))), stable."""
    x = v["x"]
    return like(x, x.lo, INF, ninf=x.ninf)


def hypot(v: Operands, _: Attrs) -> Value:
    """sqrt(a**2 + b**2)."""
    a, b = absolute(v["a"]), absolute(v["b"])
    return value(max(a.lo, b.lo), INF, zero=_both(a.zero, b.zero), because=kept(a, "zero"), **tensor_like(a, b))


LOG_POLES = (Pole("x", "zero", "-inf"), Pole("x", "neg", "nan"))

#: a function that is only there between -1 and 1, and its infinite slope at the ends
OUTSIDE = (Pole("x-1", "pos", "nan"), Pole("x+1", "neg", "nan"))
STEEP_ENDS = (
    Pole("x-1", "zero", "inf", gradient=True, frameworks=DIFFERENTIABLE),
    Pole("x+1", "zero", "inf", gradient=True, frameworks=DIFFERENTIABLE),
)
#: one that is infinite there itself
INFINITE_ENDS = (Pole("x-1", "zero", "inf"), Pole("x+1", "zero", "-inf"), *OUTSIDE)
#: a shift by the largest element, which is -inf (all of them are) or inf (one is enough): inf - inf
INFINITE_ROW = (Pole("x", "ninf", "nan"), Pole("x", "pinf", "nan"))
#: the frameworks' logarithms of sums of exponentials subtract the largest term, -inf from -inf
ALL_MASKED = (Pole("result", "ninf", "nan", gradient=True, frameworks=DIFFERENTIABLE),)


def logit_poles(v: Operands) -> tuple[Pole, ...]:
    """Poles of log(x / (1 - x)): none where an epsilon keeps x between its ends."""
    if "eps" in v:
        return ()
    return (Pole("x", "zero", "-inf"), Pole("x-1", "zero", "inf"), Pole("x", "neg", "nan"), Pole("x-1", "pos", "nan"))


def product_with_log_poles(y: str) -> tuple[Pole, ...]:
    """Poles of x * log(y) that is 0 where x is: -inf * x elsewhere; the gradient is not mended by all."""
    at_zero = (("x", "zero"),)
    return (
        Pole(y, "zero", "-inf", also=(("x", "pos"),)),
        Pole(y, "zero", "inf", also=(("x", "neg"),)),
        Pole(y, "neg", "nan", also=(("x", "pos"),)),
        Pole(y, "neg", "nan", also=(("x", "neg"),)),
        Pole(y, "zero", "nan", gradient=True, frameworks=frozenset({"torch", "jax"}), also=at_zero),
        Pole(y, "neg", "nan", gradient=True, frameworks=frozenset({"jax"}), also=at_zero),
    )


define("log", "x", unary(logarithm), *LOG_POLES, pointwise=True)
define("log1p", "x", rounds(unary(log1p)), Pole("x+1", "zero", "-inf"), Pole("x+1", "neg", "nan"), pointwise=True)
OVERFLOWS = (Pole("result", "pinf", "inf"),)

define("exp", "x", rounds(unary(exponential)), *OVERFLOWS, pointwise=True)
define("expm1", "x", rounds(unary(expm1)), *OVERFLOWS, pointwise=True)
define(
    "sqrt",
    "x",
    unary(square_root),
    Pole("x", "neg", "nan"),
    Pole("x", "zero", "inf", gradient=True, frameworks=DIFFERENTIABLE),
    pointwise=True,
)
define(
    "rsqrt", "x", rounds(unary(inverse_square_root)), Pole("x", "zero", "inf"), Pole("x", "neg", "nan"), pointwise=True
)
define(
    "cbrt",
    "x",
    lambda v, _: monotone(
        v["x"], math.cbrt if hasattr(math, "cbrt") else lambda t: math.copysign(abs(t) ** (1 / 3), t), zero_at=0.0
    ),
    Pole("x", "zero", "inf or nan", gradient=True, frameworks=frozenset({"jax", "keras"})),
    pointwise=True,
)
define("sigmoid", "x", rounds(unary(sigmoid)), pointwise=True)
define("softmax", "x axis", rounds(unary(softmax)), *INFINITE_ROW)
define("log_softmax", "x axis", unary(log_softmax), *INFINITE_ROW)
define("log_sigmoid", "x", rounds(unary(lambda x: negate(softplus(negate(x))))), pointwise=True)
define("softplus", "x beta", rounds(scaled_softplus), pointwise=True)
define("tanh", "x", unary(tanh), pointwise=True)
define("erf", "x", rounds(unary(erf)), pointwise=True)
define("erfc", "x", rounds(unary(erfc)), pointwise=True)
define(
    "cdf",
    "x",
    lambda v, _: value(
        0.0,
        1.0,
        low=LIKELY,
        high=LIKELY,
        because=Evidence("a distribution function is exactly 0 or 1 in the tails", origin=Origin.SATURATION),
        **tensor_like(*v.values()),
    ),
    pointwise=True,
)
define("sin", "x", lambda v, _: circular(v["x"], 0.0), pointwise=True)
define("cos", "x", lambda v, _: circular(v["x"], 1.0), pointwise=True)
define("tan", "x", tangent, pointwise=True)
define("atan", "x", lambda v, _: monotone(v["x"], math.atan, zero_at=0.0), pointwise=True)
define(
    "atan2",
    "a b",
    bounded(-math.pi, math.pi),
    # PyTorch's backward pass looks for the origin
    Pole("a", "zero", "nan", gradient=True, frameworks=DIFFERENTIABLE - {"torch"}, also=(("b", "zero"),)),
    pointwise=True,
)
define(
    "angle",
    "x",
    bounded(-math.pi, math.pi),
    Pole("x", "zero", "nan", gradient=True, frameworks=frozenset({"jax"})),
    pointwise=True,
)
define("asin", "x", rising(math.asin, -1.0, 1.0, zero_at=0.0), *OUTSIDE, *STEEP_ENDS, pointwise=True)
define("acos", "x", bounded(0.0, math.pi), *OUTSIDE, *STEEP_ENDS, pointwise=True)
define("sinh", "x", rising(math.sinh, zero_at=0.0), *OVERFLOWS, pointwise=True)
define("cosh", "x", rounds(unary(cosh)), *OVERFLOWS, pointwise=True)
define("asinh", "x", lambda v, _: monotone(v["x"], math.asinh, zero_at=0.0), pointwise=True)
define("acosh", "x", rising(math.acosh, 1.0), Pole("x-1", "neg", "nan"), STEEP_ENDS[0], pointwise=True)
define("atanh", "x", rising(math.atanh, -1.0, 1.0, zero_at=0.0), *INFINITE_ENDS, pointwise=True)
define("erfinv", "x", unknown, *INFINITE_ENDS, pointwise=True)
define("logit", "x eps", log_odds, poles_for=logit_poles, pointwise=True)
# both have more poles, at the negative integers
define("lgamma", "x", unknown, Pole("x", "zero", "inf"), pointwise=True)
define("digamma", "x", unknown, Pole("x", "zero", "-inf or nan"), pointwise=True)
define(
    "xlogy",
    "x y",
    rounds(lambda v, _: _zero_wins(v["x"], logarithm(v["y"]))),
    *product_with_log_poles("y"),
    pointwise=True,
)
define(
    "xlog1py",
    "x y",
    rounds(lambda v, _: _zero_wins(v["x"], log1p(v["y"]))),
    *product_with_log_poles("y+1"),
    pointwise=True,
)
define(
    "entropy_term",
    "x",
    unknown,
    Pole("x", "neg", "-inf"),
    Pole("x", "zero", "inf", gradient=True, frameworks=frozenset({"torch", "jax"})),
    pointwise=True,
)
define("logsumexp", "x axis weights", logsumexp, *ALL_MASKED, reduction=True)
define(
    "logaddexp",
    "a b",
    lambda v, _: value(max(v["a"].lo, v["b"].lo), INF, **tensor_like(v["a"], v["b"])),
    *ALL_MASKED,
    pointwise=True,
)
define(
    "hypot",
    "a b",
    hypot,
    # JAX and Keras look for the origin
    Pole("a", "zero", "nan", gradient=True, frameworks=frozenset({"torch"}), also=(("b", "zero"),)),
    pointwise=True,
)
define("nan_to_num", "x nan posinf neginf", nan_to_num, pointwise=True)
