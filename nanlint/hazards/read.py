"""How often findings were right by the row that decided their level: labels that were read, kept in ``rows.csv``."""

from __future__ import annotations

import csv
from functools import cache
from pathlib import Path
from typing import NamedTuple

ROWS_READ = Path(__file__).with_name("rows.csv")
#: labels, and repositories that they are of, that prove a row
LABELS, REPOSITORIES = 8, 3
#: the share that a row that shows by default should have
RIGHT = 0.6


class Read(NamedTuple):
    """The labels of one row at one level; ``without_one``: the least share not false, one repository left out."""

    level: str
    row: str
    real: int
    debatable: int
    false: int
    repositories: int
    without_one: float

    @property
    def labels(self) -> int:
        return self.real + self.debatable + self.false

    @property
    def share(self) -> float:
        """How many are not false."""
        return (self.real + self.debatable) / self.labels

    @property
    def doubt(self) -> str:
        """Why the share may be another one: too few labels, or one repository that makes it."""
        if self.labels < LABELS or self.repositories < REPOSITORIES:
            return "unproven"
        return "hangs on one repository" if self.without_one < RIGHT <= self.share else ""


@cache
def read_rows() -> dict[tuple[str, str], Read]:
    """What was read, by level and row."""
    with ROWS_READ.open(encoding="utf-8", newline="") as file:
        lines = list(csv.reader(file))
    found = {}
    for level, row, real, debatable, false, repositories, without_one in lines[1:]:
        counts = int(real), int(debatable), int(false), int(repositories)
        found[level, row] = Read(level, row, *counts, float(without_one or "nan"))
    return found


def was_right(level: str, row: str) -> str:
    """How often findings of a row were right, in words."""
    one = read_rows().get((level, row))
    if one is None:
        return "no such finding has been read: unproven"
    said = f"{one.labels} such finding{'s' if one.labels > 1 else ''} read, {one.false} false"
    return f"{said}: {one.doubt}" if one.doubt else said
