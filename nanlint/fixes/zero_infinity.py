"""A CTC loss that may be infinite is told to count such a sequence as 0."""

from __future__ import annotations

import ast
from dataclasses import dataclass

from nanlint.diagnostic import Applicability, Fix
from nanlint.fixes.place import Place
from nanlint.graph.node import Node


@dataclass(frozen=True)
class ZeroInfinity:
    """``zero_infinity=True`` for the function, or for the layer where it is made.

    Safe: a loss that is finite stays as it is, with its gradient; one that is inf becomes 0, with a gradient of 0.
    """

    loss: Node

    def rewrite(self, place: Place) -> Fix | None:
        layer = self.loss.get("layer")
        call = self.loss.site if layer is None else layer.site
        if not isinstance(call, ast.Call) or any(k.arg in (None, "zero_infinity") for k in call.keywords):
            return None
        return place.fix(Applicability.SAFE, [place.also_given(call, "zero_infinity=True")], "zero_infinity=True")
