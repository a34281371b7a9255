"""Determinants, inverses, solutions and factors of matrices."""

from __future__ import annotations

from nanlint.ops.arithmetic import Attrs, tensor_like
from nanlint.ops.op import Operands, define
from nanlint.ops.value import INF, POSSIBLE, Evidence, Origin, Value, like, value


def orthogonal(v: Operands, _: Attrs) -> Value:
    """A matrix of orthonormal columns: in [-1, 1] up to rounding."""
    fields = tensor_like(v["x"])
    end = 1.0 + 16 * fields["format"].eps
    return value(-end, end, **fields)


def singular_values(v: Operands, _: Attrs) -> Value:
    """At least 0; 0 for a matrix without full rank."""
    note = {"low": Evidence("is 0 for a matrix without full rank", origin=Origin.COINCIDENCE)}
    return like(v["x"], 0.0, INF, low=POSSIBLE, because=note)


define("det", "x", zero_preserving=True)
define("logdet", "x", lambda v, _: like(v["x"]))
define("inv", "x")
define("pinv", "x")
define("solve", "a b")
define("cholesky", "x")
define("orthogonal", "x", orthogonal)
define("singular_values", "x", singular_values, zero_preserving=True)
define("eigenvalues", "x", zero_preserving=True)
define("trace", "x", zero_preserving=True)
