"""Means of what may be empty, deviations of what may be a single number."""

from __future__ import annotations

from dataclasses import dataclass

from nanlint.diagnostic import Applicability, Edit, Fix
from nanlint.fixes.place import Place, display
from nanlint.fixes.reading import Written, is_number
from nanlint.fixes.safe_root import named
from nanlint.graph.node import Node

#: how the number of elements is asked for
COUNT = {"torch": "{}.numel()", "jax": "{}.size", "numpy": "{}.size"}


@dataclass(frozen=True)
class SumOverCount:
    """x.mean() as x.sum() / max(x.numel(), 1). Safe: 0 for no elements, the same to rounding for any."""

    mean: Node

    def rewrite(self, place: Place) -> Fix | None:
        place = place.at(self.mean)
        written = place.written(self.mean)
        x = written.operand("x") if written is not None else None
        if written is None or x is None or not written.only("x"):
            return None
        found = named(place, x, "selected", "chosen")
        name = found[0] if found is not None else "selected"
        text = self.quotient(place, written, name)
        if text is None:
            return None
        if found is None:
            return display(text)
        return place.fix(Applicability.SAFE, [*found[1], place.put(written.call, text)], text)

    def quotient(self, place: Place, written: Written, name: str) -> str | None:
        """The sum over the count, in the style of the call."""
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
            return f"{name}.sum() / max({count}, 1)"
        total = place.spell({"torch": "torch.sum", "jax": "jax.numpy.sum", "numpy": "numpy.sum"}[place.framework])
        return f"{total}({name}) / max({count}, 1)" if total is not None else None


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
        message = f"use `{text}`: smaller by a factor of sqrt(1 - 1/n), and 0 for one element"
        return place.fix(Applicability.UNSAFE, edits, text, message)
