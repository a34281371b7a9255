"""What a person would write in the place of a logarithm of a clipped probability: the logarithm of the logits."""

from __future__ import annotations

from dataclasses import dataclass

from nanlint.diagnostic import Fix
from nanlint.fixes.place import Place, display
from nanlint.graph.node import Node


@dataclass(frozen=True)
class OnLogits:
    """``log_softmax`` or ``log_sigmoid`` of what ``squashed`` is given, for reading."""

    squashed: Node

    def rewrite(self, place: Place) -> Fix | None:
        written = place.written(self.squashed)
        x = written.operand("x") if written is not None else None
        text = place.write(f"log_{self.squashed.op}(x)", x=x if x is not None else "logits")
        if text is None:
            return None
        return display(text, f"compute the logarithm from the logits: `{text}`")
