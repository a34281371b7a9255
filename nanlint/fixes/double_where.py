"""An operand inside a selection gets one of its own: where(c, f(x), 0) becomes where(c, f(where(c, x, 1)), 0)."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from nanlint.analysis.structure import bare
from nanlint.diagnostic import Applicability, Edit, Fix
from nanlint.fixes.place import Place, display
from nanlint.graph.node import REFINE, Node, walk
from nanlint.ops.op import OPS

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
#: a condition no longer than this is written again
_LONG = 60
#: comparisons that hold where one operand is above the other: which is, and the branch that is taken then
_ABOVE = {"gt": ("a", "b", "a"), "lt": ("b", "a", "a"), "le": ("a", "b", "b"), "ge": ("b", "a", "b")}


@dataclass(frozen=True)
class DoubleWhere:
    """The operand of ``node`` replaced by a harmless number wherever ``guard`` takes its other branch.

    Where the guard asks whether the operand is above a number, that is its lower bound. Safe: no value changes, no
    gradient but those that were not finite. ``pole``: the class of numbers that the op breaks at.
    """

    node: Node
    operand: Node
    guard: Node
    pole: str = "zero"

    def rewrite(self, place: Place) -> Iterator[Fix]:
        place = place.at(self.node)
        operand = place.hazardous(self.node)
        if operand is None:
            return
        cond, branch = self.condition(place), self.branch()
        if cond is not None and branch is not None and self.is_all_guarded() and place.means_the_same(cond, place.site):
            for edits, text in self.forms(place, operand, cond, branch):
                message = f"also use `where` for the operand: `{text}`" if "where" in text else ""
                yield place.fix(Applicability.SAFE, edits, text, message)
        shown = place.write(f"where(mask, x, {self.harmless})", x=operand)
        if shown is not None:
            yield display(shown, f"also use `where` for the operand: `{shown}`")

    @property
    def harmless(self) -> str:
        """The number that takes the operand's place."""
        return _HARMLESS.get(self.node.op, "1.0")

    def forms(self, place: Place, operand: ast.expr, cond: ast.expr, branch: str) -> Iterator[tuple[list[Edit], str]]:
        """What may come in the operand's place: a bound; a selection by the mask, which gets a name, or on its line."""
        bound = self.bound(place, branch)
        text = place.write("clamp(x, min=bound)", x=operand, bound=bound) if bound is not None else None
        if text is not None:
            yield [place.put(operand, text)], text
        test, outline = place.text(cond), place.file.outline
        if place.framework == "tensorflow" and not (place.pure(operand) and place.cheap(operand)):
            return  # what is written there is written twice
        text = self.selected(place, operand, test, branch)
        if text is None:
            return
        same = not isinstance(cond, ast.Name) and outline.statement(cond) is outline.statement(place.site)
        mask = place.hoisted(cond, *self.masks(place)) if same else None
        if mask is not None and (again := self.selected(place, operand, mask[0], branch)) is not None:
            yield [mask[1], place.put(cond, mask[0]), place.put(operand, again)], again
        yield [place.put(operand, text)], text
        if "\n" not in test and len(test) <= _LONG:
            held = place.hoisted(operand, *self.names(place, operand), value=text)
            if held is not None and place.means_the_same(cond, outline.statement(place.site) or cond):
                yield [held[1], place.put(operand, held[0])], text

    def masks(self, place: Place) -> tuple[str, ...]:
        """What the condition may be called: a comparison with 0 by what it asks."""
        known = {"eq": "is_zero", "ne": "is_nonzero", "gt": "is_positive", "lt": "is_negative"}
        cond = bare(self.guard["cond"]) if "cond" in self.guard.args else self.guard
        zero = cond.op in known and place.facts.value(cond["b"]).constant == 0
        return (known[cond.op], "mask") if zero else ("mask", "condition")

    def names(self, place: Place, operand: ast.expr) -> tuple[str, ...]:
        """What an operand may be called that the op breaks at nowhere."""
        last = operand.attr if isinstance(operand, ast.Attribute) else getattr(operand, "id", "")
        usual = "denominator" if self.node.op in ("div", "floordiv", "mod", "reciprocal") else "operand"
        return (f"safe_{last.lstrip('_')}", f"safe_{usual}") if last else (f"safe_{usual}",)

    def bound(self, place: Place, branch: str) -> str | None:
        """The number that the guard has the operand above, if the op is finite there."""
        cond = bare(self.guard["cond"]) if "cond" in self.guard.args else None
        if cond is None or cond.op not in _ABOVE or self.pole not in ("zero", "neg", "nonpos"):
            return None
        above, below, taken = _ABOVE[cond.op]
        number = place.facts.value(cond[below]).constant
        site = cond[below].site
        if branch != taken or number is None or number <= 0 or not isinstance(site, ast.Constant):
            return None
        return place.text(site) if bare(cond[above]).key == bare(self.operand).key else None

    def condition(self, place: Place) -> ast.expr | None:
        """The guard's condition as written."""
        if self.guard.attrs.get("stored"):
            return self.guard.site.slice if isinstance(self.guard.site, ast.Subscript) else None
        written = place.written(self.guard)
        return written.operand("cond") if written is not None else None

    def branch(self) -> str | None:
        """The branch of the guard that holds the node, element by element; None where shapes change on the way."""
        found = [name for name in ("a", "b") if name in self.guard.args and self.reached(self.guard[name])]
        return found[0] if len(found) == 1 else None

    def reached(self, node: Node) -> bool:
        """Whether the node is what a value is made of, element by element."""

        def made_of(current: Node) -> list[Node]:
            op = OPS.get(current.op)
            if current.op != REFINE and (op is None or not op.pointwise):
                return []
            return [a for name, a in current.args.items() if name != "by"]

        return any(n is self.node for n in walk(node, made_of))

    def is_all_guarded(self) -> bool:
        """Whether the guard is all that the result goes to: another use would see the number put in."""
        pending, seen, met = [self.node], {self.node.index}, False
        while pending:
            current = pending.pop()
            if not current.users:
                return False
            for user in current.users:
                if user is self.guard and user.get("cond") is not current:
                    met = True
                elif user.op == REFINE or (user.op in OPS and OPS[user.op].pointwise):
                    if user.index not in seen:
                        seen.add(user.index)
                        pending.append(user)
                else:
                    return False
        return met

    def selected(self, place: Place, operand: ast.expr, test: str, branch: str) -> str | None:
        """The selection of the operand; ``x.masked_fill(c, 1.0)`` where the guard is written so."""
        written = place.written(self.guard)
        filled = written is not None and written.receiver is not None and ".masked_fill" in written.spelling.name
        if filled and branch == "b":
            return place.write(f"x.masked_fill(test, {self.harmless})", x=operand, test=test)
        template = f"where(test, x, {self.harmless})" if branch == "a" else f"where(test, {self.harmless}, x)"
        return place.write(template, test=test, x=operand)
