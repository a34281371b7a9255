"""Placeholder of a codemod."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from nanlint.diagnostic import Fix
from nanlint.graph.node import Node

if TYPE_CHECKING:
    from nanlint.fixes.place import Place


@dataclass(frozen=True)
class LogOf:
    stable: str
    log: Node
    inner: Node
    complement: bool = False

    def rewrite(self, place: Place) -> Fix | None:
        return None
