"""A difference that is never negative in truth becomes maximum(difference, 0)."""

from __future__ import annotations

import ast
from dataclasses import dataclass

from nanlint.diagnostic import Applicability, Fix
from nanlint.fixes.place import Place, display
from nanlint.graph.node import Node


@dataclass(frozen=True)
class FloorAtZero:
    """``difference``, no less than 0. ``safe``: where it is below, what is made of it is nan anyway."""

    difference: Node
    safe: bool

    def rewrite(self, place: Place) -> Fix | None:
        site = self.difference.site
        if not isinstance(site, ast.expr):
            return None
        tensor = place.is_tensor(self.difference)
        text = place.write("clamp(x, min=0)", x=site)
        if text is None or (place.framework == "torch" and tensor is False):
            return None
        if place.is_compiled or (place.framework == "torch" and not place.is_array_of(self.difference, "torch")):
            return display(text)
        applicability = Applicability.SAFE if self.safe and tensor else Applicability.UNSAFE
        return place.fix(
            applicability, [place.put(site, text)], text, "clamp it to at least 0: rounding can make it negative"
        )
