"""Numbers to try for the sources of a slice: the plainest first, all within what is known of them."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence

from nanlint.ops.floats import FORMATS
from nanlint.proof.plausible import Row
from nanlint.proof.slice import Domain, Slice

#: at what a source of the operand that breaks is tried, the most plausible first: nothing, equal, one-hot, signs,
#: what saturates, what overflows (see ``nanlint.proof.plausible``)
CRITICAL: tuple[Row, ...] = (
    (0.0, 0.0),
    (1.0, 1.0),
    (0.0, 1.0),
    (1.0, 0.0),
    (-1.0, 1.0),
    (-1.0, -1.0),
    (1.0, 2.0),
    (0.0, 200.0),
    (200.0, 0.0),
    (-200.0, -200.0),
    (200.0, 200.0),
    (0.5, 0.5),
    (2.0, 2.0),
    (0.0, -200.0),
    (1000.0, 1000.0),
    (-1000.0, -1000.0),
    (20.0, 20.0),
    (-20.0, -20.0),
    (0.25, 0.75),
    (0.0, 2000.0),
    (2000.0, 0.0),
    (1e-9, 1e-9),
    (2.0, 3.0),
    (1e5, 1e5),
    (1e20, 1e20),
    (-1e20, -1e20),
)
#: and any other source: numbers that do nothing
NEUTRAL: tuple[Row, ...] = ((1.0, 1.0), (1.0, 2.0), (0.0, 1.0), (0.0, 0.0), (-1.0, 1.0), (-1.0, -1.0), (0.5, 0.5))
#: a setting is on: what it is off at, and its sign, come later
SETTING: tuple[Row, ...] = ((1.0,), (2.0,), (0.5,), (0.0,))
#: a label says which class it is
LABEL: tuple[Row, ...] = ((1.0, 0.0), (0.0, 1.0), (1.0, 1.0), (0.0, 0.0), (1.0, 2.0), (-1.0, 1.0))


#: rows that come before those of the numbers that the program compares with
FIRST = 7


def rows(domain: Domain, width: int, *, critical: bool, thresholds: Sequence[float] = ()) -> list[Row]:
    """Rows for one source, plainest first."""
    if domain.number is not None:
        return [(domain.number,)]
    fmt = FORMATS[domain.format]
    lo, hi = fmt.round(domain.lo), fmt.round(domain.hi)
    table = LABEL if domain.data and not domain.scalar else CRITICAL if critical else NEUTRAL
    if domain.scalar and not (domain.whole or domain.counted):
        table = SETTING + table
    ends = [end for end in (lo, hi) if abs(end) < fmt.max / 4]
    own = [(n, n) for n in thresholds]
    tried = [*table[:FIRST], *own, *table[FIRST:], *((end, end) for end in ends), (lo, hi), *CRITICAL]
    length = 1 if domain.scalar else width
    found = dict.fromkeys(tuple((*row, *row[-1:] * width)[:length]) for row in tried)
    return [row for row in found if all(map(domain.admits, row))]


def assignments(
    program: Slice, sources: Sequence[int], critical: frozenset[int], options: dict[int, list[Row]], width: int
) -> Iterator[dict[int, Row]]:
    """Numbers for all sources, and a way for each choice: one moved at a time, all alike, then all combinations.

    ``options``: of the choices. A source that nothing can be given makes an end of it.
    """
    lists = [
        options.get(i) or rows(program.steps[i].domain, width, critical=i in critical, thresholds=program.thresholds)
        for i in sources
    ]
    if not all(lists):
        return
    seen: set[tuple[int, ...]] = set()

    def new(ranks: tuple[int, ...]) -> bool:
        if ranks in seen:
            return False
        seen.add(ranks)
        return True

    def at(ranks: tuple[int, ...]) -> dict[int, Row]:
        return {i: found[rank] for i, found, rank in zip(sources, lists, ranks, strict=True)}

    start = (0,) * len(sources)
    if new(start):
        yield at(start)
    for rank in range(1, max(map(len, lists), default=0)):
        for k, found in enumerate(lists):
            if rank < len(found) and new(ranks := (*start[:k], rank, *start[k + 1 :])):
                yield at(ranks)
        level = tuple(min(rank, len(found) - 1) if sources[k] in critical else 0 for k, found in enumerate(lists))
        if new(level):
            yield at(level)
    for total in range(1, sum(len(found) - 1 for found in lists) + 1):
        for ranks in _adding_up(total, [len(found) for found in lists]):
            if new(ranks):
                yield at(ranks)


def _adding_up(total: int, sizes: Sequence[int]) -> Iterator[tuple[int, ...]]:
    """Ranks below their sizes whose sum is ``total``."""
    if not sizes:
        if total == 0:
            yield ()
        return
    for first in range(min(total, sizes[0] - 1), -1, -1):
        for rest in _adding_up(total - first, sizes[1:]):
            yield (first, *rest)


def drawn(
    program: Slice, sources: Sequence[int], options: dict[int, list[Row]], width: int, seed: int
) -> dict[int, Row]:
    """Random numbers for all sources, of every order of magnitude."""
    rng = random.Random(seed)
    found: dict[int, Row] = {}
    for i in sources:
        domain = program.steps[i].domain
        if i in options:
            found[i] = rng.choice(options[i])
        elif domain.number is not None:
            found[i] = (domain.number,)
        else:
            found[i] = tuple(_number(domain, rng) for _ in range(1 if domain.scalar else width))
    return found


def _number(domain: Domain, rng: random.Random) -> float:
    for _ in range(20):
        lo, hi = max(domain.lo, -300.0), min(domain.hi, 300.0)
        size = rng.choice((2.0, 2.0, 30.0))
        x = rng.choice((rng.uniform(lo, hi), rng.gauss(0.0, 1.0), rng.choice((-1, 1)) * 10 ** rng.uniform(-size, size)))
        x = float(round(x)) if domain.whole or domain.counted else FORMATS[domain.format].round(x)
        if domain.admits(x):
            return x
    return next((row[0] for row in rows(domain, 1, critical=True)), 1.0)
