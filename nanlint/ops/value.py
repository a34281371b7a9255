"""The abstract domain: what may be known of an expression. Range, health, kind; join and refinement."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import Enum, IntEnum
from types import MappingProxyType
from typing import Any

from nanlint.ops.floats import FLOAT32, Format

INF = math.inf
#: a number up to this is an epsilon: added, as a bound or as a threshold it is there because of 0
SMALL = 1e-2


class Reach(IntEnum):
    """Whether a class of numbers is met: UNKNOWN says nothing, POSSIBLE and more rest on evidence.

    NEVER is proved, or what a name, a default or a docstring makes one believe.
    """

    NEVER = 0
    UNKNOWN = 1
    POSSIBLE = 2
    LIKELY = 3
    CERTAIN = 4


NEVER, UNKNOWN, POSSIBLE, LIKELY, CERTAIN = Reach


class Kind(Enum):
    """What sort of thing carries the number: only a tensor or array yields NaN silently and has a gradient."""

    TENSOR = "tensor"
    SCALAR = "scalar"
    ANY = "any"


class Origin(Enum):
    """Where evidence comes from, as far as it is noted."""

    ATTAINED = "the operation gives it for ordinary input"
    START = "it starts there, or is put there"
    SATURATION = "a function saturates, or underflows"
    BOUND = "a bound is met"
    DATA = "data is all zeros"
    ROW = "a row of what a model is given is all zeros"
    STATISTIC = "a statistic of constant data"
    EMPTY = "nothing is selected or counted"
    COINCIDENCE = "two points or elements coincide"
    ROUNDING = "rounding goes beyond the limit"
    UNGUARDED = "the caller gives it, and nothing checks it"
    OVERFLOW = "what is trained or unbounded overflows"
    INTENT = "an infinity or a nan is put there on purpose"
    OWN_TEST = "the author tests for it"
    SIGNED = "what is learned, or a covariance, has either sign as a whole"


#: of these, what is no more than possible: it takes a caller's data to be degenerate or at an end, or is put there on
#: purpose
OF_A_CALLER = frozenset(
    {Origin.BOUND, Origin.DATA, Origin.STATISTIC, Origin.COINCIDENCE, Origin.UNGUARDED, Origin.INTENT}
)


@dataclass(frozen=True)
class Evidence:
    """Why a class is reachable: a phrase, the graph node that brings it about (filled in by the evaluator), its origin.

    ``named``: only a name says so.
    """

    text: str
    node: Any = None
    named: bool = False
    origin: Origin | None = None


NO_EVIDENCE: Mapping[str, Evidence] = MappingProxyType({})


@dataclass(frozen=True)
class Value:
    """Closed range ``[lo, hi]`` over all elements, and health: the reach of each class and of each end of the range.

    ``low`` and ``high`` tell whether ``lo`` and ``hi`` themselves are attained. ``why`` maps a class (or ``low``,
    ``high``) to its evidence. ``whole``: integer-valued (masks, counts). ``peak``: along the axis it was shifted by,
    the maximum is exactly ``hi``; ``trough``: the minimum is exactly ``lo``. ``sum_one``: sums to 1 along its axis.
    ``format``: the dtype that constants are rounded to when they meet it.
    """

    lo: float = -INF
    hi: float = INF
    ninf: Reach = UNKNOWN
    neg: Reach = UNKNOWN
    zero: Reach = UNKNOWN
    pos: Reach = UNKNOWN
    pinf: Reach = UNKNOWN
    nan: Reach = UNKNOWN
    low: Reach = UNKNOWN
    high: Reach = UNKNOWN
    why: Mapping[str, Evidence] = field(default_factory=lambda: NO_EVIDENCE, compare=False)
    kind: Kind = Kind.ANY
    format: Format = FLOAT32
    whole: bool = False
    peak: bool = False
    trough: bool = False
    sum_one: bool = False

    @property
    def constant(self) -> float | None:
        return self.lo if self.lo == self.hi else None

    def reach(self, cls: str) -> Reach:
        """Reach of a class by name: ninf, neg, zero, pos, pinf, nan, low, high."""
        level: Reach = getattr(self, cls)
        return level

    def evidence(self, cls: str) -> Evidence | None:
        """Evidence for a class, or for the end of the range that it is."""
        found = self.why.get(cls)
        if found is None and cls == "zero":
            found = self.why.get("low" if self.lo == 0 else "high" if self.hi == 0 else "zero")
        if found is None and (cls, 0) in (("low", self.lo), ("high", self.hi)):
            found = self.why.get("zero")
        if found is None and cls == "pos" and 0 < self.hi < INF:
            found = self.why.get("high")
        if found is None and cls == "neg" and (end := self.why.get("low")) is not None:
            found = end if end.origin is Origin.ROUNDING and self.lo < 0 else None
        return found


TOP = Value()


def value(
    lo: float = -INF, hi: float = INF, *, because: str | Evidence | Mapping[str, Evidence] = NO_EVIDENCE, **fields: Any
) -> Value:
    """A consistent Value: the range rules classes out, its ends speak for the classes they are.

    ``because`` as one piece of evidence, or its phrase, is that of every class given with at least POSSIBLE.
    """
    if math.isnan(lo):
        lo = -INF
    if math.isnan(hi):
        hi = INF
    if isinstance(because, str | Evidence):
        note = Evidence(because) if isinstance(because, str) else because
        reached = (c for c, r in fields.items() if isinstance(r, Reach) and r >= POSSIBLE)
        because = dict.fromkeys(reached, note) if note.text else NO_EVIDENCE
    zero, neg, pos = fields.get("zero", UNKNOWN), fields.get("neg", UNKNOWN), fields.get("pos", UNKNOWN)
    low, high = fields.get("low", UNKNOWN), fields.get("high", UNKNOWN)
    if lo > 0 or hi < 0:
        zero = NEVER
    elif lo == 0:
        zero = low = NEVER if zero is NEVER or low is NEVER else max(zero, low)
    elif hi == 0:
        zero = high = NEVER if zero is NEVER or high is NEVER else max(zero, high)
    if lo >= 0:
        neg = NEVER
    elif lo > -INF:
        neg = max(neg, low)
    if hi <= 0:
        pos = NEVER
    elif hi < INF:
        pos = max(pos, high)
    fields.update(zero=zero, neg=neg, pos=pos, low=low, high=high)
    return Value(lo, hi, why=because, **fields)


def like(v: Value, lo: float = -INF, hi: float = INF, **fields: Any) -> Value:
    """A value of the kind and the format of another one."""
    return value(lo, hi, kind=v.kind, format=v.format, **fields)


def always(v: Value, cls: str) -> bool:
    """Whether all that a value can be is in a class: its range leaves nothing else."""
    if v.reach(cls) is NEVER:
        return False
    number = {"zero": 0.0, "pinf": INF, "ninf": -INF}.get(cls)
    if number is not None:
        return v.constant == number
    return (cls == "neg" and v.hi < 0) or (cls == "pos" and v.lo > 0)


def constant(number: float, kind: Kind = Kind.SCALAR) -> Value:
    if math.isnan(number):
        return replace(TOP, nan=CERTAIN, kind=kind)
    inf = {"pinf": CERTAIN} if number == INF else {"ninf": CERTAIN} if number == -INF else {}
    whole = float(number).is_integer()
    sign = "zero" if number == 0 else "neg" if number < 0 else "pos"
    classes = {"ninf": NEVER, "neg": NEVER, "zero": NEVER, "pos": NEVER, "pinf": NEVER, sign: CERTAIN, **inf}
    return value(number, number, low=CERTAIN, high=CERTAIN, nan=NEVER, kind=kind, whole=whole, **classes)  # type: ignore[arg-type]


def signed(v: Value) -> dict[str, Any]:
    """What an average, a sum, or a multiple keeps of what has either sign as a whole: that it is negative at times."""
    why = v.evidence("neg")
    kept = v.neg >= LIKELY and why is not None and why.origin is Origin.SIGNED
    return {"neg": v.neg, "because": {"neg": why}} if kept else {}


def with_evidence(v: Value, node: Any) -> Value:
    """``v`` with ``node`` named wherever a transfer function left the place of its evidence open."""
    if not any(e.node is None for e in v.why.values()):
        return v
    return replace(v, why={c: replace(e, node=node) if e.node is None else e for c, e in v.why.items()})


def rounded(v: Value, to: Format) -> Value:
    """A constant as it is after conversion to ``to``: 1e-8 is 0 in float16, 1 + 1e-10 is 1 in float32."""
    c = v.constant
    if c is None or math.isinf(c):
        return v
    r = to.round(c)
    return v if r == c else replace(constant(r, v.kind), why=v.why)


def join(a: Value, b: Value) -> Value:
    """What holds when the value is one or the other: hull of the ranges, stronger reach of each class."""
    lo, hi = min(a.lo, b.lo), max(a.hi, b.hi)
    low = max((v.low for v in (a, b) if v.lo == lo), default=UNKNOWN)
    high = max((v.high for v in (a, b) if v.hi == hi), default=UNKNOWN)
    classes = {c: max(a.reach(c), b.reach(c)) for c in ("ninf", "neg", "zero", "pos", "pinf", "nan")}
    why = {**b.why, **a.why} if a.why or b.why else NO_EVIDENCE
    for c, level in classes.items():
        for v in (a, b):
            if v.reach(c) == level and level >= POSSIBLE and (e := v.evidence(c)):
                why = {**why, c: e}
                break
    return value(
        lo,
        hi,
        low=low,
        high=high,
        because=why,
        kind=a.kind if a.kind is b.kind else Kind.TENSOR if Kind.TENSOR in (a.kind, b.kind) else Kind.ANY,
        format=a.format if a.kind is Kind.TENSOR else b.format,
        whole=a.whole and b.whole,
        peak=a.peak and b.peak and a.hi == b.hi,
        sum_one=a.sum_one and b.sum_one,
        **classes,
    )


def contains(outer: Value, inner: Value) -> bool:
    """Whether every number that ``inner`` admits is admitted by ``outer`` (used to check a guessed loop invariant)."""
    if not (outer.lo <= inner.lo and inner.hi <= outer.hi):
        return False
    return all(not (outer.reach(c) is NEVER and inner.reach(c) is not NEVER) for c in ("zero", "neg", "pinf", "ninf"))


def meet_range(v: Value, lo: float, hi: float, *, open_lo: bool = False, open_hi: bool = False) -> Value:
    """``v`` known to lie in ``[lo, hi]``; an open end is not attained."""
    new_lo, new_hi = max(v.lo, lo), min(v.hi, hi)
    low = v.low if v.lo > lo or (v.lo == lo and not open_lo) else NEVER if open_lo else UNKNOWN
    high = v.high if v.hi < hi or (v.hi == hi and not open_hi) else NEVER if open_hi else UNKNOWN
    if new_lo > new_hi:
        return v
    excludes_zero = new_lo > 0 or new_hi < 0 or (new_lo == 0 and low is NEVER) or (new_hi == 0 and high is NEVER)
    return value(
        new_lo,
        new_hi,
        low=low,
        high=high,
        zero=NEVER if excludes_zero else v.zero,
        neg=v.neg if new_lo < 0 else NEVER,
        pos=v.pos if new_hi > 0 else NEVER,
        ninf=v.ninf if new_lo == -INF else NEVER,
        pinf=v.pinf if new_hi == INF else NEVER,
        nan=v.nan,
        because=v.why,
        kind=v.kind,
        format=v.format,
        whole=v.whole,
        peak=v.peak and new_hi == v.hi,
    )
