"""Random draws beyond the uniform, the normal and the Bernoulli."""

from __future__ import annotations

from nanlint.ops.op import define
from nanlint.ops.value import INF, LIKELY, NEVER, POSSIBLE, UNKNOWN, Evidence, Kind, Origin, value

define(
    "poisson",
    "",
    lambda _, __: value(
        0.0, INF, zero=LIKELY, whole=True, because=Evidence("a count may be 0", origin=Origin.EMPTY), kind=Kind.TENSOR
    ),
    pure=False,
)
define("exponential", "", lambda _, __: value(0.0, INF, zero=UNKNOWN, kind=Kind.TENSOR), pure=False)
define(
    "gamma_draw",
    "",
    lambda _, __: value(
        0.0,
        INF,
        zero=POSSIBLE,
        because=Evidence("a random number underflows to 0 for a small shape parameter", origin=Origin.SATURATION),
        kind=Kind.TENSOR,
    ),
    pure=False,
)
define(
    "beta_draw",
    "",
    lambda _, __: value(
        0.0,
        1.0,
        low=POSSIBLE,
        high=POSSIBLE,
        because=Evidence("a random number rounds to 0 or 1 for a small shape parameter", origin=Origin.SATURATION),
        kind=Kind.TENSOR,
    ),
    pure=False,
)
define(
    "rademacher",
    "",
    lambda _, __: value(-1.0, 1.0, zero=NEVER, low=LIKELY, high=LIKELY, nan=NEVER, whole=True, kind=Kind.TENSOR),
    pure=False,
)
