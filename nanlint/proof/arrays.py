"""A framework that has arrays: its own functions are called on them, as its spellings in the catalogue say."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping

from nanlint.proof.backend import Backend, Numbers
from nanlint.proof.calls import call
from nanlint.proof.slice import Step


class ArrayBackend(Backend):
    """``roots``: the packages whose functions are called. ``batches``: some of them take rows of rows alone."""

    roots: tuple[str, ...]
    batches = True

    def call(self, step: Step, operands: Mapping[str, Numbers]) -> Numbers:
        forms = (itself, self.array, self.batch) if self.batches else (itself, self.array)
        return call(step.op, step.spelling, operands, self.roots, forms)

    @abstractmethod
    def array(self, x: Numbers) -> Numbers:
        """A row, also of a Python number."""

    def batch(self, x: Numbers) -> Numbers:
        """A batch of one row."""
        return x[None, :] if self.is_row(x) else x


def itself(x: Numbers) -> Numbers:
    """What is given as it is."""
    return x
