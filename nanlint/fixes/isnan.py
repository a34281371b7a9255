"""A comparison with NaN becomes the test for it."""

from __future__ import annotations

import ast
from dataclasses import dataclass

from nanlint.diagnostic import Applicability, Fix
from nanlint.fixes.place import Place, display
from nanlint.graph.node import Node
from nanlint.ops.writing import function_for

NOT = {"tensorflow": "tensorflow.logical_not", "keras": "keras.ops.logical_not"}


@dataclass(frozen=True)
class IsNan:
    """``isnan(x)`` in the place of ``x == nan``, and its negation in the place of ``x != nan``.

    Unsafe: True where x is NaN, where it never was.
    """

    comparison: Node
    x: Node
    nan: Node

    def rewrite(self, place: Place) -> Fix | None:
        site = self.comparison.site
        x = self.compared(place)
        framework = self.framework(place)
        name = function_for("isnan", framework)
        function = place.spell(name) if name is not None else None
        if x is None or site is None or function is None:
            return display("isnan(x)", "test for it with `isnan`")
        text = f"{function}({place.argument(x)})"
        if self.comparison.op == "ne":
            negation = place.spell(NOT[framework]) if framework in NOT else None
            if framework in NOT and negation is None:
                return None
            text = f"{negation}({text})" if negation else f"~{text}"
        return place.fix(Applicability.UNSAFE, [place.put(site, text)], text)

    def compared(self, place: Place) -> ast.expr | None:
        """The expression that is compared with NaN."""
        site = self.comparison.site
        if isinstance(site, ast.Compare):
            sides = [site.left, *site.comparators]
            on_the_right = (self.comparison["a"] is not self.x) is not ("mirrored" in self.comparison.attrs)
            return sides[on_the_right] if len(sides) == 2 else None
        written = place.written(self.comparison)
        if written is None or not written.only("a", "b"):
            return None
        return written.operand("a" if self.comparison["a"] is self.x else "b")

    def framework(self, place: Place) -> str:
        """The framework of the array, else of the comparison, else the one whose NaN it is compared with."""
        for node in (self.x, self.comparison):
            if place.facts.gradient.framework(node) is not None:
                return place.at(node).framework
        written = place.file.imports.dotted(self.nan.site) if isinstance(self.nan.site, ast.Attribute) else None
        return (written or "").partition(".")[0]
