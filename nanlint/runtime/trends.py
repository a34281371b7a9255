"""Histories of a number of a run: where it was first not finite, since when it grows, where it jumped."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import median

#: numbers of which the median is one point of a smoothed history, and that are before one that jumps
WINDOW, BEFORE = 5, 20
#: decades, and multiples of the usual distance from the median, by which a history leaves what it was
DECADES, SPREADS = 1.0, 6.0
#: how much of its growth, in decades, comes in the second half of what grows by a factor with each step
LATE = 0.35
#: parts of a history that all have to be larger than the one before, where it grows
PARTS = 6
#: the magnitude below which all numbers are alike
SMALLEST = 1e-30
#: what a schedule sets, which measures nothing and may well grow, by its name
SET = re.compile(r"(?:^|[/_-])(?:lr|learning_rate|loss_scale)(?:$|[/_-])")


@dataclass(frozen=True)
class Growth:
    """Where in a history growth began and what it is now, as positions, and both magnitudes."""

    first: int
    last: int
    start: float
    end: float


def first_bad(values: Sequence[float]) -> int | None:
    """The position of the first number that is not finite; None if all are."""
    return next((i for i, value in enumerate(values) if not math.isfinite(value)), None)


def growth(values: Sequence[float]) -> Growth | None:
    """The growth in which a history of finite numbers ends; None if it does not end so.

    It is at least a factor of ten, and more than six times what is noise in it, without a fall in between.
    """
    if len(values) < 2 * WINDOW:
        return None
    logs = _magnitudes(values)
    smooth = [median(logs[max(0, i - WINDOW // 2) : i + 1 + WINDOW // 2]) for i in range(len(logs))]
    noise = median(abs(one - mean) for one, mean in zip(logs, smooth, strict=True))
    end = len(logs) - 1
    first = _beginning(smooth, 2 * noise)
    risen = smooth[end] - smooth[first]
    if risen < max(DECADES, SPREADS * noise) or end - first < WINDOW:
        return None
    if smooth[end] - smooth[(first + end) // 2] < LATE * risen:
        # it counts something, or came to where it stays
        return None
    edges = [first + (end - first) * part // PARTS for part in range(PARTS)] + [end + 1]
    parts = [median(logs[a:b]) for a, b in pairwise(edges) if a < b]
    if any(b <= a for a, b in pairwise(parts)):
        return None
    return Growth(first, end, 10 ** smooth[first], 10 ** smooth[end])


def jumps(values: Sequence[float]) -> Iterator[int]:
    """The positions of numbers that are far above those before them, and gone again a few later."""
    logs = _magnitudes(values)
    for i in range(BEFORE // 2, len(logs) - 1):
        before = logs[max(0, i - BEFORE) : i]
        middle = median(before)
        far = middle + max(DECADES, SPREADS * median(abs(one - middle) for one in before))
        if logs[i] > far and min(logs[i + 1 : i + 1 + WINDOW]) < (middle + far) / 2:
            yield i


def _beginning(smooth: Sequence[float], noise: float) -> int:
    """The position behind which a history that ends high is never as low again, but for noise."""
    last = len(smooth) - 1
    lowest = smooth[last]
    first = last
    for i in range(last, -1, -1):
        if smooth[i] < lowest:
            lowest, first = smooth[i], i
        elif smooth[i] > smooth[first] + max(DECADES, (smooth[last] - lowest) / 2):
            # it was that high before: what grows began behind that
            break
    return max(i for i in range(first, last + 1) if smooth[i] <= lowest + noise)


def _magnitudes(values: Sequence[float]) -> list[float]:
    return [math.log10(max(abs(value), SMALLEST)) for value in values]
