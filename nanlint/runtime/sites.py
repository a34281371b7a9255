"""Sites: the flagged expressions of a file, as the verifier watches them."""

from __future__ import annotations

from dataclasses import dataclass

from nanlint.diagnostic import Diagnostic, Span
from nanlint.runtime.health import Health


@dataclass(frozen=True)
class Site:
    """A flagged expression: what is probed there, and the pole that it must not meet.

    ``key`` is the same in every process and run on the same source. ``op`` is the neutral op. ``operands``: neutral
    name and span of those that stand in the source of the file. The operand ``operand``, shifted by ``shift``, must
    not be in the class ``cls``; ``gradient``: it is the derivative that breaks there. ``operand`` is empty where the
    finding names no pole: then it is the result that is watched.
    """

    key: str
    path: str
    span: Span
    code: str
    op: str
    framework: str = ""
    operands: tuple[tuple[str, Span], ...] = ()
    operand: str = ""
    shift: float = 0.0
    cls: str = ""
    gradient: bool = False
    diagnostic: Diagnostic | None = None


def distance(site: Site, health: Health) -> float | None:
    """How near an operand came to the pole of a site, in its own units; None where the counts do not tell."""
    if health.low is None or health.high is None:
        return None
    low, high = health.low + site.shift, health.high + site.shift
    if site.cls == "zero":
        if low <= 0 <= high:
            # on both sides, or there: only the least magnitude tells how near
            return health.near if site.shift == 0 else 0.0 if 0 in (low, high) else None
        return low if low > 0 else -high
    if site.cls == "neg":
        return max(low, 0.0)
    return max(-high, 0.0) if site.cls == "pos" else None
