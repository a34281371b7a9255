"""x - max(x) becomes x - max(x) bounded by the least finite number, which leaves a row of -inf as it is."""

from __future__ import annotations

import ast
from dataclasses import dataclass

from nanlint.analysis.log_space import Shift
from nanlint.diagnostic import Applicability, Fix
from nanlint.fixes.place import Place


def least(place: Place, like: ast.expr | str) -> str | None:
    """The least finite number of the dtype of ``like``, as the framework writes it."""
    template = "like.dtype.min" if place.framework == "tensorflow" else "format_limits(like.dtype).min"
    return place.write(template, like=like)


@dataclass(frozen=True)
class FiniteShift:
    """The shift of a difference, no less than the least finite number. Safe: it differs where the result was NaN."""

    shift: Shift

    def rewrite(self, place: Place) -> Fix | None:
        place = place.at(self.shift.maximum)
        x, top = (place.operand_of(self.shift.difference, name) for name in ("a", "b"))
        if x is None or top is None or not place.repeatable(x):
            return None
        bound = least(place, x)
        text = place.write("clamp(top, min=bound)", top=top, bound=bound) if bound is not None else None
        if text is None:
            return None
        return place.fix(Applicability.SAFE, [place.put(top, text)], text)
