"""Programs with a guard, each beside its twin without: read from ``programs/``, a file for each kind of guard.

A file holds programs one after the other, each under ``# --- framework: what is particular to it``. A line that ends in
``# guard`` is not in the twin, one that ends in ``# guard: else ...`` is what stands behind "else" there. ``# runs:``
is a call for which the twin gives NaN or Inf, and the program does not; a program without one cannot be run by itself.
``# missed:`` says why nanlint does not see the guard.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import nanlint

PROGRAMS = Path(__file__).parent / "programs"

HEADING = re.compile(r"^# --- (?P<framework>\w+): (?P<spelling>.+)$")
GUARD = re.compile(r"^(?P<indent> *)(?P<guard>.*?)  # guard(?:: else (?P<otherwise>.+))?$")
MISSED = re.compile(r"^# missed: (?P<reason>.+)$")
RUNS = re.compile(r"^# runs: (?P<call>.+)$")


@dataclass(frozen=True)
class Twins:
    """One spelling of a kind of guard: the ``guarded`` program, and the ``unguarded`` one that differs in it alone."""

    kind: str
    framework: str
    spelling: str
    guarded: str
    unguarded: str
    call: str | None
    missed: str | None

    @property
    def name(self) -> str:
        """What tells it from all others."""
        return f"{self.kind}/{self.framework}: {self.spelling}"

    @property
    def respected(self) -> bool:
        """Whether nothing at all is found in the guarded program."""
        return not found(self.guarded)

    @property
    def needed(self) -> bool:
        """Whether something is found where the guard is gone: else the silence above says nothing."""
        return bool(found(self.unguarded))


def found(source: str) -> list[nanlint.Diagnostic]:
    """What nanlint finds in a program, down to what is merely possible.

    NL604 is left out: it is about gradients that vanish behind an epsilon, where all numbers are finite.
    """
    return nanlint.check_source(source, confidence="possible", ignore=["NL604"])


def twins_of(path: Path) -> Iterator[Twins]:
    """The programs of one file."""
    headings: list[re.Match[str]] = []
    bodies: list[list[str]] = []
    for line in path.read_text().splitlines():
        heading = HEADING.match(line)
        if heading is not None:
            headings.append(heading)
            bodies.append([])
        elif bodies:
            bodies[-1].append(line)
    for heading, body in zip(headings, bodies, strict=True):
        call = next((m["call"] for line in body if (m := RUNS.match(line))), None)
        missed = next((m["reason"] for line in body if (m := MISSED.match(line))), None)
        lines = [line for line in body if not RUNS.match(line) and not MISSED.match(line)]
        yield Twins(
            path.stem,
            heading["framework"],
            heading["spelling"],
            "\n".join(kept(line) for line in lines).strip() + "\n",
            "\n".join(one for line in lines if (one := without(line)) is not None).strip() + "\n",
            call,
            missed,
        )


def kept(line: str) -> str:
    """A line of the guarded program."""
    guard = GUARD.match(line)
    return line if guard is None else guard["indent"] + guard["guard"]


def without(line: str) -> str | None:
    """The line of the twin in its place, None where there is none."""
    guard = GUARD.match(line)
    if guard is None:
        return line
    return None if guard["otherwise"] is None else guard["indent"] + guard["otherwise"]


def all_twins() -> list[Twins]:
    """All programs, by kind."""
    return [twins for path in sorted(PROGRAMS.glob("*.py")) for twins in twins_of(path)]
