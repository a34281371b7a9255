"""What the parts of the front end have in common."""

from __future__ import annotations

from typing import TYPE_CHECKING

from nanlint.frontend.frames import Frame

if TYPE_CHECKING:
    from nanlint.frontend.lower import Lowering


class Part:
    """A part of the front end. Python's grammar is recursive, and so parts ask each other, through what holds them."""

    def __init__(self, lowering: Lowering) -> None:
        self.lowering = lowering
        self.graph = lowering.graph
        self.spellings = lowering.spellings
        self.view, self.module = lowering.view, lowering.module

    @property
    def frame(self) -> Frame:
        """What is being lowered."""
        return self.lowering.frame
