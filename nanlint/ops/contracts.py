"""What a distribution promises of its parameters and its values: the constraints it is declared with."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from nanlint.ops.arithmetic import Attrs
from nanlint.ops.floats import FLOAT32
from nanlint.ops.op import Operands, Transfer, define
from nanlint.ops.value import INF, LIKELY, POSSIBLE, Evidence, Origin, Reach, Value, like, meet_range

NOTHING: Mapping[str, str] = MappingProxyType({})


def within(lo: float, hi: float, legal: Mapping[str, str] = NOTHING, reach: Reach = POSSIBLE) -> Transfer:
    """x in [lo, hi]; ``legal`` are the classes and ends that the contract allows, and what is said of them.

    They are POSSIBLE at an edge, where the infinity that comes of it may be meant: the log-probability of what cannot
    be is -inf.
    """
    notes = {cls: Evidence(text, origin=Origin.ATTAINED) for cls, text in legal.items()}
    # a contract says more than a name
    allowed: dict[str, Reach] = dict.fromkeys((*notes, *(("zero", "low") if lo == 0 else ())), reach)

    def transfer(v: Operands, _: Attrs) -> Value:
        x = meet_range(v["x"], lo, hi)
        fields = {cls: x.reach(cls) for cls in ("ninf", "neg", "zero", "pos", "pinf", "nan", "low", "high")}
        return like(x, x.lo, x.hi, because={**x.why, **notes}, whole=x.whole, **{**fields, **allowed})

    return transfer


EDGES = {"low": "may be 0: its constraint allows it", "high": "may be 1: its constraint allows it"}

define("in_positive", "x", within(FLOAT32.tiny, INF), pointwise=True)
define("in_non_negative", "x", within(0.0, INF, {"zero": "may be 0: its constraint allows it"}), pointwise=True)
define("in_unit_interval", "x", within(0.0, 1.0, EDGES), pointwise=True)
define("in_reals", "x", within(-INF, INF, {"neg": "may be negative: its constraint allows it"}, LIKELY), pointwise=True)

#: constraints by dotted name, and the op that a value under it has gone through
CONSTRAINTS: Mapping[str, str] = {
    f"torch.distributions.constraints.{name}": op
    for op, names in {
        "in_positive": ("positive",),
        "in_non_negative": ("nonnegative",),
        "in_unit_interval": ("unit_interval", "simplex"),
        "in_reals": ("real", "real_vector"),
    }.items()
    for name in names
}

#: methods of a distribution whose argument is one of its values
OF_THE_SUPPORT = frozenset({"log_prob", "cdf"})
