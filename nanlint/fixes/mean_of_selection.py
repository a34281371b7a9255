"""Means of what may be empty, deviations of what may be a single number."""

from __future__ import annotations

import ast
from collections.abc import Iterator
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
class DeviationOfSeveral:
    """The deviation of all elements only where there are several. Unsafe: many take another number for a single one.

    What becomes of a variable by its own deviation is left out for a single element; elsewhere the deviation is 0.
    Along an axis, for display: without correction it is smaller by a factor of sqrt(1 - 1/n).
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
            if (left_out := self.left_out(place, x, several)) is not None:
                yield left_out
            found = place.named(x, "values")
            # a zero without a gradient could not be differentiated
            none = "0 * x.sum()" if written.receiver is not None else "0 * sum(x)"
            call = place.with_operand(x, found[0], written.call) if found is not None else None
            text = place.write(f"call if {several} else {none}", call=call, x=found[0]) if found and call else None
            if found is not None and text is not None:
                yield place.fix(Applicability.UNSAFE, [*found[1], place.put(written.call, text)], text)
                return
        given = written.operand("ddof")
        if given is None and place.framework != "torch":
            return
        plain = "0" if is_number(given, 1) and not isinstance(given.value, bool) else "False"
        changed, more = ({id(given): plain}, []) if given is not None else ({}, ["unbiased=False"])
        text = place.call(written.call, place.text(written.call.func), changed, more=more)
        message = f"use `{text}`: the result is smaller by a factor of sqrt(1 - 1/n), and 0 for one element"
        yield display(text, message)

    def left_out(self, place: Place, x: ast.expr, several: str) -> Fix | None:
        """``if several: x = ...`` in the place of a statement that assigns x anew by its deviation."""
        statement = place.file.outline.statement(x)
        target = statement.targets[0] if isinstance(statement, ast.Assign) and len(statement.targets) == 1 else None
        test = place.write(several, x=x)
        if statement is None or test is None or not isinstance(target, ast.Name) or place.text(x) != target.id:
            return None
        edit = place.under(f"if {test}:", statement)
        message = f"leave a single element as it is: `if {test}:`"
        return place.fix(Applicability.UNSAFE, [edit], f"if {test}: ...", message) if edit is not None else None
