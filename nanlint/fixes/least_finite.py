"""where(mask, x, -inf) becomes where(mask, x, least finite number)."""

from __future__ import annotations

from dataclasses import dataclass

from nanlint.analysis.log_space import Masked
from nanlint.diagnostic import Applicability, Fix
from nanlint.fixes.finite_shift import least
from nanlint.fixes.place import Place, display


@dataclass(frozen=True)
class LeastFinite:
    """The -inf that a mask puts into logits, made finite. Safe: a softmax differs only where it was NaN."""

    masked: Masked

    def rewrite(self, place: Place) -> Fix | None:
        written = place.at(self.masked.node).written(self.masked.node)
        if written is None or self.masked.added:
            return None
        minus, x = (written.operand(k) for k in (("b", "a") if self.masked.second else ("a", "b")))
        if minus is None or x is None:
            return None
        bound = least(place, x)
        if bound is None:
            return None
        if not place.repeatable(x):
            return display(least(place, "logits") or bound)
        return place.fix(Applicability.SAFE, [place.put(minus, bound)], bound)
