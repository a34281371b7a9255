"""How near what came by at a flagged expression was to breaking it: every kind of pole has a measure of its own."""

from __future__ import annotations

from dataclasses import dataclass

from nanlint.ops.floats import FLOAT64, FORMATS

#: an operand is near a number within this distance, and near 0 if that is at most this part of its greatest
WITHIN, OF_GREATEST = 1e-3, 1e-6
#: what is within this factor of the greatest number of its format is near that
OF_LIMIT = 100.0


@dataclass(frozen=True)
class Ends:
    """What came by in a role: its ends, its least magnitude (None: not known), the fewest elements, its format.

    ``closest``: how near it came to its pole in one execution, where that is known.
    """

    low: float | None = None
    high: float | None = None
    near: float | None = None
    fewest: int | None = None
    dtype: str = ""
    closest: float | None = None


@dataclass(frozen=True)
class Approach:
    """How near something came to a pole, in words, and whether that is near."""

    text: str
    near: bool


def approach(role: str, shift: float, cls: str, seen: Ends) -> Approach | None:
    """How near what came by in a role got to a pole; None where that is not known."""
    if cls == "empty":
        if seen.fewest is None:
            return None
        many = f"{seen.fewest:,} element{'' if seen.fewest == 1 else 's'}"
        return Approach(f"{role} had {many} at least", seen.fewest <= 1)
    if seen.low is None or seen.high is None:
        return None
    if cls in ("pinf", "ninf"):
        limit = FORMATS.get(seen.dtype, FLOAT64).max
        greatest = max(seen.high if cls == "pinf" else -seen.low, 0.0)
        near = greatest >= limit / OF_LIMIT
        return Approach(f"{role} reached {greatest:.3g}, of {limit:.3g} at most", near)
    distance = apart(shift, cls, seen.low, seen.high, seen.near) if seen.closest is None else seen.closest
    if distance is None:
        return None
    greatest = max(abs(seen.low), abs(seen.high))
    near = distance <= WITHIN and (shift != 0 or distance <= OF_GREATEST * greatest)
    return Approach(f"{role} came within {distance:.3g} of {0 - shift:g}", near)


def apart(shift: float, cls: str, least: float, greatest: float, near: float | None = None) -> float | None:
    """How near what lies between two numbers comes to 0 once it is shifted, from the side that is not of the class.

    ``near``: its least magnitude, where that is known.
    """
    low, high = least + shift, greatest + shift
    if cls == "zero":
        if low <= 0 <= high:
            # on both sides, or there: only the least magnitude tells how near
            return near if shift == 0 else 0.0 if 0 in (low, high) else None
        return low if low > 0 else -high
    if cls == "neg":
        return max(low, 0.0)
    return max(-high, 0.0) if cls == "pos" else None
