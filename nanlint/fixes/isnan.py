"""A comparison with NaN becomes the test for it."""

from __future__ import annotations

import ast
from dataclasses import dataclass

from nanlint.diagnostic import Applicability, Fix
from nanlint.fixes.place import Place, display
from nanlint.graph.node import Node


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
        template = "~isnan(x)" if self.comparison.op == "ne" else "isnan(x)"
        text = place.write(template, framework, x=x) if x is not None else None
        if site is None or text is None:
            return display("isnan(x)", "test for it with `isnan`")
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
