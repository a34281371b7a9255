"""log(sum(exp(x))) becomes logsumexp(x), log(mean(exp(x))) that minus log(n), log(sum(w * exp(x))) one with weights."""

from __future__ import annotations

import ast
from dataclasses import dataclass

from nanlint.diagnostic import Applicability, Fix
from nanlint.fixes.place import Place, display
from nanlint.fixes.reading import Written
from nanlint.graph.node import Node
from nanlint.ops.spelling import Spelling
from nanlint.ops.writing import spelling_for

_KEEPS = ("keepdim", "keepdims", "keep_dims")


@dataclass(frozen=True)
class LogSumExp:
    """``logsumexp`` in the place of ``log`` of ``total``, the sum or mean of ``exp``, each times ``weight`` if given.

    Safe: equal wherever the original is finite. Weights go in where the function takes them; elsewhere their logarithm
    would be added, which is -inf for a weight of 0: for display. Unsafe where it makes the file depend on SciPy.
    """

    log: Node
    total: Node
    exp: Node
    weight: Node | None = None

    def rewrite(self, place: Place) -> Fix | None:
        known = spelling_for("logsumexp", place.framework)
        total, function = place.written(self.total), place.function("logsumexp")
        if known is None or function is None:
            return None
        wanted = [self.exp["x"], *([self.weight] if self.weight is not None else [])]
        found = place.operands(self.total)
        inside = place.read(summand, self.total["x"], *wanted) if (summand := _summand(total)) is not None else None
        if total is None or found is None or inside is None:
            return display(f"{function}({self.shown(place)}, …)")
        x, axis = place.argument(inside[0]), total.operand("axis")
        weights = ""
        if self.weight is not None and "weights" in known.operands:
            weights = f", b={place.argument(inside[1])}"
        elif self.weight is not None:
            x = f"{place.factor(inside[0])} + log({place.argument(inside[1])})"
        rest = self.arguments(place, total, known)
        text = None if rest is None else f"{function}({self.flat(x, axis, place)}{rest}{weights})"
        if text is None or (self.weight is not None and "weights" not in known.operands) or self.log.op != "log":
            return display(text or f"{function}({x}, …)")
        if self.total.op == "mean":
            size = self.size(place, inside[0], axis)
            logarithm = place.spell("math.log") if size is not None else None
            if logarithm is None:
                return display(f"{text} - log(n)")
            text = f"{text} - {logarithm}({size})"
        if place.framework == "torch" and place.is_changed_in_place(*inside):
            return display(text)
        needs_scipy = place.framework in ("numpy", "scipy") and not place.imports("scipy")
        applicability = Applicability.UNSAFE if needs_scipy else Applicability.SAFE
        return place.fix(applicability, [place.put(place.site, text)], text)

    def shown(self, place: Place) -> str:
        """The exponent, for reading."""
        site = self.exp["x"].site
        return place.argument(site) if isinstance(site, ast.expr) else "x"

    def arguments(self, place: Place, total: Written, known: Spelling) -> str | None:
        """Axis and keepdims as the function names them; None where the sum is given anything else."""
        axis, summand = total.operand("axis"), total.operand("x")
        text = ""
        for name, e in total.arguments.items():
            if e is axis:
                text += f", {known.operands['axis']}={place.argument(e)}"
            elif name in _KEEPS:
                keeps = "keepdim" if "keepdim" in known.params else "keepdims"
                text += f", {keeps}={place.argument(e)}"
            elif e is not summand:
                return None
        if axis is None and place.framework == "torch":
            text += ", dim=0"
        return text

    def flat(self, x: str, axis: ast.expr | None, place: Place) -> str:
        """The operand; flattened for PyTorch's function, which wants an axis."""
        if axis is not None or place.framework != "torch":
            return x
        return f"({x}).flatten()" if not x.isidentifier() else f"{x}.flatten()"

    def size(self, place: Place, x: ast.expr, axis: ast.expr | None) -> str | None:
        """The number of elements that a mean is over, for Python's logarithm."""
        if not place.repeatable(x) or place.framework not in ("torch", "jax", "numpy", "scipy"):
            return None
        name = place.primary(x)
        if axis is None:
            return f"{name}.numel()" if place.framework == "torch" else f"{name}.size"
        literal = isinstance(axis, ast.Constant) or (
            isinstance(axis, ast.UnaryOp) and isinstance(axis.operand, ast.Constant)
        )
        return f"{name}.shape[{place.text(axis)}]" if literal else None


def _summand(total: Written | None) -> ast.expr | None:
    return total.operand("x") if total is not None else None
