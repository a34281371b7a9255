"""What a person would write in the place of a mask over NaN: a selection before the operation that makes it."""

from __future__ import annotations

from dataclasses import dataclass

from nanlint.diagnostic import Fix
from nanlint.fixes.place import Place, display
from nanlint.graph.node import Node


@dataclass(frozen=True)
class SelectOperand:
    """``where(ok, x, 1.0)`` for the operand x of ``source``, for reading: what is ok, and 1.0, are its author's."""

    source: Node

    def rewrite(self, place: Place) -> Fix | None:
        operand = place.at(self.source).hazardous(self.source)
        text = place.write("where(ok, x, 1.0)", x=operand) if operand is not None else None
        if text is None:
            return None
        return display(text, f"use `where` for the operand, before the operation: `{text}`")
