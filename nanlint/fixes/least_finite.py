"""where(mask, x, -inf) becomes where(mask, x, least finite number); so does what is -inf in half precision alone."""

from __future__ import annotations

from dataclasses import dataclass

from nanlint.analysis.log_space import Masked
from nanlint.diagnostic import Applicability, Fix
from nanlint.fixes.finite_shift import least
from nanlint.fixes.place import Place, display
from nanlint.graph.node import Node


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


@dataclass(frozen=True)
class LeastOfFormat:
    """A number below all that the format of an array has, made its least. Unsafe: what is scaled between is another."""

    product: Node
    number: str
    array: str

    def rewrite(self, place: Place) -> Fix | None:
        number, array = (place.operand_of(self.product, name) for name in (self.number, self.array))
        if number is None or array is None or (place.facts.value(self.product[self.number]).constant or 0) > 0:
            return None
        named = place.named(array, "hidden", "masked")
        text = least(place, named[0]) if named is not None else None
        if named is None or text is None:
            return None
        message = f"replace with `{text}`, the least number of its format"
        return place.fix(
            Applicability.UNSAFE,
            [*named[1], place.put(array, named[0]), place.put(number, text)],
            text,
            message,
            changes=True,
        )
