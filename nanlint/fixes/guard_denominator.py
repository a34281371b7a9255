"""a / b where b may be 0: a floored count, divide_no_nan, or a denominator that is 1 where it was 0."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from nanlint.diagnostic import Applicability, Edit, Fix
from nanlint.fixes.bounds import root_bound
from nanlint.fixes.place import Place, display
from nanlint.fixes.reading import Written, is_number
from nanlint.fixes.template import has_names
from nanlint.fixes.template import written as written_as
from nanlint.fixes.text import one_line
from nanlint.graph.node import REFINE, Node, unrefined
from nanlint.ops.op import OPS
from nanlint.ops.value import Kind

#: frameworks with a division that is 0 where the denominator is
NO_NAN = {"tensorflow": "tensorflow.math.divide_no_nan", "keras": "keras.ops.divide_no_nan"}
#: what an author gives up who divides by something else where there was 0
INFINITE = "quotients that were inf become finite"
UNDEFINED = "the undefined 0/0 becomes 0"


@dataclass(frozen=True)
class GuardDenominator:
    """A denominator that is no longer 0: a count has a bound of 1, which changes only 0; others are 1 where they are 0.

    Safe where data is divided by what is gathered from it, or an average is taken of nothing: nan becomes 0, and
    nothing else changes. Unsafe where an infinity, which may be meant or looked for, or a statistic that is undefined,
    would become a number like any other, if the denominator is a ``statistic``: of nothing, or of what does not vary,
    many take 1. For display where it is any other number, of which only its author knows; where the quotient has a
    limit at 0/0, which is another number; where the 0 leads to the next nan; and where the denominator is not known to
    be an array of the framework.
    """

    quotient: Node
    denominator: Node
    statistic: bool = False

    def rewrite(self, place: Place) -> Iterator[Fix]:
        written = place.written(self.quotient)
        operands = self.operands(place, written)
        if operands is None:
            return
        below = operands[1]
        # A whole number that may be negative has no floor; of what is only called a mask ordinary sums are below 1.
        count = place.facts.proved_whole(self.denominator) and place.facts.value(self.denominator).lo >= 0
        if not place.is_array_of(self.denominator, place.framework):
            if (fix := self.number(place, below, count=count)) is not None:
                yield fix
            return
        normalises = place.facts.normalises(self.quotient)
        if not normalises and place.facts.has_limit(self.quotient):
            if (fix := self.limited(place, below)) is not None:
                yield fix
            return
        safety = Applicability.SAFE if normalises else Applicability.UNSAFE
        for fix in self.forms(place, written, operands, safety, count=count):
            if self.statistic or place.facts.undefined(self.quotient):
                yield self.alone(place, fix)
            else:
                yield display(fix.display, f"consider `{fix.display}`, or the value that x / 0 should have")

    def forms(
        self,
        place: Place,
        written: Written | None,
        operands: tuple[ast.expr | None, ast.expr],
        safety: Applicability,
        *,
        count: bool,
    ) -> Iterator[Fix]:
        """What may come in the place of the quotient, or of its denominator."""
        above, below = operands
        fix = self.no_nan(place, written, above, below, safety) if place.framework in NO_NAN else None
        if fix is not None:
            yield fix
        if count:
            if (fix := self.bounded(place, below, safety)) is not None:
                yield fix
            return
        known = filter(None, (self.normalised(place, above), self.selected(place, below, safety)))
        yield from sorted(known, key=lambda fix: len(fix.edits))
        by = root_bound(place, self.denominator, "div")
        text = place.write("clamp(x, min=by)", x=below, by=by) if place.facts.value(self.denominator).lo >= 0 else None
        if text is not None:
            message = f"clamp the denominator: `{text}`; below the bound the gradient is 0"
            edits = [place.put(below, text)]
            yield place.fix(Applicability.UNSAFE, edits, text, message, style="epsilon", changes=has_names(by))

    def normalised(self, place: Place, above: ast.expr | None) -> Fix | None:
        """PyTorch's ``normalize`` in the place of x / norm(x)."""
        norm = place.facts.bare(self.denominator)
        written = place.written(norm) if norm.op == "norm" and place.framework == "torch" else None
        if above is None or written is None or not isinstance(place.site, ast.expr):
            return None
        axis, order = written.operand("axis"), written.operand("ord")
        kept, x = written.arguments.get("keepdim"), written.operand("x")
        rest = [e for e in written.arguments.values() if e not in (axis, kept, x)]
        whole = (
            isinstance(kept, ast.Constant) and kept.value is True and all(e is order and is_number(e, 2) for e in rest)
        )
        same = self.quotient.get("a") is not None and self.quotient["a"].key == norm["x"].key
        if not whole or not same or axis is None or not place.means_the_same(axis, place.site):
            return None
        by = root_bound(place, self.denominator, "div")
        text = place.write("torch.nn.functional.normalize(x, dim=axis, eps=by)", x=above, axis=axis, by=by)
        if text is None:
            return None
        message = f"replace with `{text}`, which divides by no less than {by}"
        return place.fix(Applicability.UNSAFE, [place.put(place.site, text)], text, message, style="epsilon")

    def number(self, place: Place, below: ast.expr, *, count: bool) -> Fix | None:
        """What there is to do about a number of Python's, or about what may be one."""
        tensor = place.is_tensor(self.denominator)
        if tensor is False:
            scalar = place.facts.value(self.denominator).kind is Kind.SCALAR
            if scalar and count:
                return self.maximum(place, below)
            return display(written_as("x or 1", {"x": place.text(below)}))
        fix = (self.bounded if count else self.selected)(place, below, Applicability.UNSAFE)
        return display(fix.display) if fix is not None else None

    def limited(self, place: Place, below: ast.expr) -> Fix | None:
        """Where the quotient is of the same numbers one by one: the number that it tends to is its author's to say."""
        quotient = place.site if isinstance(place.site, ast.expr) else below
        shown = place.write("where(x == 0, limit, quotient)", x=below, quotient=quotient)
        if shown is None:
            return None
        return display(shown, f"consider `{one_line(shown)}`: 0/0 has a limit here, which is not 0 in general")

    def alone(self, place: Place, fix: Fix) -> Fix:
        """The fix, only shown where the 0 that it makes of 0/0 leads to the next nan or infinity."""
        if fix.applicability is Applicability.DISPLAY or not place.facts.undefined(self.quotient):
            return fix
        next_one = place.facts.breaks_further_on(self.quotient)
        if next_one is None:
            return fix
        row = getattr(next_one.site, "lineno", 0)
        return display(
            fix.display, f"consider `{fix.display}`, which is not enough: line {row} breaks at the resulting 0"
        )

    def operands(self, place: Place, written: Written | None) -> tuple[ast.expr | None, ast.expr] | None:
        """Numerator (None for 1) and denominator as written."""
        site = place.site
        if isinstance(site, ast.BinOp | ast.AugAssign) and (below := divisor(site)) is not None:
            return site.left if isinstance(site, ast.BinOp) else site.target, below
        if written is None:
            return None
        below = written.operand("b") or written.operand("x")
        return (written.operand("a"), below) if below is not None else None

    def fix(self, place: Place, applicability: Applicability, edits: Sequence[Edit], text: str) -> Fix | None:
        """The fix, which says what becomes of an infinity, or of what is undefined, where there may be one."""
        changed = UNDEFINED if place.facts.undefined(self.quotient) else INFINITE
        message = "" if applicability is Applicability.SAFE else f"replace with `{one_line(text)}`: {changed}"
        return place.fix(applicability, edits, text, message, style="exact")

    # TensorFlow and Keras

    def no_nan(
        self, place: Place, written: Written | None, above: ast.expr | None, below: ast.expr, safety: Applicability
    ) -> Fix | None:
        """``divide_no_nan``: the denominator is written once. It takes floats of one dtype, so no Python numbers."""
        site = place.site
        if self.quotient.op != "div" or above is None or self.may_be_integers(place) or place.framework not in NO_NAN:
            return None
        if place.facts.value(self.quotient["a"]).kind is Kind.SCALAR or _literal(above):
            if place.framework == "tensorflow" and is_number(above, 1) and not isinstance(site, ast.AugAssign):
                text = place.write("tensorflow.math.reciprocal_no_nan(x)", x=below)
                return self.fix(place, safety, [place.put(site, text)], text) if text else None
            return None
        function = place.spell(NO_NAN[place.framework])
        if function is None:
            return None
        text = written_as("f(a, b)", {"f": function, "a": place.text(above), "b": place.text(below)})
        if isinstance(site, ast.AugAssign):
            if not isinstance(above, ast.Name):
                return None
            return self.fix(place, safety, [place.put(site, f"{above.id} = {text}")], text)
        if written is not None and written.receiver is None and written.function is not None:
            return self.fix(place, safety, [place.put(written.call.func, function)], text)
        return self.fix(place, safety, [place.put(site, text)], text)

    def may_be_integers(self, place: Place) -> bool:
        """Whether the denominator may be an integer tensor, which divide_no_nan refuses: a count that was not cast."""
        node: Node | None = unrefined(self.denominator)
        while node is not None and node.op != "cast":
            op = OPS.get(node.op)
            node = node.get("x") if (op is not None and (op.view or op.reduction)) or node.op == REFINE else None
        is_float = node is not None and node.attrs.get("dtype") is not None
        return place.facts.value(self.denominator).whole and not is_float

    # Everyone

    def maximum(self, place: Place, below: ast.expr) -> Fix | None:
        """A count that is a Python number, floored at 1: where Python raised an error there is a number then."""
        if place.file.outline.binding("max", place.site) is not None:
            return None
        text = written_as("max(x, 1)", {"x": place.text(below)})
        return self.fix(place, Applicability.UNSAFE, [place.put(below, text)], text)

    def bounded(self, place: Place, below: ast.expr, applicability: Applicability) -> Fix | None:
        """A count, floored at 1: where it is made, if all that is done with it is to divide by it, more than once."""
        below = self.made(place, below)
        text = place.write("clamp(x, min=1)", x=below)
        return self.fix(place, applicability, [place.put(below, text)], text) if text is not None else None

    def made(self, place: Place, below: ast.expr) -> ast.expr:
        """The expression that gives a variable its value, if it is divided by in several places; else the variable."""
        outline = place.file.outline
        found = outline.definition(below) if isinstance(below, ast.Name) else None
        if found is None or not isinstance(below, ast.Name):
            return below
        around = outline.function(below)
        uses = [n for n in ast.walk(around) if isinstance(n, ast.Name) and n.id == below.id]
        read = [n for n in uses if isinstance(n.ctx, ast.Load)]
        divided = [n for n in read if divisor(outline.parents[n]) is n]
        return found[1] if 1 < len(divided) == len(read) == len(uses) - 1 else below

    def selected(self, place: Place, below: ast.expr, applicability: Applicability) -> Fix | None:
        """A denominator that is 1 where it was 0: of integers an integer, so that they stay what they are."""
        named = place.named(below, "denominator", "divisor")
        value = place.facts.value(self.denominator)
        one = "1" if value.whole or self.quotient.op in ("floordiv", "mod") else "1.0"
        # an unbiased deviation is nan where there is one element, which is not above 0 either, and which a filled mask
        # would keep: so the number is no literal of the template there
        positive = self.is_unbiased(place) and value.lo >= 0
        template = "where(x > 0, x, one)" if positive else f"where(x == 0, {one}, x)"
        text = place.write(template, x=named[0] if named is not None else "denominator", one=one)
        if named is None or text is None:
            return display(text) if text is not None else None
        return self.fix(place, applicability, [*named[1], place.put(below, text)], text)

    def is_unbiased(self, place: Place) -> bool:
        """Whether the denominator is a deviation that is undefined of a single element."""
        spread = place.facts.length_behind(self.denominator) or unrefined(self.denominator)
        correction = spread.get("ddof")
        return correction is not None and place.facts.value(correction).constant == 1


def divisor(e: ast.AST) -> ast.expr | None:
    """What is divided by in a division."""
    if not isinstance(e, ast.BinOp | ast.AugAssign) or not isinstance(e.op, ast.Div | ast.FloorDiv | ast.Mod):
        return None
    return e.right if isinstance(e, ast.BinOp) else e.value


def _literal(e: ast.expr) -> bool:
    if isinstance(e, ast.UnaryOp):
        e = e.operand
    return isinstance(e, ast.Constant)
