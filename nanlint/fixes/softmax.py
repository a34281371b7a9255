"""exp(x) / sum(exp(x)) becomes softmax(x)."""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass

from nanlint.diagnostic import Applicability, Fix
from nanlint.fixes.place import Place, display
from nanlint.fixes.reading import Written, is_number
from nanlint.fixes.template import written
from nanlint.graph.node import Node
from nanlint.ops.writing import spelling_for

_KEEPS = frozenset({"keepdim", "keepdims", "keep_dims"})


@dataclass(frozen=True)
class Softmax:
    """``softmax`` in the place of ``quotient`` of ``numerator`` (exp) and ``denominator`` (sum of the same exp).

    Safe: equal wherever the original is finite. Where the axis cannot be read, or the sum lost it and it is not put
    back, the meaning depends on the number of dimensions: for display. Unsafe where it makes the file depend on SciPy.
    """

    quotient: Node
    numerator: Node
    denominator: Node

    def rewrite(self, place: Place) -> Fix | None:
        exp, total = place.written(self.numerator), place.written(self.denominator)
        framework = place.framework
        wanted = spelling_for("softmax", framework)
        if exp is None or total is None or wanted is None:
            return None
        function = self.function(place, framework, wanted.name)
        x = exp.operand("x")
        if function is None or x is None:
            return None
        axis = self.axis(place, total, framework)
        at = f", {wanted.operands['axis']}={axis or '...'}" if axis != "all" else ""
        text = written(f"f(x{at})", {"f": function, "x": place.text(x)})
        if axis is None or not exp.only("x") or not (self.stands_here(place, x) or place.means_the_same(x, place.site)):
            return display(text)
        if framework == "torch" and place.is_changed_in_place():
            return display(text)
        applicability = place.without_scipy(Applicability.SAFE)
        site = place.site
        if isinstance(site, ast.AugAssign):
            if not isinstance(site.target, ast.Name) or place.file.outline.aliases(site.target.id, site):
                return display(text)
            return place.fix(applicability, [place.put(site, f"{place.text(site.target)} = {text}")], text)
        return place.fix(applicability, [place.put(site, text)], text)

    def function(self, place: Place, framework: str, wanted: str) -> str | None:
        """torch.softmax where the file has no F; else the framework's."""
        if framework == "torch":
            short = place.file.imports.spell(wanted, place.site)
            if short is None or short.edits or short.text.count(".") > 1:
                return place.spell("torch.softmax")
        return place.spell(wanted)

    def stands_here(self, place: Place, x: ast.expr) -> bool:
        """Whether the exponent stands in the quotient itself."""
        return any(parent is place.site for parent, _ in place.file.outline.above(x))

    def below(self, place: Place) -> ast.expr | None:
        """What is divided by, as written: through variables."""
        site, written = place.site, place.written(self.quotient)
        if isinstance(site, ast.BinOp | ast.AugAssign):
            return place.resolved(site.right if isinstance(site, ast.BinOp) else site.value)
        below = written.operand("b") if written is not None and written.only("a", "b") else None
        return place.resolved(below) if below is not None else None

    def axis(self, place: Place, total: Written, framework: str) -> str | None:
        """The axis as softmax wants it, "all" for SciPy's default of all; None where it cannot be told."""
        axis = total.operand("axis")
        given = {k for k in total.arguments if k != "name" and total.arguments[k] not in (axis, total.operand("x"))}
        keeps = [total.arguments[k] for k in given & _KEEPS]
        if given - _KEEPS:
            return None
        if axis is None:
            return "all" if framework in ("numpy", "scipy") else None
        if isinstance(axis, (ast.Tuple, ast.List)) or (isinstance(axis, ast.Constant) and axis.value is None):
            return None
        if not self.stands_here(place, axis) and not place.means_the_same(axis, place.site):
            return None
        text = place.text(axis)
        if keeps and isinstance(keeps[0], ast.Constant) and keeps[0].value is True:
            return text
        if keeps and not (isinstance(keeps[0], ast.Constant) and keeps[0].value is False):
            return None
        if is_number(axis, 0) or self.put_back(place, text):
            return text
        return None

    def put_back(self, place: Place, axis: str) -> bool:
        """Whether the axis that the sum lost is put back where it was."""
        below = self.below(place)
        if isinstance(below, ast.Subscript):
            index = re.sub(
                r"\s|\(|\)|(\w+\.)?newaxis", lambda m: "None" if "newaxis" in m[0] else "", place.text(below.slice)
            )
            return (axis == "-1" and index == "...,None") or (
                axis == "1" and index in (":,None", ":,None,...", ":,None,:")
            )
        if isinstance(below, ast.Call) and isinstance(below.func, ast.Attribute):
            given = [*below.args, *(k.value for k in below.keywords)]
            if below.func.attr in ("unsqueeze", "expand_dims") and given:
                return place.text(given[-1]) == axis
        return False
