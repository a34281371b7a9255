"""Whether two slices give the same: an expression and what a fix puts in its place, executed on the same numbers.

The numbers are ordinary ones of several sizes and, where nothing that is finite may change, those at which functions
have their ends and kinks. Where the old slice is not finite, the new one may give anything.
"""

from __future__ import annotations

import math
import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from nanlint.proof.backend import Backend
from nanlint.proof.interpret import Cannot, Execution, Infeasible
from nanlint.proof.plausible import Row
from nanlint.proof.slice import Domain, Slice
from nanlint.proof.telling import written

#: length of the rows
WIDTH = 3
#: the lowest and the highest of ordinary numbers, by size
SIZES = ((0.2, 3.0), (-2.0, 2.0), (0.05, 0.95), (1e-3, 5e-2), (-6.0, 6.0))
#: what a fix may make of what is not finite: more is no number that training goes on from; by the largest exponent
MOST, MOST_IN_HALF = 1e9, 1e3
#: rows that are drawn of each size, where an expression is compared, and where what uses it is
DRAWN = 4
DRAWN_OF_USES = 2
#: rows at which functions have their ends and kinks
SPECIAL: tuple[Row, ...] = (
    (0.0, 0.0, 0.0),
    (1.0, 1.0, 1.0),
    (0.0, 1.0, 0.5),
    (0.0, 0.0, 2.0),
    (-1.0, 0.0, 1.0),
    (0.5, 0.5, 0.5),
)


@dataclass(frozen=True)
class Given:
    """A number that is given to both slices: the step that holds it in each, and what it may be."""

    before: int | None
    after: int | None
    domain: Domain


@dataclass(frozen=True)
class Pair:
    """The slice of an expression and that of what replaces it. ``exact``: every finite value has to stay what it is."""

    before: Slice
    after: Slice
    given: tuple[Given, ...]
    exact: bool

    @property
    def framework(self) -> str:
        """Where it is to be executed."""
        return self.before.framework


@dataclass(frozen=True)
class Agreement:
    """``same``: both gave the same wherever they were executed; None if they nowhere could be. ``text``: what else.

    ``ended``: somewhere the old one gave what is not finite, and the new one a number.
    """

    same: bool | None = None
    text: str = ""
    ended: bool = False


class Without(Exception):
    """A step that the backend cannot compute, in the old slice or in the new one."""

    def __init__(self, step: int, *, old: bool) -> None:
        super().__init__(step)
        self.step = step
        self.old = old


@dataclass(frozen=True)
class Outcome:
    """What a slice gives, and the gradient of its sum with respect to what is given; None where there is none."""

    value: Row
    slopes: tuple[Row | None, ...]


def agreement(
    pair: Pair, backend: Backend, *, special: bool = False, answers: bool = False, draws: int = DRAWN
) -> Agreement:
    """What executing both shows, with ``special`` at the ends and kinks, too. Raises Without if the backend cannot.

    ``answers``: of tests, only where what they are about was finite.
    """
    compared = ended = False
    for numbers, ordinary in rows(pair, draws, special=special or pair.exact):
        try:
            before = [g.before for g in pair.given]
            old = outcome(pair.before, backend, before, numbers, slopes=ordinary, answers=answers)
        except Infeasible:
            continue
        except Cannot as error:
            raise Without(error.step, old=True) from error
        try:
            new = outcome(pair.after, backend, [g.after for g in pair.given], numbers, slopes=ordinary)
        except Infeasible:
            return Agreement(False, f"nothing instead of {written(old.value)}")
        except Cannot as error:
            raise Without(error.step, old=False) from error
        compared = compared or any(map(math.isfinite, old.value))
        broken = not all(map(math.isfinite, old.value))
        ended = ended or (broken and all(map(math.isfinite, new.value)))
        if not alike(old.value, new.value, exact=pair.exact, infinite=special and pair.exact and not ordinary):
            return Agreement(False, f"{written(new.value)} instead of {written(old.value)}")
        for was, now in zip(old.slopes, new.slopes, strict=True):
            if was is not None and now is not None and not alike(was, now, exact=pair.exact):
                return Agreement(False, f"a gradient of {written(now)} instead of {written(was)}")
    return Agreement(True if compared else None, "", ended)


def most(program: Slice) -> float:
    """What the result of a slice may be where it was not finite."""
    half = any(step.domain.format == "float16" for step in program.steps)
    return MOST_IN_HALF if half else MOST


def rows(pair: Pair, draws: int, *, special: bool) -> Iterator[tuple[list[Row], bool]]:
    """Numbers for all that is given, and whether they are ordinary ones: always the same."""
    for size, (low, high) in enumerate(SIZES):
        for n in range(draws):
            pick = random.Random(f"{size} {n}")
            # of the last draw all are equal: so much is asked only of what is
            equal = n == draws - 1
            yield [drawn(g.domain, low, high, random.Random(size) if equal else pick) for g in pair.given], True
    if special:
        for n, row in enumerate(SPECIAL):
            others = (SPECIAL[(n + k) % len(SPECIAL)] for k in range(len(pair.given)))
            yield [admitted(given.domain, row) for given in pair.given], False
            yield [admitted(given.domain, other) for given, other in zip(pair.given, others, strict=True)], False


def drawn(domain: Domain, low: float, high: float, pick: random.Random) -> Row:
    """Numbers from ``low`` to ``high``, as far as a domain has such."""
    if domain.number is not None:
        return (domain.number,)
    low = max(low, domain.lo) if domain.lo < high else domain.lo
    high = min(high, domain.hi) if domain.hi > low else max(domain.hi, low)
    if not (math.isfinite(low) and math.isfinite(high)):
        low, high = (high - 1.0, high) if math.isfinite(high) else (low, low + 1.0)
    found = [pick.uniform(low, high) for _ in range(1 if domain.scalar else WIDTH)]
    return tuple(float(round(x)) for x in found) if domain.whole else tuple(found)


def admitted(domain: Domain, row: Row) -> Row:
    """A row, each number of it moved to where a domain has one."""
    if domain.number is not None:
        return (domain.number,)
    found = (min(max(float(round(x)) if domain.whole else x, domain.lo), domain.hi) for x in row)
    return tuple(found)[: 1 if domain.scalar else WIDTH]


def outcome(
    program: Slice,
    backend: Backend,
    steps: Sequence[int | None],
    numbers: Sequence[Row],
    *,
    slopes: bool,
    answers: bool = False,
) -> Outcome:
    """What a slice gives for numbers of some of its steps. Raises Infeasible and Cannot as an execution does."""
    inputs = {step: row for step, row in zip(steps, numbers, strict=True) if step is not None}
    seen: dict[tuple[int, int], object] = {}
    run = Execution(program, backend, inputs, width=WIDTH, seen=seen)
    value = run.numbers(program.at)
    asked = program.steps[program.at].args.values() if answers else ()
    if not all(math.isfinite(x) for i in asked for x in run.numbers(i)):
        raise Infeasible
    nothing: tuple[Row | None, ...] = (None,) * len(steps)
    if not slopes or not backend.differentiates:
        return Outcome(value, nothing)
    free = [step for step in inputs if not (program.steps[step].domain.scalar or program.steps[step].domain.whole)]

    def forward(leaves: list[object]) -> object:
        run = Execution(program, backend, inputs, width=WIDTH, seen=dict(seen))
        run.rows = dict(zip(free, leaves, strict=True))
        return run.joined(run.value(program.at))

    try:
        leaves = [backend.row(inputs[step], program.steps[step].domain.format) for step in free]
        found: Mapping[int, Row | None] = dict(zip(free, backend.gradients(forward, leaves), strict=True))
    except Exception:  # whatever a framework does not differentiate
        return Outcome(value, nothing)
    return Outcome(value, tuple(found.get(step) if step is not None else None for step in steps))


def alike(old: Row, new: Row, *, exact: bool, infinite: bool = False) -> bool:
    """Whether what is finite is the same up to rounding, or without ``exact`` up to what a small bound moves.

    ``infinite``: infinities are, too: of ordinary numbers one may be of a function that saturates.
    """
    if 1 in (len(old), len(new)):
        old, new = (row * (max(len(old), len(new)) // max(len(row), 1)) for row in (old, new))
    relative, absolute = (1e-3, 1e-5) if exact else (1e-2, 5e-3)
    kept = [not math.isnan(a) if infinite else math.isfinite(a) for a in old]
    pairs = [(a, b) for a, b, keep in zip(old, new, kept, strict=False) if keep]
    return len(old) == len(new) and all(math.isclose(a, b, rel_tol=relative, abs_tol=absolute) for a, b in pairs)
