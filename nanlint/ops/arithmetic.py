"""Sums, products, quotients, powers, absolute values, bounds: transfer functions over intervals with attained ends."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from nanlint.ops.floats import FLOAT64, Format
from nanlint.ops.op import Operands, Pole, Transfer, define
from nanlint.ops.value import (
    CERTAIN,
    INF,
    LIKELY,
    NEVER,
    POSSIBLE,
    SMALL,
    UNKNOWN,
    Evidence,
    Kind,
    Origin,
    Reach,
    Value,
    constant,
    join,
    like,
    rounded,
    signed,
    value,
)

Attrs = Mapping[str, Any]

#: frameworks with automatic differentiation; NumPy and SciPy have no gradient to lose
DIFFERENTIABLE = frozenset({"torch", "tensorflow", "keras", "jax"})


def tensor_like(*vs: Value) -> dict[str, Any]:
    """Kind and dtype of an op's result: a tensor if an operand is one, in the tensor's dtype."""
    tensors = [v for v in vs if v.kind is Kind.TENSOR]
    if tensors:
        widest = min(tensors, key=lambda v: v.format.precision) if len(tensors) > 1 else tensors[0]
        return {"kind": Kind.TENSOR, "format": widest.format}
    if all(v.kind is Kind.SCALAR for v in vs):
        return {"kind": Kind.SCALAR, "format": vs[0].format}
    loose = next(v for v in vs if v.kind is Kind.ANY)
    return {"kind": Kind.ANY, "format": loose.format}


def in_common_format(a: Value, b: Value) -> tuple[Value, Value]:
    """Operands as they meet: a Python number is converted to the dtype of the tensor (or of what may be one)."""
    if a.kind is Kind.SCALAR and b.kind is not Kind.SCALAR:
        return rounded(a, b.format), b
    if b.kind is Kind.SCALAR and a.kind is not Kind.SCALAR:
        return a, rounded(b, a.format)
    return a, b


def noted(**evidence: Evidence | None) -> dict[str, Evidence]:
    """Evidence by class, without the gaps."""
    return {c: e for c, e in evidence.items() if e is not None}


def kept(v: Value, *classes: str) -> dict[str, Evidence]:
    """The evidence of an operand that is that of the result as well."""
    return noted(**{cls: v.evidence(cls) for cls in classes})


def format_of(v: Value) -> Format:
    """The format an op computes in: Python's own for Python numbers."""
    return FLOAT64 if v.kind is Kind.SCALAR else v.format


def settled(v: Value, *, scaled: bool = False) -> Value:
    """``v`` as floating point leaves it: inf beyond the largest number, and perhaps 0 below the smallest normal one.

    NumPy and PyTorch keep subnormal numbers, most of the time; XLA and TensorFlow's kernels flush them to 0.
    ``scaled``: by a Python number, of which no one expects that it takes a number to 0.
    """
    fmt = format_of(v)
    lo, hi = fmt.round(v.lo), fmt.round(v.hi)
    low, high, zero = v.low, v.high, v.zero
    near = 2 * fmt.tiny
    if 0 < lo < near:
        lo, low = 0.0, UNKNOWN
    if -near < hi < 0:
        hi, high = 0.0, UNKNOWN
    if lo <= 0 <= hi and not scaled:
        zero = max(zero, UNKNOWN)
        low = max(low, UNKNOWN) if lo == 0 else low
        high = max(high, UNKNOWN) if hi == 0 else high
    return replace(
        v,
        lo=lo,
        hi=hi,
        low=low,
        high=high,
        zero=zero,
        pinf=max(v.pinf, UNKNOWN) if hi == INF else v.pinf,
        ninf=max(v.ninf, UNKNOWN) if lo == -INF else v.ninf,
    )


def rounds(transfer: Transfer) -> Transfer:
    """The transfer function of an op whose result may over- or underflow."""
    return lambda v, attrs: settled(transfer(v, attrs))


def rounds_unless_scaled(transfer: Transfer) -> Transfer:
    """The same for a product or quotient: scaling by a Python number leaves what is not 0 so."""
    return lambda v, attrs: settled(transfer(v, attrs), scaled=Kind.SCALAR in (v["a"].kind, v["b"].kind))


def monotone(
    x: Value,
    f: Callable[[float], float],
    *,
    zero_at: float | None = None,
    saturates: str = "",
    origin: Origin = Origin.SATURATION,
    **fields: Any,
) -> Value:
    """Image of a rising function: ends map to ends, with their reach.

    ``zero_at``: where f is 0. ``saturates``: in floating point f takes its limits at moderate arguments already, and
    the phrase says so; then an unbounded end is CERTAIN to be attained. ``origin``: that of these.
    """
    lo, hi = f(x.lo), f(x.hi)
    low = CERTAIN if saturates and x.lo == -INF and lo > -INF else x.low
    high = CERTAIN if saturates and x.hi == INF and hi < INF else x.high
    note = Evidence(saturates, origin=origin) if saturates else None
    why = noted(
        low=note if saturates and x.lo == -INF else x.evidence("low"),
        high=note if saturates and x.hi == INF else x.evidence("high"),
    )
    zero = UNKNOWN
    if zero_at is not None:
        if zero_at == 0:
            zero = x.zero
            why.update(kept(x, "zero"))
        elif zero_at == x.lo:
            zero = x.low
        elif zero_at == x.hi:
            zero = x.high
    neg = x.neg if zero_at == 0 else UNKNOWN
    why.update(kept(x, "neg") if zero_at == 0 else {})
    return value(lo, hi, low=low, high=high, zero=zero, neg=neg, nan=x.nan, because=why, **(tensor_like(x) | fields))


def negate(x: Value) -> Value:
    """-x: the range mirrored."""
    why = {
        {"low": "high", "high": "low", "neg": "pos", "pos": "neg", "pinf": "ninf", "ninf": "pinf"}.get(c, c): e
        for c, e in x.why.items()
    }
    return like(
        x,
        -x.hi,
        -x.lo,
        ninf=x.pinf,
        neg=x.pos,
        zero=x.zero,
        pos=x.neg,
        pinf=x.ninf,
        nan=x.nan,
        low=x.high,
        high=x.low,
        because=why,
        whole=x.whole,
        peak=x.trough,
        trough=x.peak,
    )


def _both(a: Reach, b: Reach) -> Reach:
    """Reach of two independent coincidences: the weaker one, and never CERTAIN unless one is a constant."""
    return min(a, b, LIKELY)


def add(a: Value, b: Value) -> Value:
    """a + b. A constant that vanishes against the other's rounding (1 + 1e-10 in float32) leaves the range as it is."""
    a, b = in_common_format(a, b)
    if a.constant is not None and b.constant is not None:
        total = a.constant + b.constant
        fields = tensor_like(a, b)
        if math.isnan(total):
            return replace(constant(math.nan), **fields)
        return replace(
            rounded(constant(total, Kind.TENSOR), fields["format"])
            if fields["kind"] is Kind.TENSOR
            else constant(total),
            **fields,
        )
    if a.constant is not None:
        a, b = b, a
    if b.constant is not None:
        return add_constant(a, b, b.constant)
    fields = tensor_like(a, b)
    lo, hi = ends_of_sum(a, b)
    low, high = _both(a.low, b.low), _both(a.high, b.high)
    why = noted(low=a.evidence("low") or b.evidence("low"), high=a.evidence("high") or b.evidence("high"))
    nan = max(_both(a.pinf, b.ninf), _both(a.ninf, b.pinf), a.nan, b.nan)
    pinf, ninf = max(a.pinf, b.pinf), max(a.ninf, b.ninf)
    why.update(noted(pinf=a.evidence("pinf") or b.evidence("pinf"), ninf=a.evidence("ninf") or b.evidence("ninf")))
    zero = UNKNOWN
    if a.zero >= POSSIBLE and b.zero >= POSSIBLE:
        zero = _both(a.zero, b.zero)
        why.update(noted(zero=a.evidence("zero") or b.evidence("zero")))
    return value(
        lo,
        hi,
        low=low,
        high=high,
        zero=zero,
        nan=nan,
        pinf=pinf,
        ninf=ninf,
        because=why,
        whole=a.whole and b.whole,
        **fields,
    )


def ends_of_sum(a: Value, b: Value) -> tuple[float, float]:
    """The ends of a sum; infinite where they would be inf - inf."""
    lo, hi = a.lo + b.lo, a.hi + b.hi
    return -INF if math.isnan(lo) else lo, INF if math.isnan(hi) else hi


def add_constant(a: Value, b: Value, c: float) -> Value:
    """a + b, where ``b`` is the number ``c``."""
    fields = tensor_like(a, b)
    if math.isinf(c):
        return replace(constant(c), nan=max(a.nan, a.ninf if c > 0 else a.pinf), **fields)
    lo, hi = ends_of_sum(a, b)
    fmt = FLOAT64 if fields["kind"] is Kind.SCALAR else fields["format"]
    if math.isfinite(a.lo):
        lo = fmt.round(lo)
    if math.isfinite(a.hi):
        hi = fmt.round(hi)
    # how far below 0 it is, nobody says: more than an epsilon
    least = a.neg if c <= SMALL or (c <= 1 and signed(a)) else POSSIBLE
    neg = min(a.neg, least) if a.lo == -INF and a.neg >= POSSIBLE else UNKNOWN
    why = noted(low=a.evidence("low"), high=a.evidence("high"), zero=a.evidence("zero") if c == 0 else None)
    if lo < 0 and neg >= POSSIBLE:
        why.update(kept(a, "neg"))
    return value(
        lo,
        hi,
        low=a.low,
        high=a.high,
        zero=a.zero if c == 0 else UNKNOWN,
        neg=neg,
        nan=a.nan,
        because=why,
        whole=a.whole and b.whole,
        peak=a.peak,
        **fields,
    )


def subtract(a: Value, b: Value) -> Value:
    """a - b. That both may be 0 is no evidence that they are at once."""
    difference = add(a, negate(b))
    if a.constant is None and b.constant is None and difference.lo < 0 < difference.hi:
        return replace(difference, zero=min(difference.zero, UNKNOWN))
    return difference


def _product(p: float, q: float) -> float:
    """p * q on interval ends, where 0 times an unbounded end is 0."""
    return 0.0 if p == 0 or q == 0 else p * q


def hidden(mask: Value, other: Value) -> Reach:
    """Reach of zero that a factor brings: an element that a 0/1 mask hides is 0 because it is not to be looked at."""
    if mask.peak and mask.whole:
        # it shows at least one
        return min(mask.zero, UNKNOWN)
    return min(mask.zero, POSSIBLE) if mask.whole and mask.hi <= 1 and not other.whole else mask.zero


def multiply(a: Value, b: Value) -> Value:
    """a * b: zero where either is, nan where zero meets an infinity."""
    a, b = in_common_format(a, b)
    if a.constant is not None:
        a, b = b, a
    fields = tensor_like(a, b)
    c = b.constant
    if a.constant is not None and c is not None:
        if {abs(a.constant), abs(c)} == {0.0, INF}:
            return replace(constant(math.nan), **fields)
        return replace(constant(_product(a.constant, c)), **fields)
    if c is not None:
        return multiple(a, c, fields, whole=b.whole)
    ends = [_product(p, q) for p in (a.lo, a.hi) for q in (b.lo, b.hi)]
    zero = NEVER if a.zero is NEVER and b.zero is NEVER else max(hidden(a, b), hidden(b, a))
    strongest = a if hidden(a, b) >= hidden(b, a) else b
    why = kept(strongest, "zero")
    nan = max(a.nan, b.nan, min(a.zero, max(b.pinf, b.ninf)), min(b.zero, max(a.pinf, a.ninf)))
    lo, hi = min(ends), max(ends)
    low = zero if lo == 0 else UNKNOWN
    high = _both(a.high, b.high) if a.lo >= 0 and b.lo >= 0 else zero if hi == 0 else UNKNOWN
    signs = scaled_by_positive(a, b) or scaled_by_positive(b, a)
    if signs is not None:
        low, high = (low if lo == 0 else signs.low), (high if hi != INF else max(high, signs.high))
        # an end that the other factor moves is met for reasons of its own, if at all
        moved = {end for end, reach in (("low", low), ("high", high)) if reach is UNKNOWN}
        why = {**{c: e for c, e in signs.why.items() if c not in moved}, **why}
    neg, pos, pinf, ninf = (signs.neg, signs.pos, signs.pinf, signs.ninf) if signs else (UNKNOWN,) * 4
    return value(
        lo,
        hi,
        zero=zero,
        neg=neg,
        pos=pos,
        pinf=pinf,
        ninf=ninf,
        nan=nan,
        low=low,
        high=high,
        because=why,
        whole=a.whole and b.whole,
        peak=signs is not None and signs.peak and signs.hi == 0,
        trough=signs is not None and signs.trough and signs.lo == 0,
        **fields,
    )


def multiple(a: Value, c: float, fields: Mapping[str, Any], *, whole: bool) -> Value:
    """a times a number; ``whole``: whether that is one."""
    if c == 0:
        return replace(constant(0.0), nan=max(a.pinf, a.ninf, UNKNOWN), **fields)
    m, c = (a if c > 0 else negate(a)), abs(c)
    if c == INF:
        low, high = sorted(((-INF if m.lo < 0 else INF), (INF if m.hi > 0 else -INF)))
        return value(low, high, nan=max(a.nan, a.zero), because=noted(nan=a.evidence("zero")), **fields)
    return value(
        m.lo * c,
        m.hi * c,
        ninf=m.ninf,
        neg=m.neg,
        zero=m.zero,
        pos=m.pos,
        pinf=m.pinf,
        nan=m.nan,
        low=m.low,
        high=m.high,
        because=m.why,
        whole=m.whole and whole,
        peak=m.peak and m.hi == 0,
        trough=m.trough and m.lo == 0,
        **fields,
    )


def scaled_by_positive(a: Value, scale: Value) -> Value | None:
    """What scaling by something positive leaves of ``a``: its sign, and how far it reaches if unbounded."""
    if scale.lo < 0 or (scale.constant is None and a.constant is not None):
        return None
    unbounded = (a.lo == -INF, a.hi == INF)
    return replace(a, low=a.low if unbounded[0] else UNKNOWN, high=a.high if unbounded[1] else UNKNOWN)


def reciprocal_range(b: Value) -> tuple[float, float]:
    if b.lo > 0 or b.hi < 0:
        return (1 / b.hi if b.hi else -INF), (1 / b.lo if b.lo else INF)
    if b.lo >= 0:
        return (1 / b.hi if b.hi else INF), INF
    if b.hi <= 0 and b.zero is NEVER:
        return -INF, (1 / b.lo)
    return -INF, INF


def infinite(v: Value) -> Reach:
    """Reach of either infinity."""
    return max(v.pinf, v.ninf)


def divide(a: Value, b: Value) -> Value:
    """a / b: inf or nan where b is 0."""
    a, b = in_common_format(a, b)
    c = b.constant
    if c is not None and c != 0 and math.isfinite(c) and math.isfinite(1 / c):
        return replace(multiply(a, replace(constant(1 / c), kind=b.kind, format=b.format)), whole=False)
    fields = tensor_like(a, b)
    ends = [_product(p, q) for p in (a.lo, a.hi) for q in reciprocal_range(b)]
    signs = scaled_by_positive(a, b)
    why = {
        **(signs.why if signs else {}),
        **noted(zero=a.evidence("zero"), pinf=b.evidence("zero"), nan=b.evidence("zero")),
    }
    lo, hi = min(ends), max(ends)
    bounded_divisor = math.isfinite(b.lo) and math.isfinite(b.hi)
    neg, pos = (signs.neg, signs.pos) if signs else (UNKNOWN, UNKNOWN)
    low, high = (signs.low, signs.high) if signs else (UNKNOWN, UNKNOWN)
    low, high = (low if lo == -INF else UNKNOWN), (high if hi == INF else UNKNOWN)
    if a.constant is not None and a.constant > 0 and b.lo > 0:
        # where the divisor is at one end, the quotient is at the other
        low, high = max(b.high, b.pinf), b.low
        why |= noted(low=b.evidence("pinf") or b.evidence("high"), high=b.evidence("low"))
    return value(
        lo,
        hi,
        zero=NEVER if a.zero is NEVER and bounded_divisor else a.zero,
        neg=neg,
        pos=pos,
        low=low,
        high=high,
        pinf=b.zero,
        nan=max(a.nan, b.nan, min(a.zero, b.zero), min(infinite(a), infinite(b))),
        because=why,
        peak=signs is not None and a.peak and a.hi == 0,
        trough=signs is not None and a.trough and a.lo == 0,
        **fields,
    )


def divide_no_nan(a: Value, b: Value) -> Value:
    """a / b, and 0 where b is 0."""
    quotient = divide(a, b)
    fields = tensor_like(a, b)
    nan = max(a.nan, b.nan, min(infinite(a), infinite(b)))
    finite = replace(quotient, pinf=a.pinf, ninf=a.ninf, nan=nan, **fields)
    return finite if b.zero is NEVER else join(finite, replace(constant(0.0), **fields))


def or_zero(v: Value) -> Value:
    """``v``, or 0 where an op says so: nothing that is known to happen."""
    if v.zero is not NEVER and v.lo <= 0 <= v.hi:
        return v
    return join(v, replace(constant(0.0, v.kind), zero=UNKNOWN, low=UNKNOWN, high=UNKNOWN))


def multiply_no_nan(a: Value, b: Value) -> Value:
    """a * b, and 0 where b is 0, whatever a is."""
    product = replace(multiply(a, b), nan=max(a.nan, b.nan, min(a.zero, infinite(b))))
    return product if b.zero is NEVER or not infinite(a) else or_zero(product)


def divide_where(x: Value, y: Value) -> Value:
    """x / y, and 0 where x is 0, whatever y is."""
    quotient = divide(x, y)
    nan = max(x.nan, y.nan, min(infinite(x), infinite(y)))
    return replace(quotient, nan=nan) if x.zero is NEVER else or_zero(replace(quotient, nan=nan))


def square(x: Value) -> Value:
    """x**2: never negative."""
    bound = max(x.lo * x.lo, x.hi * x.hi)
    fields = tensor_like(x)
    if x.lo > 0 or x.hi < 0:
        least = min(x.lo * x.lo, x.hi * x.hi)
        return value(
            least,
            bound,
            low=x.low if x.lo > 0 else x.high,
            high=x.high if x.lo > 0 else x.low,
            nan=x.nan,
            because=kept(x, "low"),
            whole=x.whole,
            **fields,
        )
    high = max((r for end, r in ((x.lo, x.low), (x.hi, x.high)) if end * end == bound), default=UNKNOWN)
    return value(
        0.0,
        bound,
        zero=x.zero,
        high=high,
        nan=x.nan,
        because=noted(zero=x.evidence("zero"), high=x.evidence("high") or x.evidence("low")),
        whole=x.whole,
        **fields,
    )


def absolute(x: Value) -> Value:
    """abs(x): never negative."""
    fields = tensor_like(x)
    if x.lo >= 0:
        return x
    if x.hi <= 0:
        return negate(x)
    high = max((r for end, r in ((-x.lo, x.low), (x.hi, x.high)) if end == max(-x.lo, x.hi)), default=UNKNOWN)
    return value(
        0.0,
        max(-x.lo, x.hi),
        zero=x.zero,
        high=high,
        nan=x.nan,
        because=kept(x, "zero"),
        whole=x.whole,
        **fields,
    )


def _power_of_numbers(x: float, p: float) -> float | None:
    """x**p; None where that is no real number, or nothing all frameworks agree on."""
    if x < 0 and not float(p).is_integer():
        return None
    try:
        return float(x**p)
    except ZeroDivisionError:
        return None
    except OverflowError:
        return -INF if x < 0 and p % 2 else INF


def power(x: Value, y: Value) -> Value:
    """x**y; precise for a constant exponent and for a non-negative base."""
    p = y.constant
    if x.constant is not None and p is not None:
        number = _power_of_numbers(x.constant, p)
        return value(**tensor_like(x, y)) if number is None else replace(constant(number), **tensor_like(x, y))
    if p == 1:
        return x
    if p == 2:
        return square(x)
    if p is not None and p > 0 and p % 2 == 0:
        return square(power(x, constant(p / 2)))
    if p is not None and p < 0:
        return divide(constant(1.0), power(x, constant(-p)))
    if p is not None and float(p).is_integer():
        return multiply(x, square(x)) if p == 3 else value(**tensor_like(x, y))
    fields = tensor_like(x, y)
    if x.lo >= 0:
        if p is not None and p > 0:
            f = lambda t: INF if t == INF else t**p  # noqa: E731
            try:
                return monotone(x, f, zero_at=0.0)
            except OverflowError:
                pass
        if x.constant is not None and x.constant > 0:
            base = max(x.constant, 1 / x.constant)
            try:
                grown = monotone(y if x.constant == base else negate(y), lambda t: base**t)
                return replace(grown, **fields)
            except OverflowError:
                return value(0.0, INF, **fields)
        if x.hi <= 1 and y.hi <= 0:
            # (1 / x)**-y, which is inf where x is 0
            return value(1.0, INF, pinf=min(x.zero, y.neg), because=noted(pinf=x.evidence("zero")), **fields)
        return value(
            0.0,
            INF,
            zero=NEVER if x.lo > 0 and math.isfinite(x.hi) and y.hi < INF else x.zero,
            because=kept(x, "zero"),
            **fields,
        )
    return value(nan=x.neg if x.neg >= POSSIBLE else UNKNOWN, **fields)


def maximum(a: Value, b: Value, *, sign: float = 1.0) -> Value:
    """max(a, b): a lower bound of either is one of the result. ``sign``: what bounds are told with."""
    a, b = in_common_format(a, b)
    lo, hi = max(a.lo, b.lo), max(a.hi, b.hi)
    setter, other = (a, b) if a.lo >= b.lo else (b, a)
    # The larger lower bound is attained when the other side can fall below it.
    if setter.constant is not None:
        low = max(other.low if other.lo == lo else UNKNOWN, LIKELY if other.lo < lo else UNKNOWN)
        # what is at the bound of itself is there for its own reasons
        own = other.evidence("low") if other.lo == lo and other.low >= LIKELY else None
        beyond = setter.constant >= 0 and other.neg >= LIKELY
        low_why: Evidence | None = own or held_at(sign * setter.constant, beyond=beyond)
    elif lo == 0 and other.lo < 0 and other.zero is UNKNOWN and other.low is UNKNOWN:
        # held above an unknown floor: nobody means a negative one for what is never negative
        low, low_why = UNKNOWN, None
    else:
        low = min(setter.low, other.low if other.lo == lo else LIKELY, LIKELY)
        low_why = setter.evidence("low")
    high = max((v.high for v in (a, b) if v.hi == hi), default=UNKNOWN)
    zero = NEVER if a.zero is NEVER and b.zero is NEVER else UNKNOWN
    if lo == 0:
        zero = low
    elif lo < 0:
        zero = max(a.zero, b.zero, UNKNOWN) if zero is not NEVER else zero
    reaching = max((v for v in (a, b) if v.hi == hi), key=lambda v: (v.high, v.constant is None))
    bound = held_at(sign * reaching.constant) if reaching.constant is not None else None
    why = noted(
        low=low_why,
        high=bound or reaching.evidence("high"),
        zero=other.evidence("zero") if lo < 0 else None,
        neg=a.evidence("neg") or b.evidence("neg"),
    )
    return value(
        lo,
        hi,
        low=low,
        high=high,
        zero=zero,
        neg=min(a.neg, b.neg),
        nan=max(a.nan, b.nan),
        pinf=max(a.pinf, b.pinf),
        because=why,
        whole=a.whole and b.whole,
        **tensor_like(a, b),
    )


def minimum(a: Value, b: Value) -> Value:
    return negate(maximum(negate(a), negate(b), sign=-1.0))


def held_at(bound: float, *, beyond: bool = False) -> Evidence:
    """That a bound holds what is beyond it exactly there; whether anything is ``beyond`` is seldom known."""
    text = f"is exactly {bound + 0.0:g} where this bound applies"
    return Evidence(text, origin=Origin.ATTAINED if beyond else Origin.BOUND)


def clamp(x: Value, lo: Value | None, hi: Value | None) -> Value:
    """x held in [lo, hi], either end open."""
    result = x
    if lo is not None:
        result = maximum(result, lo)
    if hi is not None:
        result = minimum(result, hi)
    return result


def modulo(x: Value, y: Value) -> Value:
    """x mod y, of the sign of y, zero at multiples."""
    if y.lo > 0:
        return value(0.0, y.hi, zero=UNKNOWN, high=NEVER, **tensor_like(x, y))
    return value(**tensor_like(x, y))


def _binary(f: Callable[[Value, Value], Value]) -> Callable[[Operands, Attrs], Value]:
    return lambda v, _: f(v["a"], v["b"])


def unary(f: Callable[[Value], Value]) -> Transfer:
    """The transfer of a function of one operand."""
    return lambda v, _: f(v["x"])


def _sign(x: Value) -> Value:
    return like(
        x,
        -1.0 if x.lo < 0 else 0.0,
        1.0 if x.hi > 0 else 0.0,
        zero=x.zero,
        whole=True,
        because=kept(x, "zero"),
    )


def _floor(x: Value) -> Value:
    return (
        monotone(x, lambda t: t if math.isinf(t) else math.floor(t), whole=True)
        if x.lo >= 1
        else like(
            x,
            x.lo if math.isinf(x.lo) else math.floor(x.lo),
            x.hi if math.isinf(x.hi) else math.ceil(x.hi),
            zero=NEVER if x.hi <= -1 else UNKNOWN,
            low=UNKNOWN,
            whole=True,
        )
    )


def _floor_divide(a: Value, b: Value) -> Value:
    quotient = _floor(divide(a, b))
    # NumPy, PyTorch and JAX take the remainder first, and that of inf is nan
    quotient = replace(quotient, nan=max(quotient.nan, infinite(a)))
    below = (a.lo < 0 < b.hi) or (b.lo < 0 < a.hi)
    # what underflows to -0 lay below it
    return replace(quotient, lo=-1.0, neg=max(quotient.neg, UNKNOWN)) if below and quotient.lo == 0 else quotient


#: frameworks that compute y * x**(y - 1) as it stands: 0 * inf for a power of 0 at 0
POWER_RULE = frozenset({"tensorflow", "keras", "jax"})


def power_poles(v: Operands) -> tuple[Pole, ...]:
    """Poles of x**y for what is known of y.

    Those of the derivative with respect to y are not among them: an exponent that is learned has a positive base.
    """
    exponent = v["y"]
    p = exponent.constant
    negative = Pole("x", "neg", "nan")
    if p is None:
        below = Pole("x", "zero", "inf", also=(("y", "neg"),))
        if exponent.whole:
            # of 0, 1, 2, … only the first is one
            at_zero = (("y", "zero"),)
            return below, Pole("x", "zero", "nan", gradient=True, frameworks=POWER_RULE, also=at_zero)
        fraction = (("y-1", "neg"), ("y", "pos"))
        return below, Pole("x", "zero", "inf or nan", gradient=True, frameworks=DIFFERENTIABLE, also=fraction), negative
    if p < 0:
        return (Pole("x", "zero", "inf"), *(() if float(p).is_integer() else (negative,)))
    if p == 0:
        return (Pole("x", "zero", "nan", gradient=True, frameworks=POWER_RULE),)
    if float(p).is_integer():
        return ()
    if p < 1:
        return (negative, Pole("x", "zero", "inf", gradient=True, frameworks=DIFFERENTIABLE))
    return (negative,)


NONZERO_DIVISOR = (Pole("b", "zero", "inf or nan"),)
NONZERO_MODULUS = (Pole("b", "zero", "nan"),)
#: 0 times either infinity, whichever factor is which
ZERO_TIMES_INFINITY = tuple(
    Pole(zero, "zero", "nan", also=((infinite, end),)) for zero, infinite in ("ab", "ba") for end in ("pinf", "ninf")
)

define("add", "a b", rounds(_binary(add)), pointwise=True)
define("sub", "a b", rounds(_binary(subtract)), pointwise=True)
define("mul", "a b", rounds_unless_scaled(_binary(multiply)), *ZERO_TIMES_INFINITY, pointwise=True)
define("div", "a b", rounds_unless_scaled(_binary(divide)), *NONZERO_DIVISOR, pointwise=True)
define("floordiv", "a b", _binary(_floor_divide), *NONZERO_DIVISOR, pointwise=True)
define("mod", "a b", _binary(modulo), *NONZERO_MODULUS, pointwise=True)
define(
    "reciprocal",
    "x",
    rounds(lambda v, _: divide(constant(1.0), v["x"])),
    Pole("x", "zero", "inf"),
    pointwise=True,
)
define("div_no_nan", "a b", rounds(lambda v, _: divide_no_nan(v["a"], v["b"])), pointwise=True)
define(
    "xdivy",
    "x y",
    rounds(lambda v, _: divide_where(v["x"], v["y"])),
    *(Pole("y", "zero", gives, also=(("x", sign),)) for sign, gives in (("pos", "inf"), ("neg", "-inf"))),
    pointwise=True,
)
define("mul_no_nan", "a b", rounds(lambda v, _: multiply_no_nan(v["a"], v["b"])), pointwise=True)
define("neg", "x", unary(negate), pointwise=True)
define("abs", "x", unary(absolute), pointwise=True)
define("sign", "x", unary(_sign), pointwise=True, stops_gradient=True)
define("square", "x", rounds(unary(square)), pointwise=True)
define("pow", "x y", rounds(lambda v, _: power(v["x"], v["y"])), poles_for=power_poles, pointwise=True)
define("maximum", "a b", _binary(maximum), pointwise=True)
define("minimum", "a b", _binary(minimum), pointwise=True)
define("clamp", "x min max", lambda v, _: clamp(v["x"], v.get("min"), v.get("max")), pointwise=True)
define("floor", "x", unary(_floor), pointwise=True, stops_gradient=True)
define("identity", "x", lambda v, _: v.get("x") or value(), pointwise=True)
define("choice", "a b", lambda v, _: join(v["a"], v["b"]))


def fmod(x: Value, y: Value) -> Value:
    """Remainder of the sign of x, no larger than x and smaller than y."""
    bound = max(abs(y.lo), abs(y.hi))
    return value(max(min(x.lo, 0.0), -bound), min(max(x.hi, 0.0), bound), **tensor_like(x, y))


def number_or_other(f: Callable[[Value, Value], Value]) -> Callable[[Operands, Attrs], Value]:
    """fmax, fmin: like maximum and minimum, but the number wins over nan."""

    def transfer(v: Operands, _: Attrs) -> Value:
        a, b = v["a"], v["b"]
        result = f(a, b)
        for one, other in ((a, b), (b, a)):
            if one.nan is not NEVER:
                result = join(result, replace(other, kind=result.kind, format=result.format))
        return replace(result, nan=min(a.nan, b.nan))

    return transfer


def scaled(v: Operands, f: Callable[[Value, Value], Value]) -> Value:
    """x + scale * f(a, b)."""
    term = f(v["a"], v["b"])
    return add(v["x"], multiply(term, v["scale"]) if "scale" in v else term)


def _round(x: Value, ends: Callable[[float], float]) -> Value:
    lo, hi = (t if math.isinf(t) else ends(t) for t in (x.lo, x.hi))
    zero = NEVER if lo > 0 or hi < 0 else UNKNOWN
    return like(x, lo, hi, zero=zero, nan=x.nan, pinf=x.pinf, ninf=x.ninf, whole=True)


define("fmod", "a b", _binary(fmod), *NONZERO_MODULUS, pointwise=True)
define("fmax", "a b", number_or_other(maximum), pointwise=True)
define("fmin", "a b", number_or_other(minimum), pointwise=True)
define("ceil", "x", lambda v, _: _round(v["x"], math.ceil), pointwise=True, stops_gradient=True)
define("trunc", "x", lambda v, _: _round(v["x"], math.trunc), pointwise=True, stops_gradient=True)
define("round", "x", lambda v, _: like(v["x"]), pointwise=True, stops_gradient=True)
define("frac", "x", unary(lambda x: like(x, -1.0 if x.lo < 0 else 0.0, 1.0 if x.hi > 0 else 0.0)), pointwise=True)
define("squared_difference", "a b", rounds(lambda v, _: square(add(v["a"], negate(v["b"])))), pointwise=True)
define(
    "reciprocal_no_nan",
    "x",
    rounds(lambda v, _: divide_no_nan(constant(1.0), v["x"])),
    pointwise=True,
)
define("add_scaled", "a b scale", rounds(lambda v, _: add(v["a"], multiply(v["b"], v["scale"]))), pointwise=True)
define(
    "sub_scaled", "a b scale", rounds(lambda v, _: add(v["a"], negate(multiply(v["b"], v["scale"])))), pointwise=True
)
define("addcmul", "x a b scale", rounds(lambda v, _: scaled(v, multiply)), pointwise=True)
define("addcdiv", "x a b scale", rounds(lambda v, _: scaled(v, divide)), *NONZERO_DIVISOR, pointwise=True)
define("lerp", "a b weight", pointwise=True)
