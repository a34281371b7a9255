"""What a fix is before it meets the source: a codemod over lossless nodes, and the place it is applied at."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from nanlint.diagnostic import Fix

if TYPE_CHECKING:
    from nanlint.fixes.place import Place


class Codemod(Protocol):
    """A rewrite that a rule proposes. It knows the ops it is about; the place knows the source."""

    def rewrite(self, place: Place) -> Fix | None:
        """The fix at a place, or None where it cannot be had."""
        ...
