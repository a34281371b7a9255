"""Comments that silence findings, and what is to be said of those that silence nothing.

    x = torch.log(p)  # nanlint: ignore[NL103, where-gradient] a reason, if you like
    x = torch.log(p)  # noqa: NL103
    # nanlint: ignore[NL103]          on a line of its own: for the statement below
    # nanlint: file-ignore[NL103]     anywhere: for the whole file

Which findings a comment speaks for: those that touch its line. If there is none of those it names, and it stands on
the first or the last line of a statement (where formatters leave comments), then all of that statement. So a comment
inside a long call never hides what its neighbours do, and a formatter may break the line without waking what was
silenced.

A rule is named for its hazard: a comment also speaks for the finding of a rule that reports the hazard in its place.

A finding stands in its file, and its causes may stand in others. A comment at a cause that names the rule speaks for
the finding, too; a bare one, which may be meant for another linter, and one for a whole file do not.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from nanlint.diagnostic import Applicability, Confidence, Diagnostic, Edit, Fix, Span, Suppressed
from nanlint.disk import absolute
from nanlint.selection import ALWAYS_ON, Rules
from nanlint.source.comments import OURS, Comments, Suppression, read_comments
from nanlint.source.project import view_of
from nanlint.source.text import Source

UNUSED = "NL001"


@dataclass(frozen=True)
class Judged:
    """What is left of the findings, with the remarks on the comments themselves, and what the comments silence."""

    kept: tuple[Diagnostic, ...]
    remarks: tuple[Diagnostic, ...]
    silenced: tuple[Suppressed, ...] = ()


def suppress(source: Source, findings: Sequence[Diagnostic], rules: Rules, enabled: Collection[str]) -> Judged:
    """Apply the comments of ``source``, and of the files of causes, to ``findings`` of ``source``.

    ``rules`` are all there are, ``enabled`` those that ran. A comment counts as unused only for rules that ran; one
    that names none only if every rule ran; one that may be at the cause of a finding of another file never does.
    """
    comments = {path: read_comments(file, rules) for path, file in _files(source, findings)}
    own = comments.get("", Comments((), ()))
    hidden: dict[int, str] = {}
    remarks = list(own.complaints)
    for path, one in comments.items():
        for suppression in one.suppressions:
            spoken_for = [place.number for place in _spoken_for(suppression, findings, path)]
            hidden.update({index: hidden.get(index) or suppression.reason for index in spoken_for})
            used = {code for index in spoken_for for code in _codes(findings[index])}
            remark = None if path else _unused(source, suppression, used, rules, enabled)
            if remark is not None:
                remarks.append(remark)
    file_wide = [suppression for suppression in own.suppressions if suppression.rows is None]
    return Judged(
        tuple(finding for index, finding in enumerate(findings) if index not in hidden),
        tuple(
            remark
            for remark in remarks
            if remark.code in enabled and not any(one.items and one.names(remark.code) for one in file_wide)
        ),
        tuple(Suppressed(findings[index], reason) for index, reason in sorted(hidden.items())),
    )


def silenced_at_causes(source: Source, findings: Sequence[Diagnostic], rules: Rules) -> frozenset[int]:
    """Those of ``findings`` of ``source``, by index, that a comment at one of their causes speaks for."""
    return frozenset(
        place.number
        for path, file in _files(source, findings)
        for suppression in read_comments(file, rules).suppressions
        for place in _spoken_for(suppression, findings, path)
        if place.is_cause
    )


def silencing(source: Source, finding: Diagnostic, rules: Rules) -> tuple[str, Suppression] | None:
    """The comment that speaks for a finding, if one does, and the path of its file if that is another one."""
    for path, file in _files(source, [finding]):
        for suppression in read_comments(file, rules).suppressions:
            if _spoken_for(suppression, [finding], path):
                return path, suppression
    return None


def may_suppress(text: str, *, any_findings: bool) -> bool:
    """Whether comments can matter, for a text in which something is found or nothing is."""
    # Tokenising costs more than parsing, and most files with a noqa have it for other linters.
    if OURS.search(text):
        return True
    return ("noqa" in text or "NOQA" in text) and (any_findings or "NL" in text)


def may_silence(source: Source) -> bool:
    """Whether comments, in a text or in what was read of its project, may silence findings of it."""
    others = view.sources.values() if (view := view_of(source)) is not None else ()
    return any(may_suppress(one.text, any_findings=True) for one in (source, *others))


def _files(source: Source, findings: Sequence[Diagnostic]) -> Iterator[tuple[str, Source]]:
    """The files whose comments may matter, by their paths as in Annotation: the text itself, and those of causes."""
    if may_suppress(source.text, any_findings=bool(findings)):
        yield "", source
    if (view := view_of(source)) is None:
        return
    causes = (cause for finding in findings for cause in finding.causes if not cause.note)
    for path in sorted({cause.path for cause in causes if cause.path}):
        other = view.sources.get(absolute(path))
        if other is not None and may_suppress(other.text, any_findings=True):
            yield path, other


@dataclass(frozen=True)
class _Place:
    """Where a comment can meet a finding, known by its number: where it is, or where its cause is."""

    number: int
    span: Span
    is_cause: bool = False


def _places(findings: Sequence[Diagnostic], path: str) -> Iterator[_Place]:
    """The places of findings in the file of a path, as in Annotation."""
    for number, finding in enumerate(findings):
        if not path:
            yield _Place(number, finding.span)
        for cause in finding.causes:
            if cause.path == path and not cause.note:
                yield _Place(number, cause.span, is_cause=True)


def _codes(finding: Diagnostic) -> frozenset[str]:
    """The rules whose names silence a finding: its own, and those that leave its hazard to it."""
    return finding.others | {finding.code}


def _spoken_for(suppression: Suppression, findings: Sequence[Diagnostic], path: str) -> list[_Place]:
    """The places of findings that a comment in the file of a path speaks for."""
    named = [place for place in _places(findings, path) if any(map(suppression.names, _codes(findings[place.number])))]
    if suppression.rows is None or suppression.items is None:
        named = [place for place in named if not place.is_cause]
    if suppression.rows is None:
        return named
    touched = [place for place in named if _touches(place.span, suppression.rows)]
    if touched or suppression.statement is None:
        return touched
    return [place for place in named if place.span.row in suppression.statement]


def _touches(span: Span, rows: range) -> bool:
    return span.row < rows.stop and rows.start <= span.end_row


def _unused(
    source: Source, suppression: Suppression, used: Collection[str], rules: Rules, enabled: Collection[str]
) -> Diagnostic | None:
    if suppression.items is None:
        everything_ran = all(code in enabled for code in rules)
        if used or not suppression.ours or not everything_ran:
            return None
        return _remark(source, suppression, "unused suppression", Edit(suppression.removal, ""))
    if any(UNUSED in item.codes for item in suppression.items):
        return None
    seen: set[frozenset[str]] = set()
    unused, kept = [], []
    for item in suppression.items:
        ran = all(code in enabled for code in item.codes) and not item.codes <= frozenset(ALWAYS_ON)
        idle = not item.codes & set(used) and not _may_silence_others(source, suppression)
        if item.codes and ran and (item.codes in seen or idle):
            unused.append(item)
        else:
            kept.append(item)
        seen.add(item.codes)
    if not unused:
        return None
    named = ", ".join(item.text for item in unused)
    if not kept:
        return _remark(source, suppression, f"unused suppression of {named}", Edit(suppression.removal, ""))
    row, first, last = suppression.span.row, suppression.items[0], suppression.items[-1]
    listed = Span(row, first.column, row, last.column + len(last.text))
    edit = Edit(listed, ", ".join(item.text for item in kept))
    return _remark(source, suppression, f"unused suppression of {named}", edit)


def _may_silence_others(source: Source, suppression: Suppression) -> bool:
    """Whether a comment that names rules may be at the cause of findings of other files: none of these is looked at."""
    return suppression.rows is not None and (view := view_of(source)) is not None and view.connected(source.tree)


def _remark(source: Source, suppression: Suppression, message: str, edit: Edit) -> Diagnostic:
    label = "remove the unused suppression"
    return Diagnostic(
        path=source.path,
        span=suppression.span,
        code=UNUSED,
        name="unused-suppression",
        message=message,
        confidence=Confidence.CERTAIN,
        effect="there is nothing to suppress here",
        fix=Fix(Applicability.SAFE, label, (edit,), display=label),
    )
