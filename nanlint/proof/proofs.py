"""What is asked of a worker, and what it answers. Plain data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeAlias

from nanlint.diagnostic import Witness
from nanlint.ops.floats import FLOAT64
from nanlint.proof.agreement import Pair
from nanlint.proof.search import Found
from nanlint.proof.slice import Slice


@dataclass(frozen=True)
class Question:
    """Is there an input that fails? Of the ``slices``, each another call of the same place, the first will do."""

    slices: tuple[Slice, ...]
    seconds: float

    @property
    def framework(self) -> str:
        """Where it is to be executed."""
        return self.slices[0].framework


@dataclass(frozen=True)
class Proof:
    """What came of a search. ``slice``: the number of the one that fails.

    ``searched``: it was looked for. ``refuted``: everywhere, every step could be computed, and nothing fails.
    """

    witness: Witness | None = None
    found: Found | None = None
    slice: int = 0
    searched: bool = False
    refuted: bool = False


@dataclass(frozen=True)
class MendedQuestion:
    """Is what stands there now finite, and its gradient?

    ``given``: the numbers that failed, by name; ``largest``: what a number may be that comes in the place of none.
    """

    program: Slice
    given: Mapping[str, tuple[float, ...]]
    width: int
    largest: float = FLOAT64.max

    @property
    def framework(self) -> str:
        """Where it is to be executed."""
        return self.program.framework


@dataclass(frozen=True)
class Mended:
    """``ends``: the same input gives finite numbers; None where that could not be executed. ``text``: what it gives."""

    ends: bool | None = None
    text: str = ""


Task: TypeAlias = Question | MendedQuestion | Pair
