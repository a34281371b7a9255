"""Means of what may be empty, deviations of what may be a single number."""

from __future__ import annotations

from dataclasses import dataclass

from nanlint.diagnostic import Applicability, Edit, Fix
from nanlint.fixes.place import Place, display
from nanlint.fixes.reading import Written, is_number
from nanlint.fixes.safe_root import named
from nanlint.graph.node import Node

#: how it is asked whether there are any elements
COUNT = {"torch": "{}.numel()", "jax": "{}.size", "numpy": "{}.size"}


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
        found = named(place, x, "selected", "chosen")
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
            functions = [place.spell(f"tensorflow.{f}") for f in ("math.divide_no_nan", "reduce_sum", "cast", "size")]
            if None in functions or not name.isidentifier():
                return None
            divide, total, cast, size = functions
            return f"{divide}({total}({name}), {cast}({size}({name}), {name}.dtype))"
        if place.framework not in COUNT:
            return None
        count = COUNT[place.framework].format(name)
        if written.receiver is not None:
            return f"{name}.mean() if {count} else {name}.sum()"
        total = place.spell({"torch": "torch.sum", "jax": "jax.numpy.sum", "numpy": "numpy.sum"}[place.framework])
        return f"{place.text(written.call.func)}({name}) if {count} else {total}({name})" if total is not None else None


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
            arguments = place.arguments(written.call)
            text = f"{place.text(written.call.func)}({arguments}{', ' if arguments else ''}unbiased=False)"
            edits.append(place.put(written.call, text))
        else:
            return None
        message = f"use `{text}`: the result is smaller by a factor of sqrt(1 - 1/n), and 0 for one element"
        return place.fix(Applicability.UNSAFE, edits, text, message, changes=True)
