"""What an op is: its operands, its transfer function, the poles of its value and derivative. And the registry."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from nanlint.ops.value import TOP, Value

Operands = Mapping[str, Value]
Transfer = Callable[[Operands, Mapping[str, Any]], Value]

#: where the shift of a pole's operand starts
SHIFTED = re.compile(r"(?=[+-])")


def shifted(operand: str) -> tuple[str, float]:
    """An operand of a pole without its shift, and the number that is added to it: "x-1" is x and -1."""
    name = SHIFTED.split(operand)[0]
    return name, float(operand[len(name) :] or 0)


@dataclass(frozen=True)
class Pole:
    """Where an op breaks: the class of ``operand`` at which it does, and what comes out ("-inf", "inf", "nan").

    ``operand`` may be shifted by a number: "x-1" is zero where x is 1 and positive beyond; "result" is the op's own
    result. ``also``: other operands, shifted or not, and the classes that they must be in at the same time.
    ``gradient``: only the derivative breaks there. ``frameworks``: those in which it does (None: all that have one).
    Of an op along an axis, all elements of a row are in the class.
    """

    operand: str
    cls: str
    gives: str
    gradient: bool = False
    frameworks: frozenset[str] | None = None
    also: tuple[tuple[str, str], ...] = ()

    @cached_property
    def name(self) -> str:
        """The operand without its shift."""
        return shifted(self.operand)[0]

    @cached_property
    def shift(self) -> float:
        """The number that is added to the operand before its class is asked for."""
        return shifted(self.operand)[1]


@dataclass(frozen=True)
class Op:
    """A neutral operation.

    ``operands`` are its tensor operands and its numeric parameters, in order. ``pointwise``: element i of the result
    depends on element i of the operands only, so masking the result masks the operand. ``poles_for``: its poles where
    they depend on what is known of the operands (a power's on its exponent). ``view``: same elements, other shape
    or place. ``pure``: same operands, same result. ``stops_gradient``: nothing flows back. ``reduction``: many elements
    become one. Of an op that is not pointwise: ``zero_preserving``: it is 0 where all its operands are 0 throughout,
    and where one is if it is ``bilinear``; ``keeps_constants``: equal elements are its result; ``flat``: they give 0.
    """

    name: str
    operands: tuple[str, ...]
    transfer: Transfer
    poles: tuple[Pole, ...] = ()
    poles_for: Callable[[Operands], tuple[Pole, ...]] | None = None
    pointwise: bool = False
    view: bool = False
    pure: bool = True
    stops_gradient: bool = False
    reduction: bool = False
    zero_preserving: bool = False
    bilinear: bool = False
    keeps_constants: bool = False
    flat: bool = False

    @property
    def breaks(self) -> bool:
        return bool(self.poles) or self.poles_for is not None

    @cached_property
    def breaking(self) -> tuple[str, ...]:
        """The operands that decide whether it breaks."""
        named = {name for pole in self.poles for name in (pole.name, *(shifted(also)[0] for also, _ in pole.also))}
        return self.operands if self.poles_for is not None or "result" in named else tuple(named)


OPS: dict[str, Op] = {}


def unknown(_: Operands, __: Mapping[str, Any]) -> Value:
    """The transfer function of an op of which nothing is known."""
    return TOP


def define(
    name: str,
    operands: str,
    transfer: Transfer = unknown,
    *poles: Pole,
    poles_for: Callable[[Operands], tuple[Pole, ...]] | None = None,
    **traits: bool,
) -> Op:
    """Enter an op in the catalogue. ``operands`` is a space-separated list of names."""
    op = Op(name, tuple(operands.split()), transfer, poles, poles_for, **traits)
    OPS[name] = op
    return op
