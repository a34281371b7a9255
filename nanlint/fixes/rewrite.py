"""An expression becomes its stable form: a template for each framework, filled with the operands that stand in it.

In a template ``{x}`` is an operand as an argument, ``{-x}`` minus it, ``{*x}`` it as a factor; functions have their
full dotted names, and are written as the file writes them.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping
from dataclasses import dataclass

from nanlint.diagnostic import Applicability, Edit, Fix
from nanlint.fixes.place import Place, display
from nanlint.graph.node import Node

HOLE = re.compile(r"\{([-*]?)(\w+)\}")
FUNCTION = re.compile(r"\b(?:torch|tensorflow|keras|jax|numpy|scipy|math)(?:\.\w+)+")


@dataclass(frozen=True)
class Rewrite:
    """``templates`` (by framework) in the place of an expression of ``operands``; ``node`` is what it computes.

    Only shown where something else stands in the expression (a cast, an argument that the form has no place for).
    Unsafe where it would make the file depend on SciPy.
    """

    node: Node
    templates: Mapping[str, str]
    operands: Mapping[str, Node]
    applicability: Applicability = Applicability.SAFE

    def rewrite(self, place: Place) -> Fix | None:
        place = place.at(self.node)
        template = self.templates.get(place.framework)
        if template is None:
            return None
        spelled = self.spelled(place, template)
        if spelled is None:
            return None
        found = place.operands(*self.operands.values())
        if found is None:
            return display(self.filled(place, spelled, self.shown(place)))
        expressions = dict(zip(self.operands, found, strict=True))
        edits: list[Edit] = []
        named: dict[str, str] = {}
        for name, e in expressions.items():
            if sum(hole[2] == name for hole in HOLE.finditer(template)) < 2 or place.repeatable(e):
                continue
            hoisted = place.hoisted(e, name, f"{name}_value")
            if hoisted is None:
                return display(self.filled(place, spelled, expressions))
            named[name], insertion = hoisted
            edits.append(insertion)
        text = self.filled(place, spelled, expressions, named)
        needs_scipy = "scipy." in template and place.framework in ("numpy", "scipy") and not place.imports("scipy")
        applicability = Applicability.UNSAFE if needs_scipy else self.applicability
        if applicability is Applicability.DISPLAY or not isinstance(place.site, ast.expr):
            return display(text)
        if place.framework == "torch" and place.is_changed_in_place(*found):
            return display(text)
        return place.fix(applicability, [*edits, place.put(place.site, text)], text)

    def spelled(self, place: Place, template: str) -> str | None:
        """The template with the functions as the file writes them."""
        names = {name: place.spell(name) for name in FUNCTION.findall(template)}
        if None in names.values():
            return None
        return FUNCTION.sub(lambda match: str(names[match[0]]), template)

    def shown(self, place: Place) -> dict[str, ast.expr]:
        """The operands where each was first written, for reading."""
        return {name: n.site for name, n in self.operands.items() if isinstance(n.site, ast.expr)}

    def filled(
        self, place: Place, template: str, operands: Mapping[str, ast.expr], named: Mapping[str, str] | None = None
    ) -> str:
        """The template with its operands: their names where they were given one, else as they are written."""

        def fill(hole: re.Match[str]) -> str:
            sign, name = hole.groups()
            if named and name in named:
                return f"-{named[name]}" if sign == "-" else named[name]
            e = operands.get(name)
            if e is None:
                return f"-{name}" if sign == "-" else name
            return {"-": place.negated, "*": place.factor, "": place.argument}[sign](e)

        return HOLE.sub(fill, template)
