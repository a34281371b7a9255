"""log(x) becomes log of x clipped to a small positive bound."""

from __future__ import annotations

import ast
import math
from dataclasses import dataclass

from nanlint.diagnostic import Applicability, Fix
from nanlint.fixes.place import Place
from nanlint.graph.node import Node

#: Keras' own epsilon. It is not 0 in any format (the least float16 is 6e-8), and 1 minus it is below 1 in float32
#: (whose spacing there is 6e-8), so that a clip of p and one of 1 - p both mean something.
BOUND = "1e-7"
BASES = {"log2": 2.0, "log10": 10.0}
_CLIP = {
    "tensorflow": "tensorflow.clip_by_value",
    "keras": "keras.ops.clip",
    "jax": "jax.numpy.clip",
    "numpy": "numpy.clip",
}
_MAXIMUM = {
    "tensorflow": "tensorflow.maximum",
    "keras": "keras.ops.maximum",
    "jax": "jax.numpy.maximum",
    "numpy": "numpy.maximum",
}
_MAXIMUM["keras.backend"] = "keras.backend.maximum"


@dataclass(frozen=True)
class ClipOperand:
    """The operand of a log, clipped. Unsafe: values below the bound change, and get no gradient."""

    log: Node
    operand: Node

    def rewrite(self, place: Place) -> Fix | None:
        written = place.written(self.log)
        x = written.operand("x") if written is not None else None
        if written is None or x is None:
            return None
        bound = f"-1 + {BOUND}" if self.log.op == "log1p" else BOUND
        text = self.clipped(place, x, bound, method=written.receiver is x)
        if text is None:
            return None
        least = math.log(float(BOUND), BASES.get(self.log.op, math.e))
        message = f"clip to `{text}`: the log of anything below becomes {least:.1f}, without gradient"
        return place.fix(Applicability.UNSAFE, [place.put(x, text)], text, message)

    def clipped(self, place: Place, x: ast.expr, bound: str, *, method: bool) -> str | None:
        """The operand with a lower bound, in the style of the file."""
        framework = "numpy" if place.framework == "scipy" else place.framework
        if framework == "torch":
            function = None if method else place.spell("torch.clamp")
            if function is None:
                return f"{place.primary(x)}.clamp(min={bound})"
            return f"{function}({place.argument(x)}, min={bound})"
        if framework == "":
            framework = "keras.backend"
        value = place.facts.value(self.log["x"])
        if self.log.op != "log1p" and value.lo >= 0 and value.hi <= 1:
            function = place.spell(_CLIP.get(framework, ""))
            return f"{function}({place.argument(x)}, {bound}, 1.0)" if function else None
        function = place.spell(_MAXIMUM.get(framework, ""))
        return f"{function}({place.argument(x)}, {bound})" if function else None
