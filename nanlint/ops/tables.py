"""Tables read from disk, whose holes are NaN, and what fills or drops them."""

from __future__ import annotations

from dataclasses import replace

from nanlint.ops.op import define
from nanlint.ops.value import NEVER, TOP, Kind

# ``whole``: what is read in the place of a hole; ``header``, ``names``, ``kind``: what is made of the first row, and of
# words
define("table", "source delimiter whole header names kind", lambda _, __: replace(TOP, kind=Kind.TENSOR))
define("without_nan", "x", lambda v, _: replace(v["x"], nan=NEVER), view=True)
