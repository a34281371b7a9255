"""Roots, norms, deviations and angles whose gradient is finite where they are 0, and whose values stay."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from nanlint.analysis.structure import bare, square_root_of
from nanlint.diagnostic import Applicability, Fix
from nanlint.fixes.bounds import root_bound
from nanlint.fixes.place import Place, display
from nanlint.fixes.reading import Written, is_number
from nanlint.fixes.template import has_names
from nanlint.fixes.template import written as written_as
from nanlint.graph.node import Node
from nanlint.ops.arithmetic import DIFFERENTIABLE
from nanlint.ops.value import NEVER, POSSIBLE

#: the variance beside a deviation, by the last part of its name
VARIANCE = {"std": "var", "nanstd": "nanvar", "reduce_std": "reduce_variance"}
#: frameworks in which a norm has no finite slope at 0, as the catalogue has it (``reductions.ROOT_OF_SQUARES``)
DIVERGING = DIFFERENTIABLE - {"torch"}


def safety(place: Place, quotient: Node | None) -> Applicability:
    """Whether a length that is not 0 where it was changes nothing but nan in what is divided by it."""
    safe = quotient is None or place.facts.normalises(quotient)
    return Applicability.SAFE if safe else Applicability.UNSAFE


def bounded(place: Place, node: Node, x: ast.expr) -> Iterator[Fix]:
    """The radicand with a small lower bound, or a little more where it is never negative, as most write it.

    Unsafe: what is below the bound moves, without a gradient.
    """
    by = root_bound(place, node)
    changes = has_names(by)
    text = place.write("clamp(x, min=by)", x=x, by=by)
    if not place.is_array_of(node, place.framework):
        if text is not None:
            yield display(text)
        return
    if text is not None:
        message = f"clamp it: `{text}`; below the bound the gradient is 0"
        yield place.fix(Applicability.UNSAFE, [place.put(x, text)], text, message, style="epsilon", changes=changes)
    if place.facts.value(node).lo >= 0:
        edits, message = [place.plus(x, by)], f"add `{by}`, so that the gradient stays finite"
        yield place.fix(Applicability.UNSAFE, edits, place.after(edits), message, style="epsilon", changes=changes)


@dataclass(frozen=True)
class SafeRoot:
    """sqrt(x), or a power of x, of an x that is replaced by 1 where it is 0, and 0 there.

    Safe: no value changes that was finite, no gradient but those that were not; NaN stays NaN where x is never
    negative. In PyTorch a root of a sum of squares is a norm, which has a slope of 0 at 0. ``value``: the op itself
    is infinite there, or nan below, and only a bound helps.
    """

    node: Node
    operand: Node
    value: bool = False

    def rewrite(self, place: Place) -> Iterator[Fix]:
        place = place.at(self.node)
        x = place.hazardous(self.node)
        if x is None or not isinstance(place.site, ast.expr):
            return
        if (norm := self.norm(place)) is not None:
            yield norm
        exact = self.exact(place, x) if not self.value else None
        if exact is not None and len(exact.edits) == 1:
            yield exact
        if self.node.op == "sqrt" and not self.value and (helped := self.helped(place, x)) is not None:
            yield helped
        if self.keeps_value(place):
            yield from bounded(place, self.operand, x)
        if exact is not None:
            yield exact

    def norm(self, place: Place) -> Fix | None:
        """PyTorch's norm in the place of a root of a sum of squares."""
        total = place.written(bare(self.operand)) if self.node.op == "sqrt" and place.framework == "torch" else None
        inner, site = place.hazardous(self.node), self.node.site
        summed = total.operand("x") if total is not None and total.spelling.op == "sum" else None
        root = square_root_of(bare(self.operand)["x"]) if summed is not None else None
        if total is None or summed is None or root is None or inner is None or not isinstance(site, ast.expr):
            return None
        x = place.read(summed, bare(self.operand)["x"], root)
        if not x or place.resolved(inner) is not total.call:
            return None
        rest = {name: e for name, e in total.arguments.items() if e is not total.operand("x")}
        if not rest.keys() <= {"dim", "keepdim"} or not all(place.means_the_same(e, site) for e in rest.values()):
            return None
        given = "".join(f", {name}={name}" for name in rest)
        text = place.write(f"torch.linalg.vector_norm(x{given})", x=x[0], **rest)
        if text is None or place.is_changed_in_place(*x):
            return None
        return place.fix(Applicability.SAFE, [place.put(site, text)], text, style="exact")

    def exact(self, place: Place, x: ast.expr) -> Fix | None:
        """The op where the operand is not 0, and 0 where it is."""
        named = place.named(x, "radicand", "squared", "operand")
        test = ">" if place.facts.value(self.operand).neg >= POSSIBLE else "!="
        name = named[0] if named is not None else "x"
        inner = place.write(f"where(x {test} 0, x, 1.0)", x=name)
        if inner is None:
            return None
        again = place.with_operand(x, inner)
        text = place.write(f"where(x {test} 0, root, 0.0)", x=name, root=again)
        if text is None:
            return None
        if named is None or not self.keeps_value(place) or not self.takes_tensors(place):
            return display(text)
        return place.fix(Applicability.SAFE, [*named[1], place.put(place.site, text)], text, style="exact")

    def helped(self, place: Place, x: ast.expr) -> Fix | None:
        """A root of the file's own, which is finite at 0."""
        root = place.write("where(is_zero, 0.0, sqrt(where(is_zero, 1.0, x)))", is_zero="is_zero", x="x")
        body = (f"is_zero = {place.write('x == 0', x='x')}", f"return {root}")
        made = place.helper("_safe_sqrt", "The square root of x, with a gradient of 0 where x is 0.", *body)
        site = place.site
        if made is None or root is None or not self.takes_tensors(place) or not isinstance(site, ast.expr):
            return None
        text = f"_safe_sqrt({place.text(x)})"
        return place.fix(Applicability.SAFE, [*made, place.put(site, text)], text, style="helper")

    def takes_tensors(self, place: Place) -> bool:
        """Whether the operand is what a selection takes: PyTorch's takes no Python numbers, which have powers, too."""
        number = isinstance(place.site, ast.BinOp) and place.framework == "torch"
        return not place.is_compiled and (not number or place.is_array_of(self.operand, "torch"))

    def keeps_value(self, place: Place) -> bool:
        """Whether the op is 0 at 0, as what is written: a power is where its exponent is above 0."""
        exponent = place.facts.value(self.node["y"]) if self.node.op == "pow" else None
        return exponent is None or exponent.lo > 0 or (exponent.lo == 0 and exponent.zero is NEVER)


def double_root(place: Place, call: ast.expr, squared: str, name: str, quotient: Node | None) -> Fix | None:
    """The root of what gets a name before, 0 where that is 0; where it is only divided by, as there, 1.

    Unsafe where that is no normalisation: an infinity becomes a number.
    """
    held = place.hoisted(call, name, "radicand", value=squared)
    root = "sqrt(where(v != 0, v, 1.0))"
    text = place.write(
        root if quotient is not None else f"where(v != 0, {root}, 0.0)", v=held[0] if held is not None else name
    )
    if text is None or held is None:
        return display(text) if text is not None else None
    return place.fix(safety(place, quotient), [held[1], place.put(call, text)], text, style="exact")


@dataclass(frozen=True)
class SafeNorm:
    """norm(x) as the root of a sum of squares, with a double where, or a bound.

    ``quotient``: it is only divided by, as there.
    """

    norm: Node
    quotient: Node | None = None

    def rewrite(self, place: Place) -> Iterator[Fix]:
        place = place.at(self.norm)
        written = place.written(self.norm)
        x = written.operand("x") if written is not None else None
        if written is None or x is None or place.framework not in DIVERGING:
            return
        axes, order = self.axes(written), written.operand("ord")
        known = {id(e) for e in (x, *axes.values())}
        if any(id(e) not in known and not (e is order and is_number(e, 2)) for e in written.arguments.values()):
            return
        squared = place.write(f"sum(square(x){given(axes)})", x=x, **axes)
        by = root_bound(place, self.norm["x"])
        text = place.write(f"sqrt(clamp(sum(square(x){given(axes)}), min=by))", x=x, by=by, **axes)
        if squared is None or text is None:
            return
        message = f"replace with `{text}`: at least the root of {by}; below that the gradient is 0"
        edits = [place.put(written.call, text)]
        yield place.fix(Applicability.UNSAFE, edits, text, message, style="epsilon", changes=has_names(by))
        exact = double_root(place, written.call, squared, "squared", self.quotient)
        if exact is not None:
            yield exact

    def axes(self, written: Written) -> dict[str, ast.expr]:
        """The axis and whether it is kept, as arguments of a reduction."""
        axis = written.operand("axis")
        kept = next((written.arguments[k] for k in ("keepdims", "keepdim") if k in written.arguments), None)
        return {name: e for name, e in (("axis", axis), ("keepdims", kept)) if e is not None}


@dataclass(frozen=True)
class SafeStd:
    """std(x) as the root of var(x), with a double where. ``quotient``: it is only divided by, as there."""

    std: Node
    quotient: Node | None = None

    def rewrite(self, place: Place) -> Iterator[Fix]:
        place = place.at(self.std)
        written = place.written(self.std)
        variance = self.variance(place, written) if written is not None else None
        if written is None or variance is None or place.framework not in DIVERGING:
            return
        exact = double_root(place, written.call, variance, "variance", self.quotient)
        if exact is not None:
            yield exact
        by = root_bound(place, self.std["x"])
        added = place.write("sqrt(v + by)", v=variance, by=by)
        if added is not None:
            message = f"replace with `{added}`, whose gradient is finite"
            edits = [place.put(written.call, added)]
            yield place.fix(Applicability.UNSAFE, edits, added, message, style="epsilon", changes=has_names(by))

    def variance(self, place: Place, written: Written) -> str | None:
        """The same call of the function that gives the variance."""
        if written.receiver is not None:
            return place.call(written.call, written_as("x.var", {"x": place.text(written.receiver)}))
        module, _, name = (written.function or "").rpartition(".")
        function = place.spell(f"{module}.{VARIANCE[name]}") if name in VARIANCE else None
        return place.call(written.call, function) if function is not None else None


@dataclass(frozen=True)
class OffOrigin:
    """atan2(y, x) with 1 in the place of x at the origin. Unsafe: atan2(0, -0.0), which was π, becomes 0."""

    angle: Node

    def rewrite(self, place: Place) -> Iterator[Fix]:
        place = place.at(self.angle)
        written = place.written(self.angle)
        y, x = (written.operand("a"), written.operand("b")) if written is not None else (None, None)
        if y is None or x is None:
            return
        text = place.write("where((y == 0) & (x == 0), 1.0, x)", x=x, y=y)
        if text is None:
            return
        if all(place.pure(e) and place.cheap(e) for e in (y, x)):
            message = f"use `{text}`: the angle at the origin is 0, also at -0.0"
            yield place.fix(Applicability.UNSAFE, [place.put(x, text)], text, message)
        yield display(text)


def given(arguments: Mapping[str, ast.expr]) -> str:
    """Arguments by their names, in a template that has operands of these names."""
    return "".join(f", {name}={name}" for name in arguments)
