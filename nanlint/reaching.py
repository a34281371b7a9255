"""What is reached step by step from some things: the one loop for graphs of all kinds."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable, Hashable, Iterable, Iterator
from typing import TypeVar

T = TypeVar("T", bound=Hashable)


def reached(
    starts: Iterable[T], onward: Callable[[T], Iterable[T]], limit: float = math.inf, *, nearest: bool = False
) -> Iterator[T]:
    """What steps onward from some things lead to, these too, each once; no further when ``limit`` were seen.

    The newest first, and with ``nearest`` in the order of the number of steps.
    """
    pending = deque(dict.fromkeys(starts))
    seen = set(pending)
    while pending and len(seen) < limit:
        current = pending.popleft() if nearest else pending.pop()
        yield current
        for one in onward(current):
            if one not in seen:
                seen.add(one)
                pending.append(one)
