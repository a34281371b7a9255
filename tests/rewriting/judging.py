"""Whether nanlint judges a variant of a program as it judges the program."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import nanlint
from nanlint.diagnostic import Diagnostic
from tests.programs.fixtures import Program
from tests.rewriting.code import WITNESS, Code, Origins, rewritten


@dataclass(frozen=True)
class Found:
    """A finding, at the rows of the original that it is about."""

    rows: frozenset[int]
    code: str
    confidence: int

    @property
    def shown(self) -> bool:
        return self.confidence >= 2


@dataclass(frozen=True)
class Variant:
    """A program after one rewriting, and what is wrong with how it is judged."""

    text: str
    missing: tuple[Found, ...] = ()
    surplus: tuple[Found, ...] = ()

    @property
    def kept(self) -> bool:
        return not self.missing and not self.surplus


def found_in(text: str, path: str, rows: Callable[[Diagnostic], frozenset[int]]) -> list[Found]:
    return [Found(rows(d), d.code, int(d.confidence)) for d in nanlint.check_source(text, path, confidence="possible")]


def original(program: Program) -> list[Found]:
    """What is found in a program as it is."""
    return found_in(program.text, str(program.path), lambda d: frozenset(range(d.span.row, d.span.end_row + 1)))


def variant(program: Program, rewrite: Callable[[Code], int], before: list[Found]) -> Variant | None:
    """A program after a rewriting, judged; None where the rewriting does not apply.

    Each finding of the original that is shown (of a program that marks possible ones, also these of its own rule) must
    be there: at the same expression, or with the same code at a new one, at most one level less sure. Nothing may be
    shown at an expression about which nothing was found.
    """
    made = rewritten(program.text, rewrite)
    if made is None:
        return None
    text, origins = made
    if f"def {WITNESS}(" not in text:
        # what a program does with the arguments that it runs on is not asked of one that does not run
        bare = program.text[: program.text.index(f"def {WITNESS}(")]
        before = found_in(bare, str(program.path), lambda d: frozenset(range(d.span.row, d.span.end_row + 1)))
    after = found_in(text, str(program.path), lambda d: rows_of(d, origins, text))
    possible = any(only_possible for _, only_possible in program.marked())
    asked = [f for f in before if f.shown or (possible and program.is_bad and f.code == program.code)]
    missing = [f for f in asked if not any(answers(g, f) for g in after)]
    surplus = [g for g in after if g.shown and not any(g.rows & f.rows or g.code == f.code for f in before)]
    return Variant(text, tuple(missing), tuple(surplus))


def answers(after: Found, before: Found) -> bool:
    """Whether one finding is the other."""
    here = bool(after.rows & before.rows) or (not after.rows and after.code == before.code)
    return here and after.confidence >= before.confidence - 1


def rows_of(d: Diagnostic, origins: Origins, text: str) -> frozenset[int]:
    lines = text.splitlines()

    def place(row: int, column: int) -> tuple[int, int]:
        return row, len(lines[row - 1][: column - 1].encode())

    return origins.of(place(d.span.row, d.span.column), place(d.span.end_row, d.span.end_column))
