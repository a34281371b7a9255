"""What an op is: its operands, its transfer function, the poles of its value and derivative. And the registry."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from nanlint.ops.value import TOP, Value

Operands = Mapping[str, Value]
Transfer = Callable[[Operands, Mapping[str, Any]], Value]


@dataclass(frozen=True)
class Pole:
    """Where an op breaks: the class of ``operand`` at which it does, and what comes out ("-inf", "inf", "nan").

    ``gradient``: only the derivative breaks there. ``frameworks``: those in which it does (None: all that have one).
    """

    operand: str
    cls: str
    gives: str
    gradient: bool = False
    frameworks: frozenset[str] | None = None


@dataclass(frozen=True)
class Op:
    """A neutral operation.

    ``operands`` are its tensor operands and its numeric parameters, in order. ``pointwise``: element i of the result
    depends on element i of the operands only, so masking the result masks the operand. ``view``: same elements, other
    shape or place. ``pure``: same operands, same result. ``stops_gradient``: nothing flows back. ``reduction``: many
    elements become one.
    """

    name: str
    operands: tuple[str, ...]
    transfer: Transfer
    poles: tuple[Pole, ...] = ()
    pointwise: bool = False
    view: bool = False
    pure: bool = True
    stops_gradient: bool = False
    reduction: bool = False


OPS: dict[str, Op] = {}


def unknown(_: Operands, __: Mapping[str, Any]) -> Value:
    """The transfer function of an op of which nothing is known."""
    return TOP


def define(name: str, operands: str, transfer: Transfer = unknown, *poles: Pole, **traits: bool) -> Op:
    """Enter an op in the catalogue. ``operands`` is a space-separated list of names."""
    op = Op(name, tuple(operands.split()), transfer, poles, **traits)
    OPS[name] = op
    return op
