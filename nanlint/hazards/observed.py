"""What a run saw at a finding, in one word, and what that does to how sure it is: it may raise it, and never lowers it.

Tests hold ordinary data, and what is real comes from data that they do not hold: to stay well away says nothing.
"""

from __future__ import annotations

from enum import Enum

from nanlint.diagnostic import Confidence


class Word(Enum):
    """What a run saw, in a word."""

    HAPPENED = "happened"
    ACCEPTED = "happens, and the tests accept it"
    NEAR = "near"
    FEW = "few"
    AWAY = "away"
    ONLY_EMPTY = "only empty"
    NOT_WATCHED = "not watched"
    NOT_REACHED = "not reached"

    def __str__(self) -> str:
        return self.value


def with_run(level: Confidence, word: Word, *, tests: bool = False, rounds: bool = False) -> Confidence:
    """The level of a finding after a run; ``tests``: of tests, which choose their numbers and make nothing certain.

    ``rounds``: it is about lost digits, which are lost wherever numbers are near each other: that says nothing.
    """
    if word is Word.HAPPENED:
        return max(level, Confidence.LIKELY if tests else Confidence.CERTAIN)
    return max(level, Confidence.LIKELY) if word is Word.NEAR and not rounds else level
