"""Means of what may be empty, deviations of what may be a single number."""

from __future__ import annotations

from dataclasses import dataclass

from nanlint.diagnostic import Applicability, Edit, Fix
from nanlint.fixes.place import Place, display
from nanlint.fixes.reading import Written, is_number
from nanlint.graph.node import Node

#: how it is asked whether there are any elements
COUNT = {"torch": "x.numel()", "jax": "x.size", "numpy": "x.size"}


@dataclass(frozen=True)
class SumIfEmpty:
    """x.mean() as x.mean() if x.numel() else x.sum(). Safe: 0 for no elements, the same numbers for any.

    TensorFlow has no such choice in a graph: there it is the sum over the count, which may overflow in float16. Unsafe.
    """

    mean: Node

    def rewrite(self, place: Place) -> Fix | None:
        place = place.at(self.mean)
        written = place.written(self.mean)
        x = written.operand("x") if written is not None else None
        if written is None or x is None or not written.only("x"):
            return None
        found = place.named(x, "selected", "chosen")
        name = found[0] if found is not None else "selected"
        text = self.chosen(place, written, name)
        if text is None:
            return None
        if found is None:
            return display(text)
        applicability = Applicability.UNSAFE if place.framework == "tensorflow" else Applicability.SAFE
        return place.fix(applicability, [*found[1], place.put(written.call, text)], text)

    def chosen(self, place: Place, written: Written, name: str) -> str | None:
        """The mean, or the sum of nothing, in the style of the call."""
        if place.framework == "tensorflow":
            count = "tensorflow.cast(tensorflow.size(x), x.dtype)"
            return (
                place.write(f"tensorflow.math.divide_no_nan(sum(x), {count})", x=name) if name.isidentifier() else None
            )
        if place.framework not in COUNT:
            return None
        count = COUNT[place.framework]
        if written.receiver is not None:
            return place.write(f"x.mean() if {count} else x.sum()", x=name)
        return place.write(f"mean_(x) if {count} else sum(x)", x=name, mean_=written.call.func)


@dataclass(frozen=True)
class BiasedDeviation:
    """The deviation without correction. Unsafe: smaller by a factor of sqrt(1 - 1/n)."""

    deviation: Node

    def rewrite(self, place: Place) -> Fix | None:
        place = place.at(self.deviation)
        written = place.written(self.deviation)
        if written is None:
            return None
        given = written.operand("ddof")
        edits: list[Edit] = []
        if given is not None:
            plain = "0" if is_number(given, 1) and not isinstance(given.value, bool) else "False"
            edits.append(place.put(given, plain))
            text = plain
        elif place.framework == "torch":
            text = place.call(written.call, place.text(written.call.func), more=["unbiased=False"])
            edits.append(place.put(written.call, text))
        else:
            return None
        message = f"use `{text}`: the result is smaller by a factor of sqrt(1 - 1/n), and 0 for one element"
        return place.fix(Applicability.UNSAFE, edits, text, message, changes=True)
