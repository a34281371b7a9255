"""p * log(p) becomes p * where(log p is infinite, 0, log p)."""

from __future__ import annotations

import ast
from dataclasses import dataclass

from nanlint.diagnostic import Applicability, Fix
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
        a, b = (place.operand_of(self.product, name) for name in ("a", "b"))
        if a is None or b is None:
            return None
        infinite, zero = (a, b) if self.infinite is self.product["a"] else (b, a)
        if place.facts.value(self.infinite).constant is not None:
            return None
        if self.product.op == "mul_no_nan":
            return self.product_of(place, infinite, zero)
        found = place.named(infinite, "log_probs", "finite", "factor")
        text = place.write("where(isinf(x), 0.0, x)", x=found[0]) if found is not None else None
        if found is None or text is None:
            return self.hint(place) if found is None else None
        return place.fix(Applicability.SAFE, [*found[1], place.put(infinite, text)], text)

    def product_of(self, place: Place, infinite: ast.expr, zero: ast.expr) -> Fix | None:
        """``p * where(p == 0, 0, x)``: what multiply_no_nan is, with a gradient that is finite."""
        x, p = place.named(infinite, "factor", "factor_"), place.named(zero, "probs", "probs_")
        if x is None or p is None:
            return self.hint(place)
        text = place.write("p * where(p == 0, 0.0, x)", x=x[0], p=p[0])
        if text is None:
            return None
        return place.fix(Applicability.SAFE, [*x[1], *p[1], place.put(place.site, text)], text)

    def hint(self, place: Place) -> Fix | None:
        """What a person would write."""
        text = place.write("probs * where(probs == 0, 0.0, log_probs)")
        return display(text) if text is not None else None
