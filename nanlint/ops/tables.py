"""Tables read from disk, whose holes are NaN, and what fills or drops them."""

from __future__ import annotations

from dataclasses import replace

from nanlint.ops.arithmetic import Attrs
from nanlint.ops.op import Operands, define
from nanlint.ops.value import NEVER, TOP, Kind, Value


def read(_: Operands, __: Attrs) -> Value:
    """Anything, NaN where the file has nothing."""
    return replace(TOP, kind=Kind.TENSOR)


def without_holes(v: Operands, _: Attrs) -> Value:
    """The table without its NaN."""
    return replace(v["x"], nan=NEVER)


# ``whole``: what is read in the place of a hole; ``header``, ``names``, ``kind``: what is made of the first row, and of
# words
define("table", "source delimiter whole header names kind", read)
define("without_nan", "x", without_holes, view=True)
