"""Linear forms: a number plus multiples of atoms, so that `a + -b` is `a - b`, and `x - y` a multiple of `y - x`."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass
from typing import Generic, NamedTuple, TypeVar

Atom = TypeVar("Atom", bound=Hashable)

#: what is left of coefficients that cancel, beside them: the rounding of their arithmetic
TOLERANCE = 1e-12


@dataclass(frozen=True, slots=True)
class Linear(Generic[Atom]):
    """``number`` plus the multiples of atoms. ``roundings``: operations that round on the way to it."""

    number: float = 0.0
    terms: tuple[tuple[Atom, float], ...] = ()
    roundings: int = 0

    @property
    def constant(self) -> float | None:
        """The number that it is, where it has no atoms."""
        return None if self.terms else self.number

    def plus(self, other: Linear[Atom], factor: float = 1.0) -> Linear[Atom]:
        """The sum of this and a multiple of another."""
        terms = dict(self.terms)
        for atom, coefficient in other.terms:
            before, more = terms.get(atom, 0.0), factor * coefficient
            terms[atom] = 0.0 if abs(before + more) <= TOLERANCE * abs(more) else before + more
        total, more = self.number + factor * other.number, abs(factor * other.number)
        return Linear(
            0.0 if abs(total) <= TOLERANCE * more else total,
            ordered((a, c) for a, c in terms.items() if c),
            self.roundings + other.roundings + 1,
        )

    def times(self, factor: float) -> Linear[Atom]:
        """A multiple of this."""
        if not factor:
            return Linear()
        exact = factor in (1, -1) or not self.terms
        terms = tuple((a, c * factor) for a, c in self.terms)
        return Linear(self.number * factor, terms, self.roundings + (not exact))


def ordered(terms: Iterable[tuple[Atom, float]]) -> tuple[tuple[Atom, float], ...]:
    """Terms in the order that makes equal sums equal."""
    return tuple(sorted(terms, key=lambda term: term[0]))  # type: ignore[arg-type, return-value]


class Multiple(NamedTuple):
    """``factor * direction + shift``, for the direction that all multiples of a sum of atoms have, as a key."""

    direction: int
    factor: float
    shift: float
    #: whether the direction is a sum, not one atom alone
    of_many: bool


def combined(op: str, operands: Callable[[str], Linear[Atom]]) -> Linear[Atom] | None:
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
