"""What the interpreter asks of a framework: rows of numbers, a few moves, and the op as the framework computes it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from nanlint.proof.slice import Step

#: a row of the framework, or a Python number where the program has one
Numbers = Any


class Unsupported(Exception):
    """A step cannot be computed: the framework has no such op, or not for these operands."""


class Backend(ABC):
    """One framework. ``format`` is that of constants which become rows."""

    name: str
    differentiates = True

    def alone(self) -> None:  # noqa: B027  (most frameworks say nothing of bad values)
        """Set the framework up for a process that does nothing but prove."""

    @abstractmethod
    def row(self, numbers: Sequence[float], fmt: str) -> Numbers:
        """A row of the given numbers in the given floating-point format."""

    @abstractmethod
    def is_row(self, x: Numbers) -> bool:
        """Whether ``x`` is the framework's own array."""

    @abstractmethod
    def numbers(self, x: Numbers) -> tuple[float, ...]:
        """The numbers of a row, or of a Python number."""

    @abstractmethod
    def flat(self, x: Numbers) -> Numbers:
        """An array of any shape as a row."""

    @abstractmethod
    def cast(self, x: Numbers, fmt: str) -> Numbers:
        """A row in another floating-point format."""

    @abstractmethod
    def truth(self, x: Numbers) -> Numbers:
        """A row of conditions: what is not 0."""

    @abstractmethod
    def where(self, cond: Numbers, a: Numbers, b: Numbers) -> Numbers:
        """Elements of ``a`` where the condition holds, else of ``b``."""

    @abstractmethod
    def concat(self, rows: Sequence[Numbers]) -> Numbers:
        """Rows one after the other."""

    @abstractmethod
    def take(self, x: Numbers, places: Sequence[int]) -> Numbers:
        """The elements at some places."""

    @abstractmethod
    def stop_gradient(self, x: Numbers) -> Numbers:
        """The same row, through which nothing flows back."""

    @abstractmethod
    def call(self, step: Step, operands: Mapping[str, Numbers]) -> Numbers:
        """The op of a step on its operands.

        Raises:
            Unsupported: if the framework does not have it.
        """

    def gradients(self, f: Callable[[list[Numbers]], Numbers], rows: list[Numbers]) -> list[tuple[float, ...] | None]:
        """Of the sum of ``f(rows)`` with respect to each row; None where it does not depend on it."""
        raise Unsupported(f"{self.name} has no gradients")
