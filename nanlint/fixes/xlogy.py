"""x * log(y) becomes xlogy(x, y), which is 0 where x is."""

from __future__ import annotations

import ast
from dataclasses import dataclass

from nanlint.diagnostic import Applicability, Edit, Fix
from nanlint.fixes.place import Place, display
from nanlint.fixes.reading import Written
from nanlint.fixes.template import written as written_as
from nanlint.fixes.text import one_line
from nanlint.graph.node import Node
from nanlint.ops.frameworks import canonical
from nanlint.ops.value import Kind
from nanlint.ops.writing import function_for
from nanlint.ops.writing import written as current

#: frameworks in which the slope of xlogy with respect to its second operand is a quotient of both
DIVIDES = frozenset({"torch", "jax"})
#: the logarithms that each has a function for, in this order; other bases have none
#: a logarithm -> its product with a factor, which is 0 where that is
WITH_FACTOR = {"log": "xlogy", "log1p": "xlog1py"}


@dataclass(frozen=True)
class XLogY:
    """``xlogy`` in the place of ``product`` of ``factor`` and ``log``.

    Safe: equal in value and gradient wherever the product is finite. In PyTorch and JAX the slope of ``xlogy(x, y)``
    with respect to y is x / y, which is 0/0 where both are 0: where a gradient flows, y is 1 there, of ``log`` itself.
    Unsafe where it makes the file depend on SciPy, or on a newer TensorFlow.
    """

    log: Node
    product: Node
    factor: Node

    def rewrite(self, place: Place) -> Fix | None:
        written, product = place.written(self.log), self.product.site
        framework, op = place.framework, WITH_FACTOR.get(self.log.op, "")
        name = function_for(op, framework) if op else None
        if written is None or name is None or product is None:
            return None
        y = written.operand("x")
        if y is None:
            return None
        found = self.factor_and_sign(place, product, written)
        if framework in DIVIDES and place.facts.differentiated(self.log):
            return self.selected(place, found[0] if found is not None else None, y)
        from_module = name.rpartition(".")[0] if isinstance(written.call.func, ast.Name) else None
        function = place.spell(name, from_module=from_module)
        if function is None:
            return None
        if found is None:
            shown = place.text(self.factor.site) if isinstance(self.factor.site, ast.expr) else "factor"
            return display(written_as("f(x, y)", {"f": function, "x": shown, "y": place.text(y)}))
        x, sign = found
        text = written_as(f"{sign}f(x, y)", {"f": function, "x": place.text(x), "y": place.text(y)})
        if not written.only("x"):
            return display(text)
        if framework == "tensorflow" and self.is_number(place):
            return display(text)
        swapped = place.span(written.call) < place.span(x)
        if swapped and not (place.pure(x) or place.pure(y)):
            return display(text)
        # where the framework has another name for the logarithm by now, it may not have had the product yet
        dated = written.function is not None and current(canonical(written.function)) != written.function
        safety = (
            Applicability.UNSAFE if dated and framework == "tensorflow" else place.without_scipy(Applicability.SAFE)
        )
        return place.fix(safety, [place.put(product, text)], text)

    def selected(self, place: Place, x: ast.expr | None, y: ast.expr) -> Fix | None:
        """The logarithm of a y that is 1 where both factors are 0: it is 0 there then, and so is its slope."""
        at = "0" if self.log.op == "log" else "-1"
        first = self.repeated(place, x, "factor", "weight") if x is not None else None
        second = self.repeated(place, y, "argument", "density")
        both = f"(x == 0) & (y == {at})"
        if first is None or second is None or place.is_compiled:
            text = place.write(f"where({both}, {self.harmless}, y)", x=x if x is not None else "factor", y="argument")
            return display(text) if text is not None else None
        (factor, one), (operand, other) = first, second
        if factor == operand and at == "0":
            both = "y == 0"
        text = place.write(f"where({both}, {self.harmless}, y)", x=factor, y=operand)
        if text is None:
            return None
        edits = [place.put(y, text), *([place.put(x, factor)] if one and x is not None else [])]
        if one or other:
            edits.append(Edit((one or other)[0].span, "".join(edit.content for edit in (*one, *other))))
        return place.fix(Applicability.SAFE, edits, text, f"take the logarithm of `{one_line(text)}`")

    def repeated(self, place: Place, e: ast.expr, *names: str) -> tuple[str, list[Edit]] | None:
        """An operand as a side of a comparison: as it is written where that is short, else by a name."""
        return (place.text(e), []) if place.pure(e) and place.cheap(e) else place.named(e, *names)

    @property
    def harmless(self) -> str:
        """The number whose logarithm is 0."""
        return "0.0" if self.log.op == "log1p" else "1.0"

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
