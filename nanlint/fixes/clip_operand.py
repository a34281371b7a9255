"""log(x) becomes log of x clipped to the smallest normal number, or to the author's epsilon; exponents are bounded."""

from __future__ import annotations

import ast
import math
from collections.abc import Iterator
from dataclasses import dataclass

from nanlint.analysis.cancellation import affine
from nanlint.diagnostic import Applicability, Edit, Fix
from nanlint.fixes.bounds import own_epsilon, smallest
from nanlint.fixes.place import Place, display
from nanlint.fixes.template import has_names
from nanlint.graph.node import Node
from nanlint.ops.floats import FLOAT32

#: how large an exponent may become for training to go on from there: the exponential is below 1e9, or 1e3
MOST_EXPONENT, MOST_EXPONENT_IN_HALF = 20.0, 6.0
BASES = {"log2": 2.0, "log10": 10.0}


@dataclass(frozen=True)
class ClipOperand:
    """The operand of a log, clipped to the smallest normal number of its dtype: what is below it is 0, or nearly.

    Unsafe: 0 gets a logarithm, and no gradient. For display where -inf is what the function is to return, unless what
    is clipped is ``negative``, and the logarithm nan.
    """

    log: Node
    operand: Node
    negative: bool = False

    def rewrite(self, place: Place) -> Iterator[Fix]:
        written = place.written(self.log)
        x = written.operand("x") if written is not None else None
        if written is None or x is None:
            return
        for edits, text in self.forms(place, x):
            meant = place.facts.means_infinity(self.log) and not self.negative
            if meant or place.is_compiled or place.is_tensor(self.log["x"]) is False:
                yield display(text)
                return
            fmt, own = place.facts.value(self.log["x"]).format, self.own(place)
            # a number that is written out is one of every format
            bound = smallest(place, self.log["x"]) if "tiny" not in text else fmt.tiny
            least = math.log(fmt.eps if self.log.op == "log1p" else bound, BASES.get(self.log.op, math.e))
            becomes = f"{least:.1f} in {fmt.name}" if own is None else f"that of {own}"
            message = f"clip to `{text}`: the log of smaller values becomes {becomes}, with gradient 0"
            edits = [*edits, place.put(x, text)]
            yield place.fix(
                Applicability.UNSAFE, edits, text, message, style="epsilon", changes=own is not None and has_names(own)
            )

    def own(self, place: Place) -> str | None:
        """The epsilon that the function is given to keep off such points."""
        return own_epsilon(place, self.log.op, self.log["x"]) if self.log.op != "log1p" else None

    def forms(self, place: Place, x: ast.expr) -> Iterator[tuple[list[Edit], str]]:
        """The operand with a lower bound: by its own dtype where the framework can be asked, and it can be named."""
        value = place.facts.value(self.log["x"])
        above = self.log.op == "log1p"
        both = place.framework != "torch" and not above and value.lo >= 0 and value.hi <= 1
        template = "clamp(x, bound, 1.0)" if both else "clamp(x, min=bound)"
        if not place.framework:  # what is written with Keras 2 alone
            template = "keras.backend.maximum(x, bound)"
        if (own := self.own(place)) is not None:
            text = place.write(template, x=x, bound=own)
            if text is not None:
                yield [], text
                return
        # what PyTorch's logarithm takes is a tensor; the others' take numbers, too
        if not value.whole and (place.framework == "torch" or place.is_array_of(self.log["x"], place.framework)):
            named = place.named(x, "argument", "density")
            name = named[0] if named is not None else ""
            limit = place.write("format_limits(x.dtype)", x=name) if name.replace(".", "").isidentifier() else None
            if named is not None and limit is not None:
                text = place.write(template, x=name, bound=f"{limit}.eps - 1" if above else f"{limit}.tiny")
                if text is not None:
                    yield named[1], text
                    return
        number = f"-1 + {value.format.eps:.0e}" if above else f"{smallest(place, self.log['x']):.0e}"
        text = place.write(template, x=x, bound=number)
        if text is not None:
            yield [], text


@dataclass(frozen=True)
class ClipExponent:
    """What an exponential is taken of, bounded for all its uses where it has a name; else the exponent alone.

    For display: exponentials beyond the bound are right numbers until they overflow, and nothing pulls an exponent
    back that gets no gradient. What bounds it well, a tanh, another parameter, a smaller step, is for its author.
    """

    exp: Node

    def rewrite(self, place: Place) -> Iterator[Fix]:
        place = place.at(self.exp)
        facts = place.facts
        written = place.written(self.exp)
        x = written.operand("x") if written is not None else None
        if x is None or self.exp.op != "exp":
            return
        half = facts.value(self.exp["x"]).format.max_exponent < FLOAT32.max_exponent
        factor = abs(affine(self.exp["x"], facts.value).factor)
        most = float(f"{(MOST_EXPONENT_IN_HALF if half else MOST_EXPONENT) / max(1.0, factor):.3g}")
        names = {n.id for n in ast.walk(x) if isinstance(n, ast.Name) and place.file.imports.means(n.id, n) is None}
        name = next(iter(names)) if len(names) == 1 and names.isdisjoint({"self", "cls"}) else ""
        text = place.write(f"clamp(x, {-most}, {most})" if name else f"clamp(x, max={most})", x=name or x)
        if text is not None:
            shown = f"{name} = {text}" if name else text
            yield display(shown, f"consider `{shown}`: beyond the bounds values change, and the gradient is 0")
