"""What a run of the tests draws of what is too much for each: another part each time, until all of it was there.

The seed is said at the end of a run; ``TESTS_SEED`` sets it. ``pytest --record`` runs all.
"""

from __future__ import annotations

import os
import random
from collections.abc import Sequence
from typing import TypeVar

from tests.recording import RUN

T = TypeVar("T")

# the workers of a run inherit it
SEED = int(os.environ.setdefault("TESTS_SEED", str(random.SystemRandom().randrange(10**6))))


def sample(items: Sequence[T], share: int, what: str = "") -> list[T]:
    """One in so many, in their order, others for each ``what``; all where everything is executed."""
    if RUN.everything:
        return list(items)
    chosen = random.Random(f"{SEED} {what}").sample(range(len(items)), -(-len(items) // share))
    return [items[i] for i in sorted(chosen)]
