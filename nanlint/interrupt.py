"""Long work asks here, now and then, whether it is still wanted, and whether it may go on.

Who starts it on a thread may say that it is not wanted. A budget says how much it may take: seconds, and memory.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field

#: shares of its seconds after which the parts of a work are told to end, the first to be told first
_PARTS = (0.6, 1.0, 1.5)
#: bytes that a work may take beyond what there was when it began
MAX_MEMORY = 4 << 30

#: checks for one look at the clock, and for one at the memory, which takes longer
_EACH, _SELDOM = 8, 512
_clock = time.monotonic
_current: ContextVar[Budget | None] = ContextVar("current", default=None)
_asked: ContextVar[Callable[[], None] | None] = ContextVar("asked", default=None)


class OutOfBudget(Exception):
    """The work may not go on; the message says what it has used up, as a phrase. What was found so far is good."""


@dataclass
class Budget:
    """What a work may take. The parts of a work are told to end one after the other, so that the last can report."""

    seconds: float
    #: what else was used up
    notes: list[str] = field(default_factory=list)
    #: what was used up, of those parts that were told
    spent: list[str] = field(default_factory=list)
    _began: float = field(default_factory=lambda: _now())
    #: before this time on the clock, which is cheaper to ask, the rest of the CPU seconds cannot be used up
    _earliest: float = 0.0
    _checks: int = 0
    _memory: int = field(default_factory=lambda: _resident())

    def check(self) -> None:
        """Raise OutOfBudget if this part of the work has used up its own; looked at now and then."""
        self._checks += 1
        if self._checks % _EACH or len(self.spent) == len(_PARTS):
            return
        if (clock := _clock()) >= self._earliest:
            left = self.seconds * _PARTS[len(self.spent)] - (_now() - self._began)
            if left < 0:
                self._end(f"{self.seconds:g} seconds")
            self._earliest = clock + left
        if self._checks % _SELDOM == 0 and _resident() - self._memory > MAX_MEMORY * _PARTS[len(self.spent)]:
            self._end(f"{MAX_MEMORY >> 30} GiB of memory")

    def _end(self, what: str) -> None:
        self.spent.append(what)
        self._earliest = 0.0
        raise OutOfBudget(what)


def exhausted(what: str) -> None:
    """Say of what a work has none left, though it goes on."""
    budget = _current.get()
    if budget is not None and what not in budget.notes:
        budget.notes.append(what)


def _now() -> float:
    """CPU seconds of this thread; where these are not to be had, as in a browser, those of a clock."""
    clock: Callable[[], float] = getattr(time, "thread_time", time.monotonic)
    return clock()


def _resident() -> int:
    """The most bytes of memory that this process has had; 0 where that is not to be had."""
    try:
        import resource
    except ImportError:  # Windows, or a browser
        return 0
    used = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return used if sys.platform == "darwin" else used * 1024


def checkpoint() -> None:
    """Go on, or leave by what was given to ``interruptible``."""
    asked = _asked.get()
    if asked is not None:
        asked()


@contextmanager
def interruptible(ask: Callable[[], None]) -> Iterator[None]:
    """Within, every checkpoint calls ``ask``, which raises what the work shall end with, and what was asked before."""
    before = _asked.get()

    def both() -> None:
        if before is not None:
            before()
        ask()

    token = _asked.set(ask if before is None else both)
    try:
        yield
    finally:
        _asked.reset(token)


@contextmanager
def limited(seconds: float) -> Iterator[Budget]:
    """Within, checkpoints raise OutOfBudget once a part of the work takes too much."""
    budget = Budget(seconds)
    token = _current.set(budget)
    try:
        with interruptible(budget.check):
            yield budget
    finally:
        _current.reset(token)
