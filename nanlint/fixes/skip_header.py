"""The first row of a table is left out when it is read."""

from __future__ import annotations

import ast
from dataclasses import dataclass

from nanlint.diagnostic import Applicability, Fix
from nanlint.fixes.place import Place
from nanlint.graph.node import Node


@dataclass(frozen=True)
class SkipHeader:
    """``skip_header=1``. Unsafe: a first row of numbers is left out too."""

    table: Node

    def rewrite(self, place: Place) -> Fix | None:
        call = self.table.site
        if not isinstance(call, ast.Call) or any(k.arg is None for k in call.keywords):
            return None
        edits = [place.also_given(call, "skip_header=1")]
        return place.fix(Applicability.UNSAFE, edits, place.after(edits))
