"""An expression becomes its stable form: a template, filled with the operands that stand in it."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import dataclass

from nanlint.diagnostic import Applicability, Edit, Fix
from nanlint.fixes.place import Place, display
from nanlint.graph.node import Node


@dataclass(frozen=True)
class Rewrite:
    """One of ``forms`` (see there) in the place of an expression of ``operands``; ``node`` is what it computes.

    Only shown where something else stands in the expression (a cast, an argument that the form has no place for).
    Unsafe where it would make the file depend on SciPy.
    """

    node: Node
    forms: Mapping[str, str]
    operands: Mapping[str, Node]
    applicability: Applicability = Applicability.SAFE

    def rewrite(self, place: Place) -> Fix | None:
        place = place.at(self.node)
        form = self.forms.get(place.framework, self.forms[""])
        found = place.operands(*self.operands.values()) if form else None
        if found is None or not isinstance(place.site, ast.expr):
            sites = {name: n.site for name, n in self.operands.items() if isinstance(n.site, ast.expr)}
            return place.shown(form, **sites) if form else None
        operands: dict[str, ast.expr | str] = dict(zip(self.operands, found, strict=True))
        edits: list[Edit] = []
        names = [n.id for n in ast.walk(ast.parse(form)) if isinstance(n, ast.Name)]
        for name, e in zip(self.operands, found, strict=True):
            if names.count(name) < 2 or place.repeatable(e):
                continue
            hoisted = place.hoisted(e, name, f"{name}_value")
            if hoisted is None:
                return place.shown(form, **operands)
            operands[name] = hoisted[0]
            edits.append(hoisted[1])
        text = place.write(form, **operands)
        if text is None:
            return place.shown(form, **operands)
        changed = place.framework == "torch" and place.is_changed_in_place(*found)
        if self.applicability is Applicability.DISPLAY or changed:
            return display(text)
        return place.fix(place.without_scipy(self.applicability), [*edits, place.put(place.site, text)], text)
