"""max(a, b) + log1p(exp(-|a - b|)) becomes logaddexp(a, b)."""

from __future__ import annotations

import ast
from dataclasses import dataclass

from nanlint.analysis.log_space import LogAddition
from nanlint.analysis.structure import bare
from nanlint.diagnostic import Applicability, Fix
from nanlint.fixes.place import Place, display


@dataclass(frozen=True)
class LogAdd:
    """The library's ``logaddexp`` of two terms. Safe: it differs where the result was NaN.

    Unsafe in JAX, whose abs has a slope of 1 at 0: there the gradient where both are equal changes (to the true one).
    """

    addition: LogAddition

    def rewrite(self, place: Place) -> Fix | None:
        site, terms = self.addition.total.site, self.terms(place)
        text = place.write("logaddexp(a, b)", **(dict(zip("ab", terms, strict=True)) if terms is not None else {}))
        if text is None or not isinstance(site, ast.expr):
            return None
        if terms is None:
            return display(text)
        if not all(place.means_the_same(e, site) for e in terms):
            return display(text)
        one_sided = place.framework == "jax" and bare(self.addition.difference["a"]).op != "minimum"
        applicability = Applicability.UNSAFE if one_sided else Applicability.SAFE
        return place.fix(applicability, [place.put(site, text)], text)

    def terms(self, place: Place) -> list[ast.expr] | None:
        """The two terms as they are written, in their difference or where the larger is taken."""
        difference = self.addition.difference
        source = difference if difference["a"] is self.addition.a else bare(difference["b"])
        found = [place.operand_of(source, k) for k in ("a", "b")]
        return [e for e in found if e is not None] if None not in found else None
