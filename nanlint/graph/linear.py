"""Linear forms: a number plus multiples of atoms, so that `a + -b` is `a - b`, and `x - y` a multiple of `y - x`."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

#: what is left of coefficients that cancel, beside them: the rounding of their arithmetic
TOLERANCE = 1e-12


@dataclass(frozen=True, slots=True)
class Linear:
    """``number`` plus multiples of atoms, by key and sorted. ``roundings``: operations that round on the way to it."""

    number: float = 0.0
    terms: tuple[tuple[int, float], ...] = ()
    roundings: int = 0

    @property
    def constant(self) -> float | None:
        """The number that it is, where it has no atoms."""
        return None if self.terms else self.number

    def plus(self, other: Linear, factor: float = 1.0) -> Linear:
        """The sum of this and a multiple of another."""
        terms = dict(self.terms)
        for atom, coefficient in other.terms:
            terms[atom] = summed(terms.get(atom, 0.0), factor * coefficient)
        return Linear(
            summed(self.number, factor * other.number),
            tuple(sorted((atom, c) for atom, c in terms.items() if c)),
            self.roundings + other.roundings + 1,
        )

    def times(self, factor: float) -> Linear:
        if not factor:
            return Linear()
        # what gets smaller may become 0: that counts twice
        rounds = 0 if not self.terms or abs(factor) == 1 else 1 if abs(factor) > 1 else 2
        terms = tuple((atom, c * factor) for atom, c in self.terms)
        return Linear(self.number * factor, terms, self.roundings + rounds)

    def multiple(self) -> tuple[float, tuple[tuple[int, float], ...]] | None:
        """What it is a multiple of, but for its number, and the factor; None where floats do not tell."""
        factor = self.terms[0][1] if self.terms else 0.0
        terms = tuple((atom, c / factor) for atom, c in self.terms) if factor else ()
        told = terms and all(0 < abs(c) < math.inf for c in (factor, *(c for _, c in terms)))
        return (factor, terms) if told and math.isfinite(self.number) else None


class Multiple(NamedTuple):
    """``factor * direction + shift``, for the direction that all multiples of a sum of atoms have, as a key."""

    direction: int
    factor: float
    shift: float


def summed(a: float, b: float) -> float:
    """A sum, 0 where it is but a rounding."""
    return 0.0 if abs(a + b) <= TOLERANCE * abs(b) else a + b


def combined(op: str, operands: Callable[[str], Linear]) -> Linear | None:
    """The form of a sum, difference, negation, or product or quotient with a number; None for all else."""
    if op in ("add", "sub"):
        return operands("a").plus(operands("b"), 1.0 if op == "add" else -1.0)
    if op == "neg":
        return operands("x").times(-1.0)
    if op in ("mul", "div"):
        one, other = operands("a"), operands("b")
        if (number := other.constant) is not None and (op == "mul" or number):
            return one.times(number if op == "mul" else 1 / number)
        if op == "mul" and (number := one.constant) is not None:
            return other.times(number)
    return None
