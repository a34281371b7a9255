"""The record of a hazard: who makes the singular number, what guards it, where it goes. Its level follows from it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property

from nanlint.analysis.gradient import Flow
from nanlint.graph.node import Node
from nanlint.hazards.level import Level, Seen, level
from nanlint.ops.arithmetic import add
from nanlint.ops.op import Pole
from nanlint.ops.value import CERTAIN, Evidence, Reach, Value, constant

__all__ = ["RULED_OUT", "Cleared", "Form", "Hazard", "Maker", "Seen", "Sink", "form", "moved"]

#: why a pole is no hazard where the range or a guard says so
RULED_OUT = "ruled out"


@dataclass(frozen=True)
class Maker:
    """What makes the singular number, in words, and how surely the analysis knows it by itself."""

    reach: Reach
    evidence: Evidence


@dataclass(frozen=True, eq=False)
class Sink:
    """Where what an op gives at a pole goes: as a value, or only its slope as a gradient.

    ``kind``: "value" or "gradient", or what was seen of the value: "decides", "discarded", "documented". ``flow``: how
    far it is known that a gradient comes back. ``node``: what takes it, where that is seen. ``words``: as a phrase.
    """

    kind: str
    flow: Flow
    node: Node | None
    words: str


#: that of what was not weighed
NOWHERE = Sink("value", Flow.NO, None, "")


@dataclass(frozen=True, eq=False)
class Hazard:
    """An op whose operand may be at one of its poles.

    ``operand`` is the node that reaches the singular point and ``value`` what is known of it. ``seen``: all that was
    seen of its maker, of guards and of where the result goes, with the node that it was seen of. ``sink``: where
    that is.
    """

    node: Node
    pole: Pole
    operand: Node
    value: Value
    maker: Maker
    seen: Mapping[Seen, Node | None] = field(default_factory=dict)
    sink: Sink = NOWHERE

    @property
    def evidence(self) -> Evidence:
        return self.maker.evidence

    @property
    def guard(self) -> Node | None:
        """The selection that masks the value of the result: then only the gradient is hurt."""
        return self.seen.get(Seen.HIDDEN)

    @property
    def cause(self) -> tuple[Node, str]:
        """Where what is at the pole is made, and what makes it so."""
        return self.evidence.node or self.operand, self.evidence.text

    @cached_property
    def level(self) -> Level:
        origin = self.evidence.origin.name.lower() if self.evidence.origin is not None else "what-is-known"
        return level(Level(self.maker.reach, f"made-by-{origin}", self.evidence.text), self.seen)

    @property
    def reach(self) -> Reach:
        return self.level.reach

    def but(self, *seen: Seen | bool) -> Hazard:
        """The same, of which more was seen; False is nothing."""
        new = [one for one in seen if isinstance(one, Seen)]
        return replace(self, seen={**self.seen, **dict.fromkeys(new)}) if new else self


@dataclass(frozen=True)
class Form:
    """A form of expression that breaks, or costs digits, how surely by itself, and what was seen of it."""

    reach: Reach
    seen: frozenset[Seen | bool]

    @property
    def level(self) -> Level:
        return level(Level(self.reach, "made-by-form", "it breaks for ordinary input"), self.seen)


def form(*seen: Seen | bool, reach: Reach = CERTAIN) -> Form:
    """The record of a form; False is nothing."""
    return Form(reach, frozenset(seen))


@dataclass(frozen=True, eq=False)
class Cleared:
    """A pole that is no hazard of an op, and why not. ``value``: what is known of the operand, where there is one."""

    node: Node
    pole: Pole
    why: str
    value: Value | None = None


def moved(v: Value, by: float) -> Value:
    """A value moved by the shift of a pole."""
    return add(v, constant(by)) if by else v
