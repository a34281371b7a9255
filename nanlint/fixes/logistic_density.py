"""exp(-x) / (1 + exp(-x))**2 becomes sigmoid(x) * sigmoid(-x)."""

from __future__ import annotations

import ast
from dataclasses import dataclass

from nanlint.analysis.cancellation import affine
from nanlint.analysis.structure import bare, same, square_root_of
from nanlint.diagnostic import Applicability, Fix
from nanlint.fixes.place import Place
from nanlint.graph.node import Node


@dataclass(frozen=True)
class LogisticDensity:
    """The product of a sigmoid and its complement, where a quotient is that. Unsafe where SciPy has to be imported."""

    quotient: Node

    def rewrite(self, place: Place) -> Fix | None:
        exp, root = bare(self.quotient["a"]), square_root_of(self.quotient["b"])
        if exp.op != "exp" or root is None or not isinstance(place.site, ast.BinOp):
            return None
        below = affine(root, place.facts.value)
        written = place.written(exp)
        x = written.operand("x") if written is not None and written.only("x") else None
        if (below.offset, below.factor) != (1.0, 1.0) or not same(below.core, exp) or x is None:
            return None
        if isinstance(x, ast.UnaryOp) and isinstance(x.op, ast.USub):
            x = x.operand
        if not place.repeatable(x) or not place.means_the_same(x, place.site):
            return None
        text = place.write("sigmoid(x) * sigmoid(-x)", x=x)
        if text is None:
            return None
        return place.fix(place.without_scipy(Applicability.SAFE), [place.put(place.site, text)], text)
