"""Norms, deviations and angles whose gradient is finite where they are 0, and whose values stay."""

from __future__ import annotations

import ast
from dataclasses import dataclass, replace

from nanlint.diagnostic import Applicability, Edit, Fix
from nanlint.fixes.place import Place, display
from nanlint.fixes.reading import Written
from nanlint.graph.node import Node
from nanlint.ops.arithmetic import DIFFERENTIABLE

#: the variance beside a deviation, by the last part of its name
VARIANCE = {"std": "var", "nanstd": "nanvar", "reduce_std": "reduce_variance"}


def named(place: Place, e: ast.expr, *names: str) -> tuple[str, list[Edit]] | None:
    """An expression as a name to repeat, with the assignment that makes it one where it is not short."""
    if place.repeatable(e):
        return place.argument(e), []
    found = place.hoisted(e, *names)
    if found is not None:
        return found[0], [found[1]]
    return (place.argument(e), []) if place.pure(e) and place.cheap(e) else None


def safety(place: Place, quotient: Node | None) -> Applicability:
    """Whether a length that is not 0 where it was changes nothing but nan in what is divided by it."""
    safe = quotient is None or place.facts.normalises(quotient)
    return Applicability.SAFE if safe else Applicability.UNSAFE


#: frameworks in which a norm has no finite slope at 0, as the catalogue has it (``reductions.ROOT_OF_SQUARES``)
DIVERGING = DIFFERENTIABLE - {"torch"}


@dataclass(frozen=True)
class SafeNorm:
    """norm(x) of an x that is replaced by ones where it is the zero vector, and 0 there.

    ``quotient``: it is only divided by, as there, and so not 0, but the norm of ones. Unsafe where that is no
    normalisation: an infinity becomes a number.
    """

    norm: Node
    quotient: Node | None = None

    def rewrite(self, place: Place) -> Fix | None:
        place = place.at(self.norm)
        written = place.written(self.norm)
        anything = place.function("any") if place.framework in DIVERGING else None
        x = written.operand("x") if written is not None else None
        if written is None or x is None or anything is None:
            return None
        found = named(place, x, "difference", "vector")
        nonzero = place.comparison(found[0] if found else "vector", "!=")
        if nonzero is None:
            return None
        axes, kept = self.axes(place, written)
        inner = f"{anything}({nonzero}{axes}{', keepdims=True' if axes else ''})"
        outer = f"{anything}({nonzero}{axes}{kept if axes else ''})"
        like = found[0] if found else "vector"
        safe = place.selection(inner, like, "1.0", like)
        if safe is None:
            return None
        call = f"{place.text(written.call.func)}({place.arguments(written.call, {id(x): safe})})"
        text = call if self.quotient is not None else self.selected(place, outer, call, like)
        if found is None or text is None:
            return display(text or call)
        return place.fix(safety(place, self.quotient), [*found[1], place.put(written.call, text)], text)

    def axes(self, place: Place, written: Written) -> tuple[str, str]:
        """The axis and whether it is kept, as arguments of a reduction."""
        axis = written.operand("axis")
        kept = next((written.arguments[k] for k in ("keepdims", "keepdim") if k in written.arguments), None)
        return (
            f", axis={place.argument(axis)}" if axis is not None else "",
            f", keepdims={place.argument(kept)}" if kept is not None else "",
        )

    def selected(self, place: Place, cond: str, call: str, like: str) -> str | None:
        """The norm, and 0 where ``cond`` is not. TensorFlow has no number of any dtype: there it is a product."""
        if place.framework != "tensorflow":
            return place.selection(cond, call, "0.0", like)
        cast = place.spell("tensorflow.cast")
        return f"{call} * {cast}({cond}, {like}.dtype)" if cast is not None and like.isidentifier() else None


@dataclass(frozen=True)
class SafeStd:
    """std(x) as the root of var(x), with a double where.

    ``quotient``: it is only divided by, as there, and so 1 where it was 0. Unsafe where that is no normalisation.
    """

    std: Node
    quotient: Node | None = None

    def rewrite(self, place: Place) -> Fix | None:
        place = place.at(self.std)
        written = place.written(self.std)
        sqrt = place.function("sqrt") if place.framework in DIVERGING else None
        if written is None or sqrt is None:
            return None
        variance = self.variance(place, written)
        hoisted = place.hoisted(written.call, "variance", "squared")
        test = place.comparison("variance" if hoisted is None else hoisted[0], "!=")
        if variance is None or test is None:
            return None
        name = hoisted[0] if hoisted is not None else "variance"
        inner = place.selection(test, name, "1.0", name)
        text = (
            f"{sqrt}({inner})" if self.quotient is not None else place.selection(test, f"{sqrt}({inner})", "0.0", name)
        )
        if text is None or inner is None:
            return None
        if hoisted is None:
            return display(text)
        _, _, indent = hoisted[1].content.rpartition("\n")
        assignment = replace(hoisted[1], content=f"{name} = {variance}\n{indent}")
        return place.fix(safety(place, self.quotient), [assignment, place.put(written.call, text)], text)

    def variance(self, place: Place, written: Written) -> str | None:
        """The same call of the function that gives the variance."""
        arguments = place.arguments(written.call)
        if written.receiver is not None:
            return f"{place.primary(written.receiver)}.var({arguments})"
        module, _, name = (written.function or "").rpartition(".")
        function = place.spell(f"{module}.{VARIANCE[name]}") if name in VARIANCE else None
        return f"{function}({arguments})" if function is not None else None


@dataclass(frozen=True)
class OffOrigin:
    """atan2(y, x) with 1 in the place of x at the origin. Unsafe: atan2(0, -0.0), which was π, becomes 0."""

    angle: Node

    def rewrite(self, place: Place) -> Fix | None:
        place = place.at(self.angle)
        written = place.written(self.angle)
        y, x = (written.operand("a"), written.operand("b")) if written is not None else (None, None)
        if y is None or x is None:
            return None
        tests = [place.comparison(place.compared(e), "==") for e in (y, x)]
        if None in tests:
            return None
        both = place.spell("tensorflow.logical_and") if place.framework == "tensorflow" else None
        cond = f"{both}({tests[0]}, {tests[1]})" if both else f"({tests[0]}) & ({tests[1]})"
        text = place.selection(cond, "1.0", place.argument(x), place.argument(x))
        if text is None:
            return None
        if not all(place.pure(e) and place.cheap(e) for e in (y, x)):
            return display(text)
        message = f"use `{text}`: the angle at the origin is 0, also at -0.0"
        return place.fix(Applicability.UNSAFE, [place.put(x, text)], text, message)
