"""The number that a double where puts in becomes a harmless one."""

from __future__ import annotations

import ast
from dataclasses import dataclass

from nanlint.diagnostic import Applicability, Fix
from nanlint.fixes.place import Place
from nanlint.fixes.reading import is_number
from nanlint.graph.node import Node


@dataclass(frozen=True)
class HarmlessPlaceholder:
    """1 in the place of a literal 0 in the ``branch`` of ``selection``. Safe where the selection has no other use."""

    selection: Node
    branch: str

    def rewrite(self, place: Place) -> Fix | None:
        at = place.at(self.selection)
        written = at.written(self.selection)
        found = written.operand(self.branch) if written is not None else None
        if found is None:
            return None
        text = self.one(at, found)
        if text is None:
            return None
        return place.fix(Applicability.SAFE, [place.put(found, text)], text, "use 1 as the placeholder")

    def one(self, place: Place, e: ast.expr) -> str | None:
        """The same number of the same type, but 1: ``0.0`` to ``1.0``, ``zeros_like`` to ``ones_like``."""
        if is_number(e, 0):
            return "1.0" if isinstance(e.value, float) else "1"
        if isinstance(e, ast.Call):
            function = place.file.imports.dotted(e.func)
            name = (function or "").rpartition(".")[2]
            if function is not None and name in ("zeros_like", "zeros"):
                ones = place.spell(function.replace(name, name.replace("zeros", "ones")))
                return place.with_operand(e.func, ones, e) if ones is not None else None
            if name in ("array", "asarray", "tensor", "constant", "_const") and e.args and is_number(e.args[-1], 0):
                last = e.args[-1]
                one = "1.0" if isinstance(last.value, float) else "1"
                return place.with_operand(last, one, e)
        return None
