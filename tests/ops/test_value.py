"""The laws of the lattice: what join, the order and meet promise, for numbers of all floating-point formats."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from nanlint.ops.floats import BFLOAT16, FLOAT16, FLOAT32, FLOAT64, Format
from nanlint.ops.value import NEVER, UNKNOWN, Kind, Reach, Value, constant, contains, join, meet_range, value
from tests.ops.calling import Array
from tests.ops.truth import holds, special

INF = math.inf
FORMATS = st.sampled_from((FLOAT16, BFLOAT16, FLOAT32, FLOAT64))
CLASSES = ("ninf", "neg", "zero", "pos", "pinf", "nan", "low", "high")
REACHES = st.sampled_from(Reach)
laws = settings(max_examples=300, deadline=None)


@cache
def numbers(fmt: Format) -> Array:
    """The special numbers of a format, both signs and both zeros, the infinities and nan."""
    return np.array(special(fmt, subnormal=True))


@st.composite
def values(draw: st.DrawFn, fmt: Format) -> Value:
    """Any value whose ends are numbers of a format; a fact about an axis is there where it can be."""
    ends = st.sampled_from([x for x in special(fmt, subnormal=True) if not math.isnan(x)])
    if draw(st.integers(0, 3)) == 0:
        return replace(constant(draw(ends)), kind=draw(st.sampled_from(Kind)), format=fmt)
    lo, hi = sorted((draw(ends), draw(ends)))
    fields: dict[str, Any] = {name: draw(REACHES) for name in CLASSES}
    facts = {name: draw(st.booleans()) for name in ("whole", "peak", "trough", "sum_one")}
    return value(lo, hi, kind=draw(st.sampled_from(Kind)), format=fmt, **fields, **facts)


def triples() -> st.SearchStrategy[tuple[Value, Value, Value]]:
    """Values of one format, or each of another."""
    one = FORMATS.flatmap(lambda f: st.tuples(values(f), values(f), values(f)))
    return one | st.tuples(*(FORMATS.flatmap(values) for _ in range(3)))


def exactly(v: Value) -> tuple[object, ...]:
    """A value with the signs of its ends: -0 as an end is another one than +0."""
    return v, math.copysign(1.0, v.lo), math.copysign(1.0, v.hi)


@laws
@given(triples())
def test_join_is_commutative(vs: tuple[Value, Value, Value]) -> None:
    a, b, _ = vs
    assert exactly(join(a, b)) == exactly(join(b, a))


@laws
@given(triples())
def test_join_is_associative(vs: tuple[Value, Value, Value]) -> None:
    a, b, c = vs
    assert exactly(join(join(a, b), c)) == exactly(join(a, join(b, c)))


@laws
@given(FORMATS.flatmap(values))
def test_join_is_idempotent(v: Value) -> None:
    assert exactly(join(v, v)) == exactly(v)


@laws
@given(triples())
def test_join_is_an_upper_bound(vs: tuple[Value, Value, Value]) -> None:
    a, b, _ = vs
    both = join(a, b)
    assert contains(both, a)
    assert contains(both, b)
    x = numbers(a.format)
    assert not (holds(a, x) & ~holds(both, x)).any()


@laws
@given(triples())
def test_the_order_is_that_of_join(vs: tuple[Value, Value, Value]) -> None:
    """Where one contains another, their join admits no more than it: the order sees all that a value rules out."""
    a, b, c = vs
    for inner, outer in ((a, b), (a, join(a, b)), (meet_range(c, -1.0, 1.0), c)):
        both = join(inner, outer)
        same = (both.lo, both.hi) == (outer.lo, outer.hi) and all(
            (both.reach(name) is NEVER) == (outer.reach(name) is NEVER) for name in CLASSES
        )
        assert contains(outer, inner) == same


@laws
@given(triples())
def test_the_order_is_transitive_and_reflexive(vs: tuple[Value, Value, Value]) -> None:
    a, b, c = vs
    assert contains(a, a)
    low, middle, high = a, join(a, b), join(join(a, b), c)
    assert contains(middle, low)
    assert contains(high, middle)
    assert contains(high, low)


@laws
@given(triples(), st.booleans(), st.booleans(), st.data())
def test_meet_is_below_both(vs: tuple[Value, Value, Value], open_lo: bool, open_hi: bool, data: st.DataObject) -> None:
    """It holds what the value holds in the range, and nothing else. Of a range that it misses nothing follows."""
    v = vs[0]
    ends = st.sampled_from([x for x in special(v.format, subnormal=True) if not math.isnan(x)])
    lo, hi = sorted((data.draw(ends), data.draw(ends)))
    met = meet_range(v, lo, hi, open_lo=open_lo, open_hi=open_hi)
    x = numbers(v.format)[:-1]  # without nan, which has no place in a range
    inside = ((x > lo) if open_lo else (x >= lo)) & ((x < hi) if open_hi else (x <= hi))
    assert met.nan is v.nan
    assert not (holds(v, x) & inside & ~holds(met, x)).any()
    if max(v.lo, lo) <= min(v.hi, hi):
        assert contains(v, met)
        assert not (holds(met, x) & ~inside).any()


@laws
@given(FORMATS.flatmap(values))
def test_a_value_is_consistent(v: Value) -> None:
    """What its range leaves out is out, and an end says the same as the class that it is."""
    if v.lo > 0 or v.hi < 0:
        assert v.zero is NEVER
    if v.lo == 0:
        assert v.low is v.zero
    if v.hi == 0:
        assert v.high is v.zero
    assert v.lo < 0 or v.neg is NEVER
    assert v.hi > 0 or v.pos is NEVER
    assert exactly(v)[0] == value(v.lo, v.hi, **{n: getattr(v, n) for n in vars(v) if n not in ("lo", "hi", "why")})


def test_minus_zero_is_in_a_range_that_says_so() -> None:
    x = np.array([0.0, -0.0])
    assert holds(value(0.0, 1.0), x).tolist() == [True, False]
    assert holds(value(-0.0, 1.0), x).tolist() == [True, True]
    assert holds(join(value(-0.0, 1.0), value(0.0, 2.0)), x).tolist() == [True, True]


def test_an_unknown_is_the_top() -> None:
    assert contains(Value(), value(0.0, 1.0, zero=UNKNOWN))
    assert not contains(value(0.0, 1.0), Value())
