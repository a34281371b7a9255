"""``--output-format html``: one page with all findings, for the browser: code, cause, fix, totals and filters.

All of it is in the markup, so that it can be read and printed without its script, which only filters.
"""

from __future__ import annotations

import hashlib
import html
import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import groupby, pairwise

from nanlint.diagnostic import Confidence, Diagnostic, Fix
from nanlint.lint.report import FileReport
from nanlint.output.address import link_to
from nanlint.output.changes import ChangedLine, changed_lines, label, with_headings
from nanlint.output.frame import Mark, marks_of
from nanlint.output.page import page
from nanlint.output.paint import visible
from nanlint.output.view import View, portable
from nanlint.version import __version__

_WIDEST = 2000  # characters of a line: those of generated files may be of megabytes, and a browser has to lay them out
_MOST_LINES = 400  # of one fix: the page is to be read, and --diff has the rest

Found = tuple[FileReport, Diagnostic]


def render(view: View) -> str:
    found = view.findings()
    rules = sorted({(one.code, one.name) for _, one in found})
    levels = sorted({one.confidence for _, one in found}, reverse=True)
    name = os.path.basename(os.path.normpath(view.root)) or view.root
    return page(
        __package__,
        "report",
        TITLE=_text(name),
        SUMMARY=_summary(view, found),
        WHEN=_text(f"nanlint {__version__}, {view.began:%Y-%m-%d %H:%M} UTC"),
        NOTES="".join(f"<li>{_text(message)}</li>\n" for message in view.report.messages),
        TOTALS=_totals(found) if found else "",
        RULES=_options({code: f"{code} {name}" for code, name in rules}),
        LEVELS=_options({str(level): str(level) for level in levels}),
        FILES="".join(_files(found)),
    )


def _text(text: str) -> str:
    """Text as HTML, its control characters made visible."""
    return html.escape(visible(text))


def _count(count: int, noun: str) -> str:
    return f"{count} {noun}{'' if count == 1 else 's'}"


def _options(names: dict[str, str]) -> str:
    return "".join(f'<option value="{_text(value)}">{_text(shown)}</option>' for value, shown in names.items())


# Totals


def _summary(view: View, found: Sequence[Found]) -> str:
    report = view.report
    checked = _count(report.checked, "file")
    if not found:
        sentences = [f"No findings in {checked}."]
    else:
        files = len({one.path for _, one in found})
        fixes = [one.fix for _, one in found if one.fix is not None and one.fix.edits]
        safe = sum(str(fix.applicability) == "safe" for fix in fixes)
        with_fix = f"{len(fixes)} with a fix, {safe} safe."
        sentences = [f"{_count(len(found), 'finding')} in {files} of {checked}.", with_fix]
    sentences += [f"{count} more not shown: {how}." for how, count in report.known.items()]
    if below := report.below_threshold:
        said = " and ".join(f"{below[one]} {one}" for one in sorted(below, reverse=True))
        sentences.append(f"Not shown: {said}.")
    return _text(" ".join(sentences))


def _totals(found: Sequence[Found]) -> str:
    names = {one.code: one.name for _, one in found}
    return "".join(
        (
            _table("By rule", found, lambda one: one.code, "rule", names),
            _table("By level", found, lambda one: str(one.confidence), "level", order=_by_level),
            _table("By framework", found, lambda one: one.probe.framework if one.probe else ""),
            _table("By directory", found, _directory, "text"),
            _table("By file", found, lambda one: portable(one.path), "text"),
        )
    )


def _directory(diagnostic: Diagnostic) -> str:
    directory = os.path.dirname(portable(diagnostic.path))
    return f"{directory}/" if directory else ""


def _by_level(level: str) -> int:
    return -Confidence[level.upper()]


def _table(
    title: str,
    found: Sequence[Found],
    key: Callable[[Diagnostic], str],
    filtered: str = "",
    names: dict[str, str] | None = None,
    order: Callable[[str], int] | None = None,
) -> str:
    """How many findings there are by a key, most first; a key links to the filter that shows its findings alone.

    Nothing where all findings have the same empty key.
    """
    counts = Counter(key(one) for _, one in found)
    fixes = Counter(key(one) for _, one in found if one.fix is not None and one.fix.edits)
    if set(counts) == {""}:
        return ""
    from urllib.parse import quote

    rows = []
    for value in sorted(counts, key=lambda value: (order(value) if order else -counts[value], value)):
        shown = _text(value) or "(none)"
        if value and filtered:
            shown = f'<a href="#{filtered}={quote(value, safe="", errors="surrogateescape")}">{shown}</a>'
        if names and value in names:
            shown += f" {_text(names[value])}"
        rows.append(f"<tr><td>{shown}</td><td>{counts[value]}</td><td>{fixes[value]}</td></tr>\n")
    return (
        f"<details{' open' if len(rows) <= 12 else ''}><summary>{title}</summary><table><thead><tr>"
        '<td></td><th scope="col">findings</th><th scope="col">with a fix</th></tr></thead>\n'
        f"<tbody>{''.join(rows)}</tbody></table></details>\n"
    )


# Findings


def _files(found: Sequence[Found]) -> Iterator[str]:
    taken: set[str] = set()
    for path, group in groupby(found, key=lambda pair: pair[1].path):
        findings = "".join(_finding(file, one, _anchor(one, taken)) for file, one in group)
        yield f'<section class="file"><h2 class="code">{_text(path)}</h2>\n{findings}</section>\n'


def _anchor(diagnostic: Diagnostic, taken: set[str]) -> str:
    """What a link to the finding ends in: the same as long as its path and fingerprint are."""
    named = f"{portable(diagnostic.path)}\0{diagnostic.fingerprint}".encode("utf-8", "surrogatepass")
    anchor = first = "finding-" + hashlib.sha256(named).hexdigest()[:12]
    while anchor in taken:
        anchor = f"{first}-{len(taken)}"
    taken.add(anchor)
    return anchor


def _finding(file: FileReport, diagnostic: Diagnostic, anchor: str) -> str:
    fix, level = diagnostic.fix, str(diagnostic.confidence)
    changes = changed_lines(fix, file.excerpt) if fix is not None else []
    link = link_to(diagnostic.code, diagnostic.name)
    rule = f"{diagnostic.code} {diagnostic.name}"
    badges = [_badge(level, level)]
    if str(diagnostic.severity) != "error":
        badges.append(_badge(str(diagnostic.severity), "other"))
    if diagnostic.new:
        badges.append(_badge("new", "other"))
    has_fix = "1" if fix is not None and fix.edits else ""
    parts = [
        f'<article class="finding" id="{anchor}" data-rule="{_text(diagnostic.code)}" data-level="{level}" '
        f'data-fix="{has_fix}" data-path="{_text(portable(diagnostic.path))}">\n',
        f'<p><a class="code" href="#{anchor}">{_text(diagnostic.span.start)}</a> '
        + (f'<a href="{_text(link)}" rel="noreferrer">{_text(rule)}</a> ' if link else f"{_text(rule)} ")
        + f"{' '.join(badges)}</p>\n<h3>{_text(diagnostic.message)}</h3>\n",
        *_frame(diagnostic, marks_of(diagnostic, file.excerpt)),
    ]
    if diagnostic.witness is not None:
        parts.append(f"<p>Witness: <code>{_text(diagnostic.witness.text)}</code></p>\n")
    if diagnostic.observed:
        parts.append(f"<p>Observed: {_text(diagnostic.observed)}</p>\n")
    if fix is not None:
        parts.append(_fix(fix, diagnostic, changes))
    return "".join((*parts, "</article>\n"))


def _badge(text: str, kind: str) -> str:
    return f'<span class="badge {kind}">{_text(text)}</span>'


def _frame(diagnostic: Diagnostic, marks: Sequence[Mark]) -> Iterator[str]:
    """The lines of the frame, the underlined text marked, what is said of it below its line."""
    if not marks:
        return
    yield '<div class="source" tabindex="0" role="region" aria-label="Code"><ol>\n'
    part: tuple[str, int | None] = ("", diagnostic.cell)
    for place, group in groupby(marks, key=lambda mark: mark.place):
        line = list(group)
        if line[0].part != part:
            part = line[0].part
            where = part[0] or diagnostic.path
            yield f'<li class="place">{_text(where if part[1] is None else f"cell {part[1]}")}</li>\n'
        if line[0].gap_before:
            yield '<li class="gap">…</li>\n'
        yield f'<li><span class="row">{place[2]}</span><span class="text">{_marked(line)}</span></li>\n'
        for mark in line:
            if mark.message:
                kind = "cause" if mark.role == "cause" else "effect"
                yield f'<li class="remark {kind}">{_text(mark.message)}</li>\n'
    yield "</ol></div>\n"


def _marked(marks: Sequence[Mark]) -> str:
    """A line with all that is underlined in it; of a very long one what is around the first underline."""
    text = marks[0].text
    first = max(min(mark.start for mark in marks) - 1 - _WIDEST // 4, 0) if len(text) > _WIDEST else 0
    last = min(first + _WIDEST, len(text))
    ends = {min(max(end - 1, first), last) for mark in marks for end in (mark.start, mark.end)}
    pieces = []
    for start, end in pairwise(sorted({first, last, *ends})):
        roles = sorted({mark.role for mark in marks if mark.start - 1 <= start and end <= mark.end - 1})
        piece = _text(text[start:end])
        pieces.append(f'<mark class="{" ".join(roles)}">{piece}</mark>' if roles else piece)
    return ("…" if first else "") + "".join(pieces) + ("…" if last < len(text) else "")


def _fix(fix: Fix, diagnostic: Diagnostic, changes: Sequence[ChangedLine]) -> str:
    if not changes:
        return f"<p>{fix.title.capitalize()}: <code>{_text(fix.display or fix.message)}</code></p>\n"
    lines = "".join(_changed(changes[:_MOST_LINES], diagnostic))
    more = len(changes) - _MOST_LINES
    note = f"<p>…and {_count(more, 'more line')}.</p>\n" if more > 0 else ""
    return (
        f"<p>{fix.title.capitalize()}: {_with_code(label(fix))}</p>\n"
        f'<div class="diff" tabindex="0" role="region" aria-label="The fix as a diff">{lines}</div>\n{note}'
    )


def _with_code(text: str) -> str:
    """A sentence whose code is between backticks."""
    parts = text.split("`")
    if len(parts) % 2 == 0:
        return _text(text)
    return "".join(f"<code>{_text(part)}</code>" if number % 2 else _text(part) for number, part in enumerate(parts))


def _changed(changes: Iterable[ChangedLine], diagnostic: Diagnostic) -> Iterator[str]:
    for heading, line in with_headings(changes, diagnostic):
        if heading:
            yield f'<span class="hunk">{_text(heading)}</span>'
        role = "added" if line.sign == "+" else "removed"
        yield f'<span class="{role}"><i>{line.row}</i> {line.sign} {_text(line.text)}</span>'
