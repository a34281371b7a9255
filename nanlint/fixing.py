"""Fixes -> a mended text: which are applied together, how often, and what happens when one breaks the file.

Nothing is written here, and what a fix says is the rules' business.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from nanlint.diagnostic import Applicability, Diagnostic, Edit
from nanlint.source.edits import compatible, edited
from nanlint.source.text import Source

# A fix may bring another rule's finding to light, and fixes that overlap wait for the next round: real files settle in
# two or three rounds, and rules that undo each other never do.
MAX_ROUNDS = 10

Fingerprint = tuple[str, tuple[tuple[str, str], ...]]


@dataclass(frozen=True)
class Fixed:
    """A text after its fixes: what was mended, what remains, and what the user should hear about the way there."""

    source: Source
    fixed: tuple[Diagnostic, ...]
    remaining: tuple[Diagnostic, ...]
    notes: tuple[str, ...] = ()


def applicable(diagnostic: Diagnostic, *, unsafe: bool) -> bool:
    """Whether the fix may be applied without a person: safe ones always, unsafe ones if allowed, display ones never."""
    fix = diagnostic.fix
    if fix is None or not fix.edits:
        return False
    return fix.applicability is Applicability.SAFE or (unsafe and fix.applicability is Applicability.UNSAFE)


def fix_until_stable(
    source: Source,
    diagnose: Callable[[Source], list[Diagnostic]],
    *,
    unsafe: bool,
    refusal: Callable[[Source, Diagnostic], str | None] = lambda source, diagnostic: None,
) -> Fixed:
    """Diagnose and mend ``source`` until nothing changes, at most MAX_ROUNDS times.

    ``refusal``: what speaks against a fix, None if nothing does. A fix that is refused is not applied, with a note.
    """
    fixed: list[Diagnostic] = []
    notes: list[str] = []
    dropped: set[Fingerprint] = set()
    remaining = diagnose(source)
    for _ in range(MAX_ROUNDS):
        wanted = [
            diagnostic
            for diagnostic in remaining
            if applicable(diagnostic, unsafe=unsafe) and _fingerprint(source, diagnostic) not in dropped
        ]
        wanted = _keep_proved(source, wanted, refusal, dropped, notes)
        chosen = _keep_parsable(source, _without_overlap(wanted), dropped, notes)
        mended = edited(source, _edits(chosen))
        if mended.text == source.text:
            break
        source = mended
        fixed += chosen
        remaining = diagnose(source)
    else:
        codes = sorted({one.code for one in remaining if applicable(one, unsafe=unsafe)})
        if codes:
            restless = ", ".join(codes)
            notes.append(f"{source.path}: fixes did not settle in {MAX_ROUNDS} rounds ({restless}); please report it")
    return Fixed(source, tuple(fixed), tuple(remaining), tuple(notes))


def _keep_proved(
    source: Source,
    wanted: Iterable[Diagnostic],
    refusal: Callable[[Source, Diagnostic], str | None],
    dropped: set[Fingerprint],
    notes: list[str],
) -> list[Diagnostic]:
    """``wanted`` without the fixes that something speaks against; those are dropped for good, with a note."""
    kept: list[Diagnostic] = []
    for diagnostic in wanted:
        reason = refusal(source, diagnostic)
        if reason is None:
            kept.append(diagnostic)
            continue
        dropped.add(_fingerprint(source, diagnostic))
        place = source.in_cells(diagnostic).place
        notes.append(f"{place}: the fix of {diagnostic.code} was not applied: {reason}")
    return kept


def _edits(diagnostics: Iterable[Diagnostic]) -> list[Edit]:
    return [edit for diagnostic in diagnostics if diagnostic.fix is not None for edit in diagnostic.fix.edits]


def _without_overlap(diagnostics: Sequence[Diagnostic]) -> list[Diagnostic]:
    """The fixes that can be applied at once, the first in the file winning; the others get their turn next round."""
    chosen: list[Diagnostic] = []
    taken: list[Edit] = []
    for diagnostic in diagnostics:
        edits = _edits([diagnostic])
        if compatible(edits, taken):
            chosen.append(diagnostic)
            taken += edits
    return chosen


def _keep_parsable(
    source: Source, chosen: list[Diagnostic], dropped: set[Fingerprint], notes: list[str]
) -> list[Diagnostic]:
    """``chosen`` without the fixes that break the file; those are dropped for good, with a note."""
    if not chosen or _parses(source, chosen):
        return chosen
    kept: list[Diagnostic] = []
    for diagnostic in chosen:
        if _parses(source, [*kept, diagnostic]):
            kept.append(diagnostic)
        else:
            dropped.add(_fingerprint(source, diagnostic))
            place = source.in_cells(diagnostic).place
            notes.append(
                f"{place}: the fix of {diagnostic.code} would break the file and was dropped; please report it"
            )
    return kept


def _parses(source: Source, chosen: Sequence[Diagnostic]) -> bool:
    """Whether all that parses in ``source`` still does with some fixes."""
    return len(edited(source, _edits(chosen)).failures) <= len(source.failures)


def _fingerprint(source: Source, diagnostic: Diagnostic) -> Fingerprint:
    """What tells a fix from others even after the lines above it have moved."""
    return diagnostic.code, tuple((source.segment(edit.span), edit.content) for edit in _edits([diagnostic]))
