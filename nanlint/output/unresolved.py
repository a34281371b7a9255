"""``--verbose``: the imports of a project that lead nowhere, one line for each module or name."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from nanlint.frontend.imports import Import

_LINES = 40
_PLACES = 3


def render_unresolved(imports: Sequence[Import]) -> str:
    """``path:row: name: why``, with the first place in each other file; empty if there is nothing to say."""
    groups: dict[tuple[str, str, str], list[Import]] = {}
    for one in imports:
        groups.setdefault((one.name, one.problem, "" if one.name else one.path), []).append(one)
    if not groups:
        return ""
    lines = ["Not resolved in the project:", *map(_line, list(groups.values())[:_LINES])]
    if len(groups) > _LINES:
        lines.append(f"and {len(groups) - _LINES} more")
    return "\n  ".join(lines) + "\n"


def _line(group: Sequence[Import]) -> str:
    places: dict[str, str] = {}
    for one in group:
        places.setdefault(one.path, one.place)
    first, *others = places.values()
    name = f" {group[0].name}:" if group[0].name else ""
    more = f" and {len(others) - _PLACES} more" if len(others) > _PLACES else ""
    also = f" (also {', '.join(others[:_PLACES])}{more})" if others else ""
    return f"{first}:{name} {group[0].problem}{also}"
