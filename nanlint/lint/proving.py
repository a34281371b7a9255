"""Proofs for findings and for fixes: what is asked of the workers, and what their answers change.

The search is in ``nanlint.proof``; here is what comes of it for a diagnostic.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace

from nanlint.diagnostic import Applicability, Diagnostic, Fix
from nanlint.frontend.equivalence import Likeness
from nanlint.hazards.level import Level, Seen, level
from nanlint.lint.fixing import applied
from nanlint.ops.value import Reach
from nanlint.proof.mending import mended_slices, uncured
from nanlint.proof.pairing import Differences
from nanlint.proof.plausible import Plausibility
from nanlint.proof.pool import Pool
from nanlint.proof.proofs import Proof, Question
from nanlint.rules.diagnose import analysed, at_level
from nanlint.source.pairing import Pairing, Unpaired
from nanlint.source.text import Source


def proved(pool: Pool, diagnostics: Sequence[Diagnostic], seconds: float) -> list[Diagnostic]:
    """The diagnostics with what executing them showed, ``seconds`` for each at most."""
    asked = [diagnostic for diagnostic in diagnostics if diagnostic.slices]
    answers = iter(pool.prove([Question(diagnostic.slices, seconds) for diagnostic in asked]))
    return [judged(one, next(answers)) if one.slices else one for one in diagnostics]


def judged(diagnostic: Diagnostic, proof: Proof | None) -> Diagnostic:
    """A diagnostic after its proof: with the input that fails; less sure where none does, or only an absurd one.

    That an input fails makes no finding surer: of likely ones that have an ordinary witness as many are false as are of
    the others, since what is missing then is not the input but the way it could get there.
    """
    if proof is None:
        return diagnostic
    if proof.witness is not None and proof.found is not None:
        absurd = proof.found.plausibility is Plausibility.ABSURD and Seen.ABSURD
        return replace(after(diagnostic, absurd), witness=proof.witness)
    if proof.refuted:
        return replace(after(diagnostic, Seen.REFUTED), witness=None)
    # what no input shows is not certain
    return after(diagnostic, proof.searched and Seen.SEARCHED)


def after(diagnostic: Diagnostic, seen: Seen | bool) -> Diagnostic:
    """A diagnostic at the level that it has after what was seen when it was executed."""
    return at_level(
        diagnostic, level(Level(Reach(diagnostic.confidence + 1), diagnostic.row, diagnostic.effect), [seen])
    )


class FixProof:
    """Executes fixes on the input that fails without them. ``ops`` is the user's part of the catalogue."""

    def __init__(self, pool: Pool, ops: Mapping[str, object], seconds: float) -> None:
        self._pool = pool
        self._ops = ops
        self._seconds = seconds

    def refusal(self, source: Source, diagnostic: Diagnostic) -> str | None:
        """Why a fix must not be applied: it gives other numbers, or does not mend the input that fails; else None."""
        if diagnostic.fix is None:
            return None
        return self.difference(source, diagnostic.fix) or self.unmended(source, diagnostic)

    def difference(self, source: Source, fix: Fix) -> str | None:
        """What a fix makes of ordinary numbers, or of their gradients, that is not what it was."""
        if fix.changes or fix.elsewhere:
            return None
        fixed = applied(source, fix.edits)
        try:
            pairing = Pairing(source, fixed, fix.edits)
        except Unpaired:
            return "the surrounding code would change its meaning"
        rows = {row for edit in fix.edits_here for row in range(edit.span.row, edit.span.end_row + 1)}
        before = analysed(source, self._ops, watched=rows)
        after = analysed(fixed, self._ops, watched=pairing.rows_after(rows))
        likeness = Likeness(before.lowering, after.lowering, pairing)
        differences = Differences(before, after, likeness, pairing, exact=fix.applicability is Applicability.SAFE)
        for _, problem in (*likeness.problems(), *differences.problems()):
            return problem
        answers = (self._pool.agreement(pair) for pair in differences.same)
        return next((f"it would give {one.text}" for one in answers if one.same is False), None)

    def unmended(self, source: Source, diagnostic: Diagnostic) -> str | None:
        """That a fix does not mend the input that fails, in words; None where nothing says so."""
        if not diagnostic.slices or diagnostic.fix is None:
            return None
        (proof,) = self._pool.prove([Question(diagnostic.slices, self._seconds)])
        if proof is None or proof.found is None or proof.witness is None:
            return None
        program = diagnostic.slices[proof.slice]
        if program.breaking is None and all(map(math.isfinite, proof.found.output)):
            # the value is what the finding is about, and no input was found that shows it
            return None
        fixed = applied(source, diagnostic.fix.edits)
        try:
            pairing = Pairing(source, fixed, diagnostic.fix.edits_here)
        except Unpaired:
            return None
        places = mended_slices(program, pairing, analysed(fixed, self._ops))
        said = uncured(program, proof.found, places, self._pool.mended)
        return f"{proof.witness.text.partition(' gives ')[0]} still gives {said}" if said else None
