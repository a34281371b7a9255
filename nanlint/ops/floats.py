"""Limits of the floating-point formats, derived from their bit layout, and rounding of a Python number into them."""

from __future__ import annotations

import math
import struct
from dataclasses import dataclass


@dataclass(frozen=True)
class Format:
    """A binary floating-point format with ``precision`` significant bits (hidden one included) and ``max_exponent``."""

    name: str
    precision: int
    max_exponent: int

    @property
    def eps(self) -> float:
        """Distance from 1 to the next larger number: 2**(1 - p)."""
        return 2.0 ** (1 - self.precision)

    @property
    def max(self) -> float:
        """Largest finite number: (2 - 2**(1 - p)) * 2**emax."""
        return (2.0 - self.eps) * 2.0**self.max_exponent

    @property
    def tiny(self) -> float:
        """Smallest normal number: 2**(1 - emax)."""
        return 2.0 ** (1 - self.max_exponent)

    @property
    def denormal(self) -> float:
        """Smallest positive number: tiny * eps."""
        return self.tiny * self.eps

    @property
    def exp_overflow(self) -> float:
        """exp(x) is inf above this: log(max)."""
        return math.log(self.max)

    @property
    def exp_underflow(self) -> float:
        """exp(x) rounds to 0 below this: log(denormal / 2)."""
        return math.log(self.denormal) - math.log(2.0)

    def round(self, x: float) -> float:
        """``x`` rounded to the nearest number of this format (ties to even); overflows to inf, underflows to 0."""
        if x == 0 or math.isinf(x) or math.isnan(x):
            return x
        if self.precision == 53:
            return x
        if self.precision == 24:
            try:
                return float(struct.unpack("f", struct.pack("f", x))[0])
            except OverflowError:
                return math.copysign(math.inf, x)
        exponent = max(math.frexp(x)[1] - 1, 1 - self.max_exponent)
        quantum = 2.0 ** (exponent - self.precision + 1)
        rounded = round(x / quantum) * quantum
        return math.copysign(math.inf if abs(rounded) > self.max else rounded, x)


FLOAT16 = Format("float16", 11, 15)
BFLOAT16 = Format("bfloat16", 8, 127)
FLOAT32 = Format("float32", 24, 127)
FLOAT64 = Format("float64", 53, 1023)

FORMATS = {f.name: f for f in (FLOAT16, BFLOAT16, FLOAT32, FLOAT64)}


def class_of(x: float) -> str:
    if math.isnan(x):
        return "nan"
    if math.isinf(x):
        return "pinf" if x > 0 else "ninf"
    return "zero" if x == 0 else "pos" if x > 0 else "neg"
