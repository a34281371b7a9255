"""Proofs for findings and for fixes: what is asked of the workers, and what their answers change.

The search is in ``nanlint.proof``; here is what comes of it for a diagnostic.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from nanlint.diagnostic import Applicability, Diagnostic, Edit, Fix, Span
from nanlint.frontend.equivalence import Likeness
from nanlint.graph.node import Node
from nanlint.hazards.facts import Facts
from nanlint.hazards.level import Level, Seen, level
from nanlint.lint.fixing import applied
from nanlint.ops.value import Reach
from nanlint.proof.pairing import Differences
from nanlint.proof.plausible import Plausibility
from nanlint.proof.pool import Pool
from nanlint.proof.proofs import MendedQuestion, Proof, Question
from nanlint.proof.slice import Slice, Slicing
from nanlint.rules.diagnose import analysed, at_level
from nanlint.source.pairing import Pairing, Unpaired
from nanlint.source.text import Source

#: inputs that fail, beside the first, on which a fix is tried: some may be those for which nothing else is right
MORE = 24


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
        """Why a fix must not be applied: it gives other numbers, or mends none of the inputs that fail; else None."""
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
        """That a fix mends none of the inputs that fail, in words; None where nothing says so."""
        if not diagnostic.slices or diagnostic.fix is None:
            return None
        (proof,) = self._pool.prove([Question(diagnostic.slices, self._seconds, more=MORE)])
        if proof is None or proof.found is None or proof.witness is None:
            return None
        program = diagnostic.slices[proof.slice]
        if program.breaking is None and all(map(math.isfinite, proof.found.output)):
            # the value is what the finding is about, and no input was found that shows it
            return None
        fixed = applied(source, diagnostic.fix.edits)
        mended = list(mended_slices(program, fixed, diagnostic.fix.edits_here, self._ops))
        texts = []
        for found in (proof.found, *proof.others):
            given = {program.steps[i].name: row for i, row in found.inputs.items()}
            # where the value fails, it is the value that a fix is for
            slope = all(map(math.isfinite, found.output))
            for one in mended:
                answer = self._pool.mended(MendedQuestion(one, given, found.width, slope))
                if answer.ends:
                    return None
                if answer.ends is False and found is proof.found:
                    texts.append(answer.text)
        return f"{proof.witness.text.partition(' gives ')[0]} still gives {texts[-1]}" if texts else None


def mended_slices(program: Slice, fixed: Source, edits: Sequence[Edit], ops: Mapping[str, object]) -> Iterator[Slice]:
    """What stands in the fixed source at the places where the slice could be observed, nearest first."""
    facts = analysed(fixed, ops)
    slicing = Slicing(facts)
    for row, column, end_row, end_column in program.places.values():
        place = moved(Span(row, column, end_row, end_column), edits)
        node = node_at(facts, place) if place is not None else None
        found = slicing.at_place(node) if node is not None else None
        if found is not None:
            yield found


def moved(span: Span, edits: Sequence[Edit]) -> Span | None:
    """Where a stretch of source is once the edits are made; None where one of them crosses its border."""
    start, end = (span.row, span.column), (span.end_row, span.end_column)
    for edit in edits:
        first, last = (edit.span.row, edit.span.column), (edit.span.end_row, edit.span.end_column)
        inside = start <= first and last <= end
        if not inside and first < end and start < last:
            return None
    new_start = _shifted(
        start, [e for e in edits if (e.span.end_row, e.span.end_column) <= start and not _at(e, start)]
    )
    new_end = _shifted(end, [e for e in edits if (e.span.end_row, e.span.end_column) <= end])
    return Span(*new_start, *new_end)


def _at(edit: Edit, start: tuple[int, int]) -> bool:
    return (edit.span.row, edit.span.column) == start


def _shifted(place: tuple[int, int], edits: Sequence[Edit]) -> tuple[int, int]:
    """A place after edits that all lie before it."""
    row, column = place
    for edit in sorted(edits, key=lambda e: e.span, reverse=True):
        lines = edit.content.split("\n")
        if edit.span.end_row == place[0]:
            start = edit.span.column if len(lines) == 1 else 1
            before = start + len(lines[-1])
            column += before - edit.span.end_column
        row += len(lines) - 1 - (edit.span.end_row - edit.span.row)
    return row, column


def node_at(facts: Facts, place: Span) -> Node | None:
    """The node of the expression that stands there; as the function by itself has it, if there is a choice."""
    there = [node for node in facts.lowering.graph if node.site is not None and facts.span(node) == place]
    return min(there, key=lambda node: (len(node.calls), -node.index), default=None)
