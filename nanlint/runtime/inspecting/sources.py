"""The source that a run was made of, and what the linter and the run said of it, as they are shown."""

from __future__ import annotations

from dataclasses import dataclass

from nanlint.diagnostic import Fix, Span
from nanlint.disk import read_regular
from nanlint.output.diff import render_diff
from nanlint.runtime.health import Health
from nanlint.runtime.telling import KINDS, ended
from nanlint.runtime.verdicts import State, Verdict
from nanlint.source import Source, SourceError
from nanlint.source.edits import apply_edits


@dataclass(frozen=True)
class SourceFile:
    """The text of a file as it was when it ran; ``current``: as it is now, for the run did not keep it."""

    path: str
    text: str
    current: bool = False


@dataclass(frozen=True)
class Cause:
    """A second place that a finding names."""

    row: int
    message: str


@dataclass(frozen=True)
class Finding:
    """What the linter said of an expression, its fix as a unified diff, and what the run said of it.

    ``verdict`` is the state in a word, and ``told`` says it in full; ``site`` is its key in the events.
    ``roles``: what was seen of its operands and result, at ``step``.
    """

    path: str
    span: Span
    code: str
    name: str
    message: str
    confidence: str
    effect: str
    causes: tuple[Cause, ...]
    witness: str
    fix: str
    applicability: str
    diff: str
    site: str
    verdict: str
    told: str
    step: int
    roles: dict[str, Health]


def finding_of(verdict: Verdict, source: Source, path: str, shown: str) -> Finding:
    """A finding as it is shown; ``path`` is absolute, ``shown`` as the reader knows it."""
    diagnostic, site = verdict.diagnostic, verdict.site
    return Finding(
        path=path,
        span=diagnostic.span,
        code=diagnostic.code,
        name=diagnostic.name,
        message=diagnostic.message,
        confidence=str(diagnostic.confidence),
        effect=diagnostic.effect,
        causes=tuple(Cause(cause.span.row, cause.message) for cause in diagnostic.causes_here),
        witness=diagnostic.witness.text if diagnostic.witness else "",
        fix=(diagnostic.fix.display or diagnostic.fix.message) if diagnostic.fix else "",
        applicability=str(diagnostic.fix.applicability) if diagnostic.fix else "",
        diff=_diff(diagnostic.fix, source, shown) if diagnostic.fix else "",
        site=site.key if site else "",
        verdict=str(verdict.state),
        told=_told(verdict),
        step=verdict.step,
        roles=dict(verdict.roles),
    )


def read_current(path: str) -> SourceFile | None:
    """A file as it is now; None if it is not there or no text."""
    try:
        return SourceFile(path, Source.from_bytes(read_regular(path), path).text, current=True)
    except (OSError, SourceError, ValueError):
        return None


def _told(verdict: Verdict) -> str:
    others = ", others not watched" if verdict.unwatched else ""
    times = f"{verdict.executions:,} execution{'' if verdict.executions == 1 else 's'}{others}"
    if verdict.state is State.CONFIRMED:
        what = " and ".join(KINDS.get(kind, kind) for kind in verdict.kinds) or "a non-finite value"
        return f"{what} at step {verdict.step} ({times})"
    if verdict.state is State.DIED:
        return f"{' and '.join(KINDS[kind] for kind in verdict.kinds)} at step {verdict.step}; {ended(verdict.death)}"
    if verdict.state is State.NOT_CLEARED:
        return f"nothing broke here in {times}, but {verdict.alert}"
    if verdict.state is State.NOT_WATCHED:
        return "may have run in code that this watch mode does not observe"
    if verdict.state is State.NOT_REACHED:
        return "was never executed"
    if verdict.closest is None:
        return times
    operand = verdict.site.operand if verdict.site else "the operand"
    return f"{operand} came within {verdict.closest:.3g} of the singular point, at step {verdict.step} ({times})"


def _diff(fix: Fix, source: Source, shown: str) -> str:
    return "" if not fix.edits or fix.elsewhere else render_diff(shown, source.text, apply_edits(source, fix.edits))
