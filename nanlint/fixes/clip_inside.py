"""A bound that keeps an operand strictly inside of a domain, at whose ends an op or its derivative is infinite."""

from __future__ import annotations

import ast
from dataclasses import dataclass

from nanlint.analysis.epsilons import LOGARITHMS
from nanlint.diagnostic import Applicability, Fix
from nanlint.fixes.bounds import BOUND, margin, root_bound, smallest
from nanlint.fixes.place import Place, display
from nanlint.fixes.reading import is_number
from nanlint.graph.node import Node
from nanlint.ops.frameworks.training import PLAIN

ROOTS = frozenset({"sqrt", "pow", "cbrt"})
#: the ends of the domain of an op, where they are not -1 and 1
ENDS = {"logit": ("0", "1"), "ndtri": ("0", "1"), "acosh": ("1", "")}
#: ops that are numbers at the ends of their domain
FINITE = frozenset({"acos", "asin", "acosh"})


@dataclass(frozen=True)
class ClipInside:
    """The operand of an inverse function, clipped.

    Safe where there are no gradients, and the ends themselves are finite: a clip to [-1, 1] changes what was NaN.
    Unsafe elsewhere: what is nearer to an end than the margin moves, and gets no gradient.
    """

    node: Node
    operand: Node

    def rewrite(self, place: Place) -> Fix | None:
        place = place.at(self.node)
        written = place.written(self.node)
        x = written.operand("x") if written is not None else None
        if written is None or x is None:
            return None
        ends_are_finite = place.framework in PLAIN and self.node.op in FINITE
        by = margin(place, self.operand)
        low, high = ENDS.get(self.node.op, ("-1", "1"))
        if not ends_are_finite:
            low, high = (by if low == "0" else f"{low} + {by}"), (f"{high} - {by}" if high else "")
        template = "clamp(x, low, high)" if high else "clamp(x, min=low)"
        text = place.write(template, x=x, low=low, high=high)
        if text is None:
            return None
        if not ends_are_finite and place.facts.means_infinity(self.node):
            return display(text)
        message = f"clip to `{text}`" + ("" if ends_are_finite else f": within {by} of the end the gradient is 0")
        safety = Applicability.SAFE if ends_are_finite else Applicability.UNSAFE
        return place.fix(safety, [place.put(x, text)], text, message)


@dataclass(frozen=True)
class RaiseBound:
    """A clamp whose bound is the singular point itself gets one just inside, or what it gives is clipped.

    Unsafe: what lies between them moves.
    """

    node: Node
    clamp: Node
    operand: Node

    def rewrite(self, place: Place) -> Fix | None:
        at = place.at(self.clamp)
        written = at.written(self.clamp)
        if written is None:
            return self.instead(place)
        edits, shown = [], ""
        for name, operand in written.spelling.operands.items():
            bound = written.arguments.get(operand)
            text = self.inside(place, bound) if bound is not None and name != "x" else None
            if bound is not None and text is not None:
                edits.append(place.put(bound, text))
                shown = text
        if not edits:
            return self.instead(place)
        if place.facts.means_infinity(self.node):
            return display(shown, f"consider `{shown}` as the bound: {self.change(place, shown)}")
        return place.fix(Applicability.UNSAFE, edits, shown, f"clip further inside: {self.change(place, shown)}")

    def instead(self, place: Place) -> Fix | None:
        """Where no number can be raised: a clip of the operand."""
        return ClipInside(self.node, self.operand).rewrite(place) if self.node.op in (*FINITE, *ENDS, "atanh") else None

    def inside(self, place: Place, bound: ast.expr) -> str | None:
        """The bound in the place of one at the singular point; None for any other."""
        sign, number = (-1, bound.operand) if isinstance(bound, ast.UnaryOp) else (1, bound)
        if isinstance(bound, ast.UnaryOp) and not isinstance(bound.op, ast.USub):
            return None
        if self.node.op in ("acos", "asin", "atanh", "acosh"):
            if not is_number(number, 1):
                return None
            by = margin(place, self.clamp)
            outward = self.node.op == "acosh"
            return f"1 + {by}" if outward else f"-1 + {by}" if sign < 0 else f"1 - {by}"
        if not is_number(number, 0):
            return None
        if self.node.op in ROOTS:
            return root_bound(place, self.clamp)
        return f"{smallest(place, self.clamp):.0e}" if self.node.op in LOGARITHMS else BOUND

    def change(self, place: Place, bound: str) -> str:
        """What becomes of values between the old bound and the new one."""
        return f"values between the old bound and `{bound}` become `{bound}`, with gradient 0"
