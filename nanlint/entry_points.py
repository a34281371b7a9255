"""The entry points of installed packages that bring rules and ops. Apart from ``plugins``, which loads all rules."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

RULES_GROUP, OPS_GROUP = "nanlint.rules", "nanlint.ops"


@cache
def installed() -> tuple[EntryPoint, ...]:
    """Those of ops first, each group by names."""
    from importlib.metadata import entry_points

    return tuple(
        point
        for group in (OPS_GROUP, RULES_GROUP)
        for point in sorted(entry_points(group=group), key=lambda point: (point.name, point.value))
    )
