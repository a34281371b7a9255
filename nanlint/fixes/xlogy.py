"""x * log(y) becomes xlogy(x, y), which is 0 where x is."""

from __future__ import annotations

import ast
from dataclasses import dataclass

from nanlint.diagnostic import Applicability, Fix
from nanlint.fixes.place import Place, display
from nanlint.fixes.reading import Written
from nanlint.graph.node import Node
from nanlint.ops.value import Kind

XLOGY = {
    "torch": ("torch.special.xlogy", "torch.special.xlog1py"),
    "tensorflow": ("tensorflow.math.xlogy", "tensorflow.math.xlog1py"),
    "jax": ("jax.scipy.special.xlogy", "jax.scipy.special.xlog1py"),
    "numpy": ("scipy.special.xlogy", "scipy.special.xlog1py"),
    "scipy": ("scipy.special.xlogy", "scipy.special.xlog1py"),
}

#: the logarithms that each has a function for, in this order; other bases have none
LOGS = ("log", "log1p")


@dataclass(frozen=True)
class XLogY:
    """``xlogy`` in the place of ``product`` of ``factor`` and ``log``.

    Safe: equal in value and gradient wherever the product is finite. In PyTorch and JAX the slope of ``xlogy(p, p)``
    at 0 stays infinite or NaN, as that of ``p * log(p)`` is in truth. Unsafe where it makes the file depend on SciPy.
    """

    log: Node
    product: Node
    factor: Node

    def rewrite(self, place: Place) -> Fix | None:
        written, product = place.written(self.log), self.product.site
        framework = place.framework
        names = XLOGY.get(framework)
        if written is None or names is None or product is None or self.log.op not in LOGS:
            return None
        y = written.operand("x")
        if y is None:
            return None
        from_module = names[0].rpartition(".")[0] if isinstance(written.call.func, ast.Name) else None
        function = place.spell(names[LOGS.index(self.log.op)], from_module=from_module)
        if function is None:
            return None
        found = self.factor_and_sign(place, product, written)
        if found is None:
            shown = place.text(self.factor.site) if isinstance(self.factor.site, ast.expr) else "…"
            return display(f"{function}({shown}, {place.argument(y)})")
        x, sign = found
        text = f"{sign}{function}({place.argument(x)}, {place.argument(y)})"
        if not written.only("x"):
            return display(text)
        if framework == "tensorflow" and self.is_number(place):
            return display(text)
        swapped = place.span(written.call) < place.span(x)
        if swapped and not (place.pure(x) or place.pure(y)):
            return display(text)
        needs_scipy = function and framework in ("numpy", "scipy") and not place.imports("scipy")
        applicability = Applicability.UNSAFE if needs_scipy else Applicability.SAFE
        return place.fix(applicability, [place.put(product, text)], text)

    def is_number(self, place: Place) -> bool:
        """Whether the factor is a Python number, which TensorFlow's xlogy would take for float32."""
        return place.facts.value(self.factor).kind is Kind.SCALAR

    def factor_and_sign(self, place: Place, product: ast.AST, log: Written) -> tuple[ast.expr, str] | None:
        """The other factor, and the sign of the log, where the product is of exactly these two."""
        if isinstance(product, ast.BinOp) and isinstance(product.op, ast.Mult):
            pairs = [(product.left, product.right), (product.right, product.left)]
        elif isinstance(product, ast.Call):
            call = place.written(self.product)
            a, b = (call.operand("a"), call.operand("b")) if call is not None and call.only("a", "b") else (None, None)
            if a is None or b is None:
                return None
            pairs = [(a, b), (b, a)]
        else:
            return None
        for factor, other in pairs:
            if other is log.call:
                return factor, ""
            if isinstance(other, ast.UnaryOp) and isinstance(other.op, ast.USub) and other.operand is log.call:
                return factor, "-"
        return None
