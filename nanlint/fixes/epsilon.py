"""An epsilon that does nothing becomes one that counts: larger, added, or inside."""

from __future__ import annotations

import ast
from dataclasses import dataclass

from nanlint.analysis.epsilons import Epsilon
from nanlint.diagnostic import Applicability, Edit, Fix, Span
from nanlint.fixes.place import Place, display
from nanlint.graph.node import Node


@dataclass(frozen=True)
class MendEpsilon:
    """The epsilon made large enough, added in the place of subtracted or multiplied, or moved before the logarithm.

    Unsafe: it changes values then.
    """

    epsilon: Epsilon

    def rewrite(self, place: Place) -> Fix | None:
        one = self.epsilon
        if one.flaw in ("rounds to 0", "rounds to 1"):
            return self.enlarged(place)
        site = one.place.site
        if not isinstance(site, ast.BinOp):
            return None
        edits = self.inside(place, site) if one.flaw == "too late" else self.added(place, site)
        if edits is None:
            return None
        shown = place.after(edits)
        multiplied = isinstance(site.op, ast.Mult)
        return place.fix(Applicability.UNSAFE, edits, shown, changes=multiplied)

    def enlarged(self, place: Place) -> Fix | None:
        """The literal replaced by the least power of ten that counts."""
        one = self.epsilon
        literal = next(iter(literals(one.number.site)), None)
        what = f"values within {one.enough} of the singular point change by about that much"
        scope = place.file.outline.function
        if literal is None or scope(literal) is not scope(place.site):
            return display(one.enough, f"an epsilon of {one.enough} has an effect: {what}")
        edit = place.put(literal, one.enough)
        return place.fix(Applicability.UNSAFE, [edit], one.enough, f"replace with `{one.enough}`: {what}")

    def added(self, place: Place, site: ast.BinOp) -> list[Edit] | None:
        """x - eps and x * eps as x + eps."""
        x, eps = (site.left, site.right) if self.epsilon.number.site is not site.left else (site.right, site.left)
        if isinstance(x, (ast.IfExp, ast.Lambda, ast.NamedExpr)):
            return None
        return [place.put(site, f"{place.text(x)} + {place.text(eps)}")]

    def inside(self, place: Place, site: ast.BinOp) -> list[Edit] | None:
        """log(x) + eps as log(x + eps)."""
        log = place.written(self.log)
        x = log.operand("x") if log is not None else None
        if log is None or x is None or log.call not in (site.left, site.right):
            return None
        eps = site.right if log.call is site.left else site.left
        inner = (
            f"({place.text(x)} + {place.text(eps)})" if log.receiver is x else f"{place.text(x)} + {place.text(eps)}"
        )
        whole, call = place.span(site), place.span(log.call)
        before = Span(whole.row, whole.column, call.row, call.column)
        after = Span(call.end_row, call.end_column, whole.end_row, whole.end_column)
        cut = [Edit(span, "") for span in (before, after) if place.file.source.segment(span)]
        return [*cut, place.put(x, inner)]

    @property
    def log(self) -> Node:
        """The logarithm that the epsilon comes after."""
        return self.epsilon.other


def literals(site: ast.AST | None) -> list[ast.Constant]:
    """The small number in ``1 - 1e-8``, ``-1 + 1e-8`` or ``1e-8``."""
    if isinstance(site, ast.Constant) and isinstance(site.value, float) and site.value < 0.5:
        return [site]
    if isinstance(site, ast.BinOp) and isinstance(site.op, (ast.Add, ast.Sub)):
        return [*literals(site.left), *literals(site.right)]
    return []
