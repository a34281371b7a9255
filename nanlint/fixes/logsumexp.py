"""log(sum(exp(x))) becomes logsumexp(x), log(mean(exp(x))) that minus log(n), log(sum(w * exp(x))) one with weights.

log(cumsum(exp(x))) becomes logcumsumexp(x).
"""

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
        name = "logcumsumexp" if self.total.op == "cumsum" else "logsumexp"
        known, total = spelling_for(name, place.framework), place.written(self.total)
        if known is None or place.function(name) is None:
            return None
        wanted = [self.exp["x"], *([self.weight] if self.weight is not None else [])]
        found = place.operands(self.total)
        inside = place.read(summand, self.total["x"], *wanted) if (summand := _summand(total)) is not None else None
        if total is None or found is None or inside is None:
            site = self.exp["x"].site
            text = place.write(f"{name}(x, ...)", **({"x": site} if isinstance(site, ast.expr) else {}))
            return display(text) if text is not None else None
        weighted = self.weight is not None and "weights" in known.operands
        x = "x" if self.weight is None or weighted else "x + log(weight)"
        if total.operand("axis") is None and place.framework == "torch":
            x = f"({x}).flatten()"  # PyTorch's function wants an axis
        operands = dict(zip(("x", "weight"), inside, strict=False))
        rest = self.arguments(place, total, known)
        if rest is None:
            text = place.write(f"{name}({x}, ...)", **operands)
            return display(text) if text is not None else None
        given = "".join(f", {name}={name}" for name in rest) + (", b=weight" if weighted else "")
        n = self.size(place, total.operand("axis")) if self.total.op == "mean" else ""
        logarithm = "" if self.total.op != "mean" else f" - math.log({n})" if n else " - log(n)"
        text = place.write(f"{name}({x}{given}){logarithm}", **operands, **rest)
        if text is None:
            return place.shown(f"logsumexp({x}{given}) - log(n)", **operands, **rest)
        # without an axis, NumPy and JAX add up all that there is in a row, and their logcumsumexp does not
        flat = self.total.op == "cumsum" and total.operand("axis") is None
        plain = (self.weight is None or weighted) and not flat
        if not plain or self.log.op != "log" or n is None or not (n == "" or place.repeatable(inside[0])):
            return display(text)
        if place.framework == "torch" and place.is_changed_in_place(*inside):
            return display(text)
        return place.fix(place.without_scipy(Applicability.SAFE), [place.put(place.site, text)], text)

    def arguments(self, place: Place, total: Written, known: Spelling) -> dict[str, ast.expr | str] | None:
        """Axis and keepdims as the function names them; None where the sum is given anything else."""
        axis, summand = total.operand("axis"), total.operand("x")
        found: dict[str, ast.expr | str] = {}
        for name, e in total.arguments.items():
            if e is axis:
                found[known.operands["axis"]] = e
            elif name in _KEEPS:
                found["keepdim" if "keepdim" in known.params else "keepdims"] = e
            elif e is not summand:
                return None
        if axis is None and place.framework == "torch":
            found["dim"] = "0"
        return found

    def size(self, place: Place, axis: ast.expr | None) -> str | None:
        """The number of elements that a mean of x is over, for Python's logarithm, in a template."""
        if place.framework not in ("torch", "jax", "numpy", "scipy"):
            return None
        if axis is None:
            return "x.numel()" if place.framework == "torch" else "x.size"
        literal = isinstance(axis, ast.Constant) or (
            isinstance(axis, ast.UnaryOp) and isinstance(axis.operand, ast.Constant)
        )
        return f"x.shape[{place.text(axis)}]" if literal else None


def _summand(total: Written | None) -> ast.expr | None:
    return total.operand("x") if total is not None else None
