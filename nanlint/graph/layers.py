"""Tables that share what they have in common: what is known on a path is known in many places, and on its branches."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias, TypeVar

K = TypeVar("K")
V = TypeVar("V")
#: parts of a table that never change, what was said last in the last one; each is larger than those behind it
Layers: TypeAlias = tuple[Mapping[K, V], ...]

#: entries that are copied rather than looked for in one layer more
FEW = 8


def laid(layers: Layers[K, V], last: Mapping[K, V]) -> Layers[K, V]:
    """Layers and one more, in few layers: entries are copied a few times, and not for each that is added."""
    while layers and len(layers[-1]) <= max(FEW, 2 * len(last)):
        last, layers = {**layers[-1], **last}, layers[:-1]
    return (*layers, last)


def gathered(layers: Layers[K, V]) -> dict[K, V]:
    """All that layers say, in the order in which it was first said."""
    found: dict[K, V] = {}
    for layer in layers:
        found.update(layer)
    return found


def said_in(layers: Layers[K, V], key: K) -> V | None:
    """What layers say last of a key; None for nothing."""
    for layer in reversed(layers):
        if key in layer:
            return layer[key]
    return None
