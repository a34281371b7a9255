"""What a fix is before it meets the source: a codemod, and the forms that it has at a place."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Protocol

from nanlint.diagnostic import Applicability, Fix

if TYPE_CHECKING:
    from nanlint.fixes.place import Place


class Codemod(Protocol):
    """A rewrite that a rule proposes. It knows the ops it is about; the place knows the source."""

    def rewrite(self, place: Place) -> Fix | Iterable[Fix] | None:
        """The fix at a place, or several, the best form first; None where it cannot be had."""
        ...


def choices(codemod: Codemod, place: Place, style: str) -> tuple[Fix, ...]:
    """The forms that a fix may take at a place: those of a style first, those that are long late, only shown last."""
    made = codemod.rewrite(place)
    found = () if made is None else (made,) if isinstance(made, Fix) else made

    def order(fix: Fix) -> tuple[bool, bool, int]:
        return fix.applicability is Applicability.DISPLAY, fix.style != style, place.excess(fix.edits)

    return tuple(sorted(dict.fromkeys(found), key=order))
