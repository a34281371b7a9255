"""How plausible it is that a source holds the numbers that a witness gives it. A judgement, stated once, in order."""

from __future__ import annotations

import math
from collections.abc import Iterable
from enum import IntEnum

from nanlint.proof.entering import Sort
from nanlint.proof.slice import Domain, Step

Row = tuple[float, ...]

#: up to here numbers are what data, labels and settings are
ORDINARY_SIZE = 10.0
#: and up to here what the logits of a network that has been trained too far are
LOGIT_SIZE = 250.0
#: beyond this, or below its inverse, a number says that something has gone wrong before
ABSURD_SIZE = 1e5


class Plausibility(IntEnum):
    """The classes of inputs, least plausible first.

    ABSURD: numbers of any magnitude (1e20, 1e-30): the finding needs a program that is broken already.
    SELDOM: beyond what logits reach (1000), numbers of many digits, a setting at 0, a draw at the end of its range.
    SATURATING: what trained logits reach (20, 200).
    ORDINARY: zeros, equal elements, one-hot, an empty mask, small numbers of either sign.
    """

    ABSURD = 0
    SELDOM = 1
    SATURATING = 2
    ORDINARY = 3


def plausibility(step: Step, row: Row) -> Plausibility:
    """How plausible these numbers are for a source."""
    domain, sort = step.domain, step.sort
    if domain.number is not None or sort is Sort.SIZE:
        return Plausibility.ORDINARY
    largest = max(map(abs, row), default=0.0)
    if any(x and not 1 / ABSURD_SIZE**2 <= abs(x) <= ABSURD_SIZE for x in row):
        return Plausibility.ABSURD
    if largest > LOGIT_SIZE or unusual(sort, domain, row) or not all(map(plain, row)):
        return Plausibility.SELDOM
    return Plausibility.SATURATING if largest > ORDINARY_SIZE else Plausibility.ORDINARY


def plain(x: float) -> bool:
    """Whether three digits write a number down, to single precision: no random draw of many."""
    return math.isclose(x, float(f"{x:.3g}"), rel_tol=1e-6)


def unusual(sort: Sort | None, domain: Domain, row: Row) -> bool:
    """A setting that is off or large, a draw that is an end of its range."""
    if sort is Sort.DRAWN:
        return not domain.whole and any(x in (domain.lo, domain.hi) for x in row)
    return (
        domain.scalar
        and not (domain.whole or domain.counted)
        and sort in (Sort.PARAMETER, Sort.ATTRIBUTE)
        and not (all(row) and (domain.driven or max(map(abs, row)) <= ORDINARY_SIZE))
    )


def ordinary(given: Iterable[tuple[Step, Row]]) -> bool:
    """Whether a program is given such numbers as a matter of course: what saturates only where training drives it.

    A time, a size or a coefficient of which nothing else is known is not 200.
    """
    return all(
        plausibility(step, row) >= (Plausibility.SATURATING if step.domain.driven else Plausibility.ORDINARY)
        for step, row in given
    )


def of_all(given: Iterable[tuple[Step, Row]]) -> Plausibility:
    """Of several sources together: the least plausible of them."""
    return min((plausibility(step, row) for step, row in given), default=Plausibility.ORDINARY)
