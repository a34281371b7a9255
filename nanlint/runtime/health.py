"""The six-way breakdown of a tensor, which is what a FULL_HEALTH dump of TensorFlow's Debugger V2 counts."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

import msgspec

from nanlint.ops.floats import class_of

#: kinds of non-finite value: some of ninf, pinf, nan
Kinds = frozenset[str]
#: of a tensor, in elements
Shape = tuple[int, ...]
#: the first numbers of a tensor, row-major
Elements = Sequence[float | complex]
#: the classes, in the order in which they are shown and kept, and what they are called
NAMES = ("-inf", "negative", "zero", "positive", "+inf", "nan")
CLASSES = ("ninf", "neg", "zero", "pos", "pinf", "nan")


class Health(msgspec.Struct, frozen=True, omit_defaults=True):
    """How many elements of a tensor are -inf, negative, zero, positive, +inf and nan; its least and greatest number.

    ``dtype`` in NumPy's words, ``shape`` in elements. ``low`` and ``high`` are over the finite elements, ``near`` is
    the least magnitude among them; None where there is none, or where they were not computed. A complex element is in
    the class of its worse part.
    """

    ninf: int = 0
    neg: int = 0
    zero: int = 0
    pos: int = 0
    pinf: int = 0
    nan: int = 0
    low: float | None = None
    high: float | None = None
    near: float | None = None
    dtype: str = ""
    shape: Shape = ()

    @property
    def counts(self) -> tuple[int, ...]:
        """The six counts, in the order of ``CLASSES``."""
        return (self.ninf, self.neg, self.zero, self.pos, self.pinf, self.nan)

    @property
    def size(self) -> int:
        """How many elements there are."""
        return sum(self.counts)

    @property
    def bad(self) -> Kinds:
        """The kinds of non-finite value that occur: some of ninf, pinf, nan."""
        return frozenset(kind for kind in ("ninf", "pinf", "nan") if getattr(self, kind))

    def merged(self, other: Health) -> Health:
        """Both together, as if they were one tensor; dtype and shape are the other's."""
        counts = {cls: getattr(self, cls) + getattr(other, cls) for cls in CLASSES}
        lows = [low for low in (self.low, other.low) if low is not None]
        highs = [high for high in (self.high, other.high) if high is not None]
        nears = [near for near in (self.near, other.near) if near is not None]
        low, high, near = min(lows, default=None), max(highs, default=None), min(nears, default=None)
        return Health(**counts, low=low, high=high, near=near, dtype=other.dtype, shape=other.shape)

    def __str__(self) -> str:
        found = [f"{count:,} {name}" for name, count in zip(NAMES, self.counts, strict=True) if count]
        return ", ".join(found) or "empty"


def health_of_numbers(numbers: Iterable[float], dtype: str = "float", shape: Shape = ()) -> Health:
    """The breakdown of Python numbers."""
    counts = dict.fromkeys(CLASSES, 0)
    finite = []
    for x in numbers:
        counts[class_of(x)] += 1
        if math.isfinite(x):
            finite.append(x)
    low, high = min(finite, default=None), max(finite, default=None)
    near = min(map(abs, finite), default=None)
    return Health(**counts, low=low, high=high, near=near, dtype=dtype, shape=shape)
