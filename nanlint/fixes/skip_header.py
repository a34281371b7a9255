"""The first row of a table is left out when it is read."""

from __future__ import annotations

import ast
from dataclasses import dataclass

from nanlint.diagnostic import Fix
from nanlint.fixes.place import Place, display
from nanlint.graph.node import Node


@dataclass(frozen=True)
class SkipHeader:
    """``skip_header=1``, for display: only the file says whether its first row holds names, or an observation."""

    table: Node

    def rewrite(self, place: Place) -> Fix | None:
        call = self.table.site
        if not isinstance(call, ast.Call) or any(k.arg is None for k in call.keywords):
            return None
        return display(place.after([place.also_given(call, "skip_header=1")]))
