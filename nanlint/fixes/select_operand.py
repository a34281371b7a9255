"""What a person would write in the place of a mask over NaN: a selection before the operation that makes it."""

from __future__ import annotations

import ast
from dataclasses import dataclass

from nanlint.diagnostic import Fix
from nanlint.fixes.place import Place, display
from nanlint.graph.node import Node

#: the operand that leads to NaN, by op
OPERAND = {"div": "b", "floordiv": "b", "mod": "b"}


@dataclass(frozen=True)
class SelectOperand:
    """``where(ok, x, 1.0)`` for the operand x of ``source``, for reading: what is ok, and 1.0, are its author's."""

    source: Node

    def rewrite(self, place: Place) -> Fix | None:
        operand = self.operand(place)
        text = place.write("where(ok, x, 1.0)", x=operand) if operand is not None else None
        if text is None:
            return None
        return display(text, f"use `where` for the operand, before the operation: `{text}`")

    def operand(self, place: Place) -> ast.expr | None:
        """The expression that the operation is given there."""
        site = self.source.site
        if isinstance(site, ast.BinOp):
            return site.right if self.source.op in OPERAND else site.left
        written = place.written(self.source)
        return written.operand(OPERAND.get(self.source.op, "x")) if written is not None else None
