"""An operand inside a selection gets one of its own: where(c, f(x), 0) becomes where(c, f(where(c, x, 1)), 0)."""

from __future__ import annotations

import ast
from dataclasses import dataclass

from nanlint.diagnostic import Applicability, Edit, Fix
from nanlint.fixes.place import Place, display
from nanlint.graph.node import REFINE, Node, walk
from nanlint.ops.op import OPS
from nanlint.ops.value import NEVER, POSSIBLE

#: where the op and its derivative are finite; 1.0 for all others
_HARMLESS = {
    "acos": "0.0",
    "asin": "0.0",
    "atanh": "0.0",
    "acosh": "2.0",
    "exp": "0.0",
    "expm1": "0.0",
    "sinh": "0.0",
    "cosh": "0.0",
    "log1p": "0.0",
    "exp2": "0.0",
}
#: a condition no longer than this is written again rather than named
_LONG = 60


@dataclass(frozen=True)
class DoubleWhere:
    """The operand of ``node`` replaced by a harmless number wherever ``guard`` takes its other branch.

    Without a guard one is made: the result is ``result`` where the operand is at its pole. Safe: no value changes but
    those at the pole, no gradient but those that were not finite.
    """

    node: Node
    operand: Node
    pole: str
    guard: Node | None = None
    result: float | None = None

    def rewrite(self, place: Place) -> Fix | None:
        place = place.at(self.node)
        operand = self.written(place)
        if operand is None:
            return None
        return self.made(place, operand) if self.guard is None else self.repeated(place, operand, self.guard)

    @property
    def harmless(self) -> str:
        """The number that takes the operand's place."""
        return _HARMLESS.get(self.node.op, "1.0")

    def written(self, place: Place) -> ast.expr | None:
        """The hazardous operand in the source."""
        site = place.site
        if isinstance(site, ast.BinOp):
            return site.left if isinstance(site.op, ast.Pow) else site.right
        if isinstance(site, ast.AugAssign):
            return None if isinstance(site.op, ast.Pow) else site.value
        call = place.written(self.node)
        return (call.operand("b") or call.operand("x")) if call is not None else None

    # With the condition that is there

    def repeated(self, place: Place, operand: ast.expr, guard: Node) -> Fix | None:
        """The guard's condition, once more."""
        cond, branch = self.condition(place, guard), self.branch(guard)
        edits: list[Edit] = []
        if (
            cond is None
            or branch is None
            or not self.is_all_guarded(guard)
            or not place.means_the_same(cond, place.site)
        ):
            return self.hint(place, operand)
        test = place.argument(cond)
        if len(test) > _LONG or "\n" in test:
            outline = place.file.outline
            named = (
                place.hoisted(cond, "mask", "valid")
                if outline.statement(cond) is outline.statement(place.site)
                else None
            )
            if named is None:
                return self.hint(place, operand)
            test, insertion = named
            edits += [insertion, place.put(cond, test)]
        text = self.filled(place, operand, guard, test) if branch == "b" else None
        if text is None:
            like = place.argument(operand)
            if place.framework == "tensorflow" and not (place.pure(operand) and place.cheap(operand)):
                return self.hint(place, operand)
            a, b = (like, self.harmless) if branch == "a" else (self.harmless, like)
            text = place.selection(test, a, b, like)
        if text is None:
            return None
        return place.fix(
            Applicability.SAFE,
            [*edits, place.put(operand, text)],
            text,
            f"use `where` for the operand as well: `{text}`",
        )

    def condition(self, place: Place, guard: Node) -> ast.expr | None:
        """The guard's condition as written."""
        if guard.attrs.get("stored"):
            return guard.site.slice if isinstance(guard.site, ast.Subscript) else None
        written = place.written(guard)
        return written.operand("cond") if written is not None else None

    def branch(self, guard: Node) -> str | None:
        """The branch of the guard that holds the node, element by element; None where shapes change on the way."""
        found = [name for name in ("a", "b") if name in guard.args and self.reached(guard[name])]
        return found[0] if len(found) == 1 else None

    def reached(self, node: Node) -> bool:
        def made_of(current: Node) -> list[Node]:
            op = OPS.get(current.op)
            if current.op != REFINE and (op is None or not op.pointwise):
                return []
            return [a for name, a in current.args.items() if name != "by"]

        return any(n is self.node for n in walk(node, made_of))

    def is_all_guarded(self, guard: Node) -> bool:
        """Whether the guard is all that the result goes to: another use would see the number put in."""
        pending, seen, met = [self.node], {self.node.index}, False
        while pending:
            current = pending.pop()
            if not current.users:
                return False
            for user in current.users:
                if user is guard and user.get("cond") is not current:
                    met = True
                elif user.op == REFINE or (user.op in OPS and OPS[user.op].pointwise):
                    if user.index not in seen:
                        seen.add(user.index)
                        pending.append(user)
                else:
                    return False
        return met

    def filled(self, place: Place, operand: ast.expr, guard: Node, test: str) -> str | None:
        """``x.masked_fill(c, 1.0)`` where the guard is written so."""
        written = place.written(guard)
        if written is None or written.receiver is None or not written.spelling.name.endswith(".masked_fill"):
            return None
        return f"{place.primary(operand)}.masked_fill({test}, {self.harmless})"

    def hint(self, place: Place, operand: ast.expr) -> Fix | None:
        """What a person would write, where the condition cannot be repeated here."""
        like = place.argument(operand)
        text = place.selection("…", like, self.harmless, like)
        return display(text, f"use `where` for the operand as well: `{text}`") if text is not None else None

    # With a condition of its own

    def made(self, place: Place, operand: ast.expr) -> Fix | None:
        """A condition that keeps the operand off its pole. NaN stays NaN: it is selected like any other number."""
        site = place.site
        if self.result is None or isinstance(site, ast.AugAssign):
            return None
        edits: list[Edit] = []
        name = place.argument(operand)
        compared = place.compared(operand)
        if (
            not place.repeatable(operand)
            and (hoisted := place.hoisted(operand, "radicand", "squared", "operand")) is not None
        ):
            name, insertion = hoisted
            compared = name
            edits.append(insertion)
        elif not (place.pure(operand) and place.cheap(operand)):
            return self.hint(place, operand)
        negative = place.facts.value(self.operand).neg >= POSSIBLE
        test = place.comparison(compared, ">" if negative else "!=")
        inner = place.selection(test, name, self.harmless, name) if test is not None else None
        if test is None or inner is None:
            return None
        span, at = place.span(site), place.span(operand)
        source = place.file.source
        before = source.text[source.offset(span.row, span.column) : source.offset(at.row, at.column)]
        after = source.text[source.offset(at.end_row, at.end_column) : source.offset(span.end_row, span.end_column)]
        while before.endswith("(") and not before.strip("( \n") and after.startswith(")"):
            before, after = before[:-1], after[1:]  # a call needs no parentheses
        text = place.selection(test, f"{before}{inner}{after}", str(self.result), name)
        if text is None:
            return None
        if not self.keeps_value(place) or not self.takes_tensors(place):
            return display(text)
        return place.fix(Applicability.SAFE, [*edits, place.put(site, text)], text)

    def takes_tensors(self, place: Place) -> bool:
        """Whether the operand is what a selection takes: PyTorch's takes no Python numbers, which have powers, too."""
        number = isinstance(place.site, ast.BinOp) and place.framework == "torch"
        return not place.is_compiled and (not number or place.is_array_of(self.operand, "torch"))

    def keeps_value(self, place: Place) -> bool:
        """Whether the op is 0 at 0, as what is written: a power is where its exponent is above 0."""
        exponent = place.facts.value(self.node["y"]) if self.node.op == "pow" else None
        return exponent is None or exponent.lo > 0 or (exponent.lo == 0 and exponent.zero is NEVER)
