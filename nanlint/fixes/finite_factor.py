"""p * log(p) becomes p * where(log p is infinite, 0, log p)."""

from __future__ import annotations

import ast
from dataclasses import dataclass

from nanlint.diagnostic import Applicability, Edit, Fix
from nanlint.fixes.place import Place, display
from nanlint.graph.node import Node


@dataclass(frozen=True)
class FiniteFactor:
    """The infinite factor of ``product``, 0 where it is infinite; of a multiply_no_nan, where the other one is 0.

    Safe: an infinite factor of a product that is finite there does not exist, and where a softmax or exp is 0 its slope
    is.
    """

    product: Node
    infinite: Node
    zero: Node

    def rewrite(self, place: Place) -> Fix | None:
        site = place.site
        written = place.written(self.product)
        if isinstance(site, ast.BinOp) and isinstance(site.op, ast.Mult):
            a, b = site.left, site.right
        elif (
            written is not None and (x := written.operand("a")) is not None and (y := written.operand("b")) is not None
        ):
            a, b = x, y
        else:
            return None
        infinite, zero = (a, b) if self.infinite is self.product["a"] else (b, a)
        if place.facts.value(self.infinite).constant is not None:
            return None
        if self.product.op == "mul_no_nan":
            return self.product_of(place, infinite, zero)
        edits: list[Edit] = []
        name = place.argument(infinite)
        if not place.repeatable(infinite):
            hoisted = place.hoisted(infinite, "log_probs", "finite", "factor")
            if hoisted is None:
                return self.hint(place)
            name, insertion = hoisted
            edits.append(insertion)
        test = place.function("isinf")
        text = place.selection(f"{test}({name})", "0.0", name, name) if test is not None else None
        if text is None:
            return None
        return place.fix(Applicability.SAFE, [*edits, place.put(infinite, text)], text)

    def product_of(self, place: Place, infinite: ast.expr, zero: ast.expr) -> Fix | None:
        """``p * where(p == 0, 0, x)``: what multiply_no_nan is, with a gradient that is finite."""
        edits: list[Edit] = []
        names = []
        for e, wanted in ((infinite, "factor"), (zero, "probs")):
            if isinstance(e, ast.Name):
                names.append(e.id)
                continue
            hoisted = place.hoisted(e, wanted, f"{wanted}_")
            if hoisted is None:
                return self.hint(place)
            names.append(hoisted[0])
            edits.append(hoisted[1])
        x, p = names
        test = place.comparison(p, "==")
        selected = place.selection(test, "0.0", x, x) if test is not None else None
        if selected is None:
            return None
        text = f"{p} * {selected}"
        return place.fix(Applicability.SAFE, [*edits, place.put(place.site, text)], text)

    def hint(self, place: Place) -> Fix | None:
        """What a person would write."""
        text = place.selection("probs == 0", "0.0", "log_probs", "log_probs")
        return display(f"probs * {text}") if text is not None else None
