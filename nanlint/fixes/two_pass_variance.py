"""mean(x**2) - mean(x)**2 becomes the library's own variance, which subtracts the mean first."""

from __future__ import annotations

import ast
from dataclasses import dataclass

from nanlint.analysis.structure import bare, square_root_of
from nanlint.diagnostic import Applicability, Fix
from nanlint.fixes.place import Place
from nanlint.fixes.reading import Written
from nanlint.fixes.template import written
from nanlint.graph.node import Node

#: how a mean is told to keep its axis
KEEPS = frozenset({"keepdim", "keepdims", "keep_dims"})


@dataclass(frozen=True)
class TwoPassVariance:
    """``var`` in the place of ``difference``. Unsafe: where the terms are nearly equal its digits are others."""

    difference: Node

    def rewrite(self, place: Place) -> Fix | None:
        root = square_root_of(self.difference["b"])
        if root is None or not isinstance(self.difference.site, ast.BinOp):
            return None
        squares, mean = place.written(bare(self.difference["a"])), place.written(bare(root))
        if squares is None or mean is None or not self.same_axis(squares, mean):
            return None
        taken = {mean.spelling.operands.get(o) for o in ("x", "axis")} | KEEPS
        if not mean.arguments.keys() <= taken:
            return None  # a mean with weights, of a window: no variance has them
        x = mean.operand("x")
        if x is None or not all(place.means_the_same(e, place.site) for e in mean.arguments.values()):
            return None
        torch = place.framework == "torch"
        positional = len(mean.call.args) + int(mean.receiver is not None)
        if torch and positional > 2:
            return None  # the third argument of torch.var is another
        method = written("x.var", {"x": place.text(mean.receiver)}) if mean.receiver is not None else None
        function = method or place.function("var")
        if function is None:
            return None
        text = place.call(mean.call, function, more=["unbiased=False"] if torch else [])
        message = f"subtract the mean first: `{text}`"
        return place.fix(Applicability.UNSAFE, [place.put(self.difference.site, text)], text, message)

    def same_axis(self, squares: Written, mean: Written) -> bool:
        """Whether both means are taken alike."""
        alike = [
            {name: ast.dump(e) for name, e in call.arguments.items() if e is not call.operand("x")}
            for call in (squares, mean)
        ]
        return alike[0] == alike[1]
