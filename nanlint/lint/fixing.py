"""Fixes -> a mended text: which are applied together, how often, and what happens when one breaks the file.

What a fix changes in other files a mended text sees in its view. Nothing is written here, and what a fix says is the
rules' business.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

from nanlint.diagnostic import Applicability, Confidence, Diagnostic, Edit
from nanlint.housekeeping import UNKNOWN_SUPPRESSION
from nanlint.source.decoding import SourceError
from nanlint.source.edits import Taken, edited
from nanlint.source.project import View, view_of
from nanlint.source.text import Source

# A fix may bring another rule's finding to light, and fixes that overlap wait for the next round: real files settle in
# two or three rounds, and rules that undo each other never do.
MAX_ROUNDS = 10

Fingerprint = tuple[str, tuple[tuple[str, str], ...]]


@dataclass(frozen=True)
class Fixed:
    """A text after its fixes: what was mended, what remains, and what the user should hear about the way there.

    ``below_threshold``: how many findings are below the confidence that is shown, by confidence.
    """

    source: Source
    fixed: tuple[Diagnostic, ...]
    remaining: tuple[Diagnostic, ...]
    notes: tuple[str, ...] = ()
    below_threshold: Counter[Confidence] = field(default_factory=Counter)


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
    others: Collection[str] = (),
    tidy: Callable[[Source, Source], Source] = lambda before, after: after,
) -> Fixed:
    """Diagnose and mend ``source`` until nothing changes, at most MAX_ROUNDS times.

    ``refusal``: what speaks against a fix, None if nothing does. A fix that is refused is not applied, with a note.
    ``others``: real paths of files that a fix may change, too. ``tidy``: what comes after the last fix.
    """
    before = source
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
        wanted = [one for one in wanted if within(one, others)]
        # a comment that is corrected silences what would be fixed else
        wanted = [one for one in wanted if one.code == UNKNOWN_SUPPRESSION.code] or wanted
        wanted = _keep_proved(source, wanted, refusal, dropped, notes)
        chosen = _keep_parsable(source, _without_overlap(wanted), dropped, notes)
        chosen = _keep_proved(source, chosen, partial(_left, diagnose), dropped, notes)
        mended = applied(source, _edits(chosen))
        if not chosen or mended.text == source.text:
            break
        source = mended
        fixed += chosen
        remaining = diagnose(source)
    else:
        codes = sorted({one.code for one in remaining if applicable(one, unsafe=unsafe)})
        if codes:
            restless = ", ".join(codes)
            notes.append(
                f"{source.path}: the fixes did not converge in {MAX_ROUNDS} rounds ({restless}); please report it"
            )
    neat = tidy(before, source) if fixed else source
    if neat.text != source.text:
        source, remaining = neat, diagnose(neat)
    return Fixed(source, tuple(fixed), tuple(remaining), tuple(notes))


def within(diagnostic: Diagnostic, others: Collection[str]) -> bool:
    """Whether the fix changes no files but its own and some others, given by their real paths."""
    fix = diagnostic.fix
    return fix is None or all(os.path.realpath(path) in others for path in fix.elsewhere)


def applied(source: Source, edits: Sequence[Edit]) -> Source:
    """``source`` after edits; what they change in other files, it sees. Raises SourceError if one cannot be read."""
    mended, view = edited(source, edits), view_of(source)
    paths = sorted({edit.path for edit in edits if edit.path})
    if not paths or view is None:
        return mended
    changed = {
        os.path.realpath(path): edited(
            view.text(path), [replace(edit, path="") for edit in edits if edit.path == path]
        ).text
        for path in paths
    }
    return replace(mended, view=View.of(view.path, {**view.unsaved, **changed}))


def _left(diagnose: Callable[[Source], list[Diagnostic]], source: Source, diagnostic: Diagnostic) -> str | None:
    """What speaks against a fix of several files after which these hold a new finding, or as many as before."""
    if diagnostic.fix is None or not diagnostic.fix.elsewhere or _mends(source, diagnostic, diagnose):
        return None
    return "it would leave findings in the files that it changes"


def _mends(source: Source, diagnostic: Diagnostic, diagnose: Callable[[Source], list[Diagnostic]]) -> bool:
    """Whether the files that a fix changes hold less findings after it, and none that is new."""
    assert diagnostic.fix is not None
    try:
        after = applied(source, diagnostic.fix.edits)
        found = [
            (_counted(diagnose(old)), _counted(diagnose(new)))
            for old, new in zip(_all(source, diagnostic), _all(after, diagnostic), strict=True)
            if not new.failures
        ]
    except SourceError:
        return False
    complete = len(found) == 1 + len(diagnostic.fix.elsewhere)
    return complete and found[0][1] < found[0][0] and all(new <= old for old, new in found)


def _all(source: Source, diagnostic: Diagnostic) -> list[Source]:
    """The file of a finding and the others that its fix changes, as they are seen from it."""
    view, fix = view_of(source), diagnostic.fix
    if view is None or fix is None:
        return [source]
    others = (view.text(path) for path in fix.elsewhere)
    seen = {**view.unsaved, view.path: source.text}
    return [source, *(replace(one, view=View.of(one.path, seen)) for one in others)]


def _counted(found: Iterable[Diagnostic]) -> Counter[tuple[str, str]]:
    return Counter((one.code, one.message) for one in found)


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
    taken = Taken()
    return [one for one in diagnostics if taken.takes(_edits([one]))]


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
    edits = _edits([diagnostic])
    return diagnostic.code, tuple((edit.path or source.segment(edit.span), edit.content) for edit in edits)
