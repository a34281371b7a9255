"""Means of what may be empty, deviations of what may be a single number."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from nanlint.diagnostic import Applicability, Edit, Fix
from nanlint.fixes.place import Place, display
from nanlint.fixes.reading import Written, is_number
from nanlint.fixes.text import one_line
from nanlint.graph.node import Node
from nanlint.ops.frameworks import TRACERS

#: how it is asked whether there are any elements
COUNT = {"torch": "x.numel()", "jax": "x.size", "numpy": "x.size"}


@dataclass(frozen=True)
class SumIfEmpty:
    """x.mean() as x.mean() if x.numel() else x.sum(). Safe: 0 for no elements, the same numbers for any.

    TensorFlow has no such choice in a graph: there it is the sum over the count, which may overflow in float16. Unsafe;
    and in PyTorch, where what traces a function knows no count. Only shown where the project traces any.
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
        edits = [*found[1], place.put(written.call, text)]
        if place.framework in (*TRACERS, "tensorflow"):
            return branching(place, edits, text)
        return place.fix(Applicability.SAFE, edits, text)

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
class DeviationOfSeveral:
    """The deviation of all elements only where there are several. Unsafe: many take another number for a single one.

    Of a single one the deviation is 0. Along an axis, for display: without correction it is smaller by a factor of
    sqrt(1 - 1/n).
    """

    deviation: Node

    def rewrite(self, place: Place) -> Iterator[Fix]:
        place = place.at(self.deviation)
        written = place.written(self.deviation)
        if written is None:
            return
        x = written.operand("x")
        if x is not None and written.only("x", "ddof") and place.framework in COUNT:
            several = f"{COUNT[place.framework]} > 1"
            found = place.named(x, "values")
            # a zero without a gradient could not be differentiated
            none = "0 * x.sum()" if written.receiver is not None else "0 * sum(x)"
            call = place.with_operand(x, found[0], written.call) if found is not None else None
            text = place.write(f"call if {several} else {none}", call=call, x=found[0]) if found and call else None
            if found is not None and text is not None:
                yield branching(place, [*found[1], place.put(written.call, text)], text)
                return
        given = written.operand("ddof")
        if given is None and place.framework != "torch":
            return
        plain = "0" if is_number(given, 1) and not isinstance(given.value, bool) else "False"
        changed, more = ({id(given): plain}, []) if given is not None else ({}, ["unbiased=False"])
        text = place.call(written.call, place.text(written.call.func), changed, more=more)
        message = f"use `{text}`: the result is smaller by a factor of sqrt(1 - 1/n), and 0 for one element"
        yield display(text, message)


def branching(place: Place, edits: Sequence[Edit], text: str) -> Fix:
    """A fix that branches on how many elements there are; only shown where the project traces functions."""
    said = f"replace with `{one_line(text)}`"
    if place.framework in TRACERS:
        if place.file.mentions(TRACERS[place.framework]):
            return display(text, f"consider `{one_line(text)}`, where nothing traces this function")
        said += ": it branches on the number of elements, which torch.export and fullgraph cannot trace"
    return place.fix(Applicability.UNSAFE, edits, text, said)
