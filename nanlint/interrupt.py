"""Long work asks here, now and then, whether it is still wanted. Who starts it on a thread may say that it is not."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_asked: ContextVar[Callable[[], None] | None] = ContextVar("asked", default=None)


def checkpoint() -> None:
    """Go on, or leave by what was given to ``interruptible``."""
    asked = _asked.get()
    if asked is not None:
        asked()


@contextmanager
def interruptible(ask: Callable[[], None]) -> Iterator[None]:
    """Within, every checkpoint calls ``ask``, which raises what the work shall end with."""
    token = _asked.set(ask)
    try:
        yield
    finally:
        _asked.reset(token)
