"""log(1 + erf(x)), log(cdf(x)), log(1 - tanh(x)**2), log(1 - exp(x)) become what is finite in the tail."""

from __future__ import annotations

import ast
import math
from dataclasses import dataclass

from nanlint.analysis.cancellation import Tail
from nanlint.analysis.structure import bare, square_root_of
from nanlint.diagnostic import Applicability, Fix
from nanlint.fixes.place import Place, display
from nanlint.fixes.template import negated, written
from nanlint.graph.node import Node
from nanlint.ops.floats import BFLOAT16, FLOAT16

#: functions whose complement has a name
COMPLEMENTS = {"cdf": "sf", "sf": "cdf", "ndtr": "-ndtr"}


@dataclass(frozen=True)
class LogOfTail:
    """The stable form of ``log`` of ``tail``.

    Safe: equal up to the rounding of the difference wherever the original is finite. Unsafe where it makes the file
    depend on SciPy.
    """

    log: Node
    tail: Tail

    def rewrite(self, place: Place) -> Fix | None:
        if self.log.op not in ("log", "log1p"):
            return None
        core = self.tail.core
        root = square_root_of(core)
        made = {
            "erf": self.normal,
            "erfc": self.normal,
            "cdf": self.distribution,
            "exp": self.difference_of_exponentials,
        }.get(core.op, self.slope_of_tanh if root is not None and bare(root).op == "tanh" else None)
        text = made(place) if made is not None else None
        if text is None:
            return None
        written = place.written(self.log)
        half = "log_ndtr" in text and place.facts.value(self.tail.core).format in (FLOAT16, BFLOAT16)
        if written is None or not written.only("x") or half or self.changed_in_place(place):
            return display(text)
        return place.fix(place.without_scipy(Applicability.SAFE), [place.put(place.site, text)], text)

    def changed_in_place(self, place: Place) -> bool:
        """Whether the result is worked on in place, which PyTorch's log_ndtr does not allow: it keeps its result."""
        statement = place.file.outline.statement(place.site)
        if place.framework != "torch" or not isinstance(statement, ast.Assign) or statement.value is not place.site:
            return False
        names = {t.id for t in statement.targets if isinstance(t, ast.Name)}
        changes = place.file.outline.changes_in_place
        return any(changes(later, name) for later in place.file.outline.block(statement) for name in names)

    def argument(self, place: Place, node: Node) -> ast.expr | None:
        """The operand of a function, if it means the same where the logarithm stands."""
        written = place.written(node)
        x = written.operand("x") if written is not None and written.only("x") else None
        return x if x is not None and place.means_the_same(x, place.site) else None

    def plus_log(self, text: str, scale: float) -> str | None:
        """``text`` plus the logarithm of a factor."""
        if scale <= 0:
            return None
        number = math.log(scale)
        if abs(number) < 1e-12:
            return text
        return f"{text} {'+' if number > 0 else '-'} {abs(number)!r}"

    def normal(self, place: Place) -> str | None:
        """c * (1 + erf(z)) is 2 * c * ndtr(z * sqrt(2)); erfc(z) is 2 * ndtr(-z * sqrt(2))."""
        z = self.argument(place, self.tail.core)
        if z is None:
            return None
        inner = self.scaled_by_root_two(place, z, negative=self.tail.sign < 0 or self.tail.core.op == "erfc")
        text = place.write("log_cdf(x)", x=inner)
        return self.plus_log(text, 2 * self.tail.scale) if text is not None else None

    def scaled_by_root_two(self, place: Place, z: ast.expr, *, negative: bool) -> str:
        """z * sqrt(2): x itself where z is x / sqrt(2)."""
        product = self.tail.core["x"]
        if isinstance(z, ast.BinOp) and product.site is z and product.op in ("mul", "div"):
            left, right = (place.facts.value(product[k]).constant for k in ("a", "b"))
            number = right if left is None else left
            rate = 2**0.5 if product.op == "div" else 0.5**0.5
            if number is not None and (left is None or right is None) and (left is None or product.op == "mul"):
                x = z.left if left is None else z.right
                if math.isclose(abs(number), rate, rel_tol=1e-6):
                    return negated(place.text(x)) if negative is (number > 0) else place.text(x)
        return written("-z * 2**0.5" if negative else "z * 2**0.5", {"z": place.text(z)})

    def distribution(self, place: Place) -> str | None:
        """The function of the same module that gives the logarithm of this one, or of its complement."""
        inner = place.written(self.tail.core)
        if inner is None or inner.function is None or self.tail.sign > 0:
            return None
        if not all(place.means_the_same(e, place.site) for e in inner.arguments.values()):
            return None
        module, _, last = inner.spelling.name.rpartition(".")
        x, minus = inner.operand("x"), False
        if self.tail.sign < 0:
            last = COMPLEMENTS.get(last, "")
            minus, last = last.startswith("-"), last.removeprefix("-")
        spellings = place.facts.lowering.spellings
        for name in (f"log{last}", f"log_{last}"):
            found = spellings.get(f"{module}.{name}") if last else None
            if found is not None and found.op == "log_cdf" and x is not None:
                function = place.spell(found.name)
                replacing = {id(x): negated(place.text(x))} if minus else {}
                return self.plus_log(place.call(inner.call, function, replacing), self.tail.scale) if function else None
        return None

    def difference_of_exponentials(self, place: Place) -> str | None:
        """1 - exp(x) is -expm1(x)."""
        x, log = self.argument(place, self.tail.core), place.written(self.log)
        if x is None or log is None:
            return None
        other = self.log.op == "log1p" or log.receiver is not None
        text = place.write("log(-expm1(x))" if other else "log_(-expm1(x))", x=x, log_=log.call.func)
        return self.plus_log(text, self.tail.scale) if text is not None else None

    def slope_of_tanh(self, place: Place) -> str | None:
        """1 - tanh(x)**2 is 4 * exp(-2x) / (1 + exp(-2x))**2."""
        root = square_root_of(self.tail.core)
        x = self.argument(place, bare(root)) if root is not None else None
        if x is None or not place.repeatable(x):
            return None
        softplus = "logaddexp(0, -2 * x)" if place.framework in ("numpy", "scipy") else "softplus(-2 * x)"
        text = place.write(f"2 * (math.log(2) - x - {softplus})", x=x)
        return self.plus_log(text, self.tail.scale) if text is not None else None
