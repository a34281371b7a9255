"""Means of what may be empty, deviations of what may be a single number."""

from __future__ import annotations

from dataclasses import dataclass

from nanlint.diagnostic import Applicability, Fix
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
    """The deviation of all elements, 0 where there is one. Unsafe: many take another number for it.

    Along an axis, for display: without correction it is smaller by a factor of sqrt(1 - 1/n).
    """

    deviation: Node

    def rewrite(self, place: Place) -> Fix | None:
        place = place.at(self.deviation)
        written = place.written(self.deviation)
        if written is None:
            return None
        x = written.operand("x")
        found = place.named(x, "values") if x is not None and written.only("x", "ddof") else None
        if x is not None and found is not None and place.framework in COUNT:
            call = place.with_operand(x, found[0], written.call)
            total = "x.sum()" if written.receiver is not None else "sum(x)"
            text = place.write(f"call if {COUNT[place.framework]} > 1 else 0 * {total}", call=call, x=found[0])
            return place.fix(Applicability.UNSAFE, [*found[1], place.put(written.call, text)], text) if text else None
        given = written.operand("ddof")
        if given is None and place.framework != "torch":
            return None
        plain = "0" if is_number(given, 1) and not isinstance(given.value, bool) else "False"
        changed, more = ({id(given): plain}, []) if given is not None else ({}, ["unbiased=False"])
        text = place.call(written.call, place.text(written.call.func), changed, more=more)
        message = f"use `{text}`: the result is smaller by a factor of sqrt(1 - 1/n), and 0 for one element"
        return display(text, message)
