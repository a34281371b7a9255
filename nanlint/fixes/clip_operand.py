"""log(x) becomes log of x clipped to the smallest normal number."""

from __future__ import annotations

import ast
import math
from dataclasses import dataclass

from nanlint.diagnostic import Applicability, Edit, Fix
from nanlint.fixes.place import Place, display
from nanlint.fixes.safe_root import named
from nanlint.graph.node import Node
from nanlint.ops.floats import FLOAT32
from nanlint.ops.writing import function_for

#: Keras' own epsilon, for what is divided by: 1 over it is no large number. It is not 0 in any format (the least of
#: float16 is 6e-8).
BOUND = "1e-7"
BASES = {"log2": 2.0, "log10": 10.0}


def smallest(place: Place, node: Node) -> float:
    """A power of ten that is a normal number in the format of an operand, and in single precision if that is finer."""
    return float(10.0 ** math.ceil(math.log10(max(place.facts.value(node).format.tiny, FLOAT32.tiny))))


@dataclass(frozen=True)
class ClipOperand:
    """The operand of a log, clipped to the smallest normal number of its dtype: what is below it is 0, or nearly.

    Unsafe: 0 gets a logarithm, and no gradient. For display where -inf is what the function is to return, unless what
    is clipped is ``negative``, and the logarithm nan.
    """

    log: Node
    operand: Node
    negative: bool = False

    def rewrite(self, place: Place) -> Fix | None:
        written = place.written(self.log)
        x = written.operand("x") if written is not None else None
        if written is None or x is None:
            return None
        bound, edits, name = self.bound(place, x)
        text = self.clipped(place, x, bound, name, method=written.receiver is x)
        if text is None:
            return None
        meant = place.facts.means_infinity(self.log) and not self.negative
        if meant or place.is_compiled or place.is_tensor(self.log["x"]) is False:
            return display(text)
        fmt = place.facts.value(self.log["x"]).format
        least = math.log(fmt.eps if self.log.op == "log1p" else fmt.tiny, BASES.get(self.log.op, math.e))
        message = f"clip to `{text}`: the log of anything below becomes {least:.1f} in {fmt.name}, without a gradient"
        return place.fix(Applicability.UNSAFE, [*edits, place.put(x, text)], text, message)

    def bound(self, place: Place, x: ast.expr) -> tuple[str, list[Edit], str | None]:
        """The least that is not 0, or where log1p is singular, and what the operand is called for it.

        By the operand's own dtype where the framework can be asked, and the operand can be named; else a number.
        """
        value = place.facts.value(self.log["x"])
        above = self.log.op == "log1p"
        function = function_for("format_limits", place.framework)
        # what PyTorch's logarithm takes is a tensor; the others' take numbers, too
        arrays = not value.whole and (place.framework == "torch" or place.is_array_of(self.log["x"], place.framework))
        found = named(place, x, "argument", "density") if function is not None and arrays else None
        spelled = place.spell(function) if function is not None and found is not None else None
        if found is None or spelled is None or not found[0].replace(".", "").isidentifier():
            return (f"-1 + {value.format.eps:.0e}" if above else f"{smallest(place, self.log['x']):.0e}"), [], None
        limit = f"{spelled}({found[0]}.dtype)"
        return (f"{limit}.eps - 1" if above else f"{limit}.tiny"), found[1], found[0]

    def clipped(self, place: Place, x: ast.expr, bound: str, name: str | None, *, method: bool) -> str | None:
        """The operand with a lower bound, in the style of the file."""
        argument = name or place.argument(x)
        if place.framework == "torch":
            function = None if method else place.spell("torch.clamp")
            if function is None:
                return f"{name or place.primary(x)}.clamp(min={bound})"
            return f"{function}({argument}, min={bound})"
        value = place.facts.value(self.log["x"])
        if self.log.op != "log1p" and value.lo >= 0 and value.hi <= 1:
            function = place.function("clamp")
            return f"{function}({argument}, {bound}, 1.0)" if function else None
        function = place.function("maximum") if place.framework else place.spell("keras.backend.maximum")
        return f"{function}({argument}, {bound})" if function else None
