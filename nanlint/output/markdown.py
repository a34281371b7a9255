"""``--output-format markdown``: a summary for pull requests, as a comment or in the summary of a job.

Only what is new is listed where a baseline or ``--changed-since`` says what is. The most certain come first, as a
comment has a limited size. Messages, names and code of the project are escaped: none of it becomes markup.
"""

from __future__ import annotations

import html
import re
from collections import Counter
from collections.abc import Iterator, Sequence

from nanlint.diagnostic import Annotation, Diagnostic, Severity
from nanlint.lint.report import FileReport
from nanlint.output.address import link_to
from nanlint.output.changes import ChangedLine, changed_lines, label
from nanlint.output.paint import visible
from nanlint.output.view import View, portable

#: characters of the whole: a comment on GitHub may have 65,536
LIMIT = 60_000
_MOST_LINES = 60  # of the diff of one fix, so that one does not take the place of the others
#: what Markdown, as GitHub and GitLab read it, takes for markup in the middle of a line, and at its beginning
_MARKUP = re.compile(r"([\\`*_{}\[\]<|~$])")
_AT_START = re.compile(r"^([-+=#>]|\d+(?=[.)]))")
#: what they take for an address, an emoji, or the name of a user, an issue or a merge request: after that a comment
_REFERENCE = re.compile(r"([@#!](?=\w)|(?<=GH)-(?=\d)|:(?=//)|:(?=[\w+-]+:)|\bwww(?=\.))", re.IGNORECASE)
_BROKEN = r"\1<!-- -->"
_LEVELS = {Severity.WARNING: ", warning", Severity.INFO: ", info"}

Found = tuple[FileReport, Diagnostic]


def render(view: View) -> str:
    """The summary, no longer than ``LIMIT``."""
    everything = view.findings()
    found = sorted((pair for pair in everything if pair[1].new is not False), key=lambda pair: -pair[1].confidence)
    earlier = len(everything) - len(found) + view.report.known.total()
    compared = earlier > 0 or any(one.new is not None for _, one in everything)
    head = [_title(found, new=compared), _counts(view, found, earlier)]
    head += [f"- {_escaped(message)}" for message in view.report.messages[:20]]
    text = "\n\n".join(part for part in head if part) + "\n"
    left: list[Diagnostic] = []
    for file, one in found:
        for block in () if left else (_block(file, one, diff=True), _block(file, one, diff=False)):
            if len(text) + len(block) <= LIMIT - 1000:
                text += block
                break
        else:
            left.append(one)
    return text + _left_out(left)


def _title(found: Sequence[Found], *, new: bool) -> str:
    adjective = "new " if new else ""
    count = f"{len(found)} " if found else "no "
    return f"## nanlint: {count}{adjective}finding{'' if len(found) == 1 else 's'}"


def _counts(view: View, found: Sequence[Found], earlier: int) -> str:
    levels = Counter(one.confidence for _, one in found)
    sentences = [", ".join(f"{levels[level]} {level}" for level in sorted(levels, reverse=True)) + "."] if found else []
    checked = view.report.checked
    sentences.append(f"{checked} file{'' if checked == 1 else 's'} checked.")
    if earlier:
        said = "1 earlier finding is" if earlier == 1 else f"{earlier} earlier findings are"
        sentences.append(f"{said} not listed.")
    return " ".join(sentences)


def _left_out(left: Sequence[Diagnostic]) -> str:
    if not left:
        return ""
    rules = Counter(one.code for one in left)
    said = [f"{count} {_escaped(code)}" for code, count in rules.most_common(20)]
    if len(rules) > 20:
        said.append(f"{len(rules) - 20} more rules")
    return (
        f"\n**{len(left)} more** not listed, as this summary is limited to {LIMIT:,} characters: {', '.join(said)}. "
        "`nanlint check` shows all.\n"
    )


def _block(file: FileReport, diagnostic: Diagnostic, *, diff: bool) -> str:
    """One finding, and its fix in a block that is opened."""
    rule = _escaped(f"{diagnostic.code} {diagnostic.name}")
    link = link_to(diagnostic.code, diagnostic.name)
    level = f"{diagnostic.confidence}{_LEVELS.get(diagnostic.severity, '')}"
    lines = [
        "",
        f"### {_code(f'{portable(diagnostic.path)}:{diagnostic.span.start}')} "
        + (f"[{rule}]({link})" if link else rule)
        + f" ({level})",
        "",
        _sentence(diagnostic.message),
        *_frame(diagnostic, file),
    ]
    if diagnostic.witness is not None:
        lines.append(f"- witness: {_code(diagnostic.witness.text)}")
    if diagnostic.observed:
        lines.append(f"- observed: {_sentence(diagnostic.observed)}")
    fix = diagnostic.fix
    changes = changed_lines(fix, file.excerpt) if fix is not None else []
    if fix is not None and not changes:
        lines.append(f"- {fix.title}: {_code((fix.display or fix.message).partition(chr(10))[0])}")
    elif fix is not None and diff:
        body = "\n".join(_diff(changes, diagnostic))
        fence = _fence(body)
        summary = f"{fix.title}: {_sentence_as_html(label(fix))}"
        details = (f"<details><summary>{summary}</summary>", "", f"{fence}diff", body, fence, "", "</details>")
        lines += ["", *details]
    elif fix is not None:
        lines.append(f"- {fix.title}: {_sentence(label(fix))}")
    return "\n".join(lines) + "\n"


def _frame(diagnostic: Diagnostic, file: FileReport) -> Iterator[str]:
    """The place and its causes, farthest first, each with its line."""
    own = Annotation(diagnostic.span, diagnostic.effect)
    for one in (*reversed(diagnostic.causes), own):
        line = one.excerpt(file.excerpt).get((one.span.cell, one.span.row), "").strip()
        where = _code(one.place) if one is not own else f"**{_code(own.span.start)}**"
        code = f" {_code(_short(line))}" if line else ""
        yield f"- {where}{code}{': ' if one.message else ''}{_sentence(one.message)}"


def _short(line: str) -> str:
    return line if len(line) <= 200 else line[:200] + "…"


def _diff(changes: Sequence[ChangedLine], diagnostic: Diagnostic) -> Iterator[str]:
    """A fix as a diff, each run of lines under where it is."""
    last: tuple[str, int | None] | None = None
    row = -1
    for line in changes[:_MOST_LINES]:
        if (line.path, line.cell) != last or (line.sign == "-" and line.row > row + 1):
            where = portable(line.path or diagnostic.path)
            place = where if line.cell is None else f"{where}, cell {line.cell}"
            yield f"@@ {visible(place)}:{line.row} @@".replace("\n", " ")
        last, row = (line.path, line.cell), line.row
        yield f"{line.sign}{visible(line.text)}"
    if len(changes) > _MOST_LINES:
        yield f"@@ {len(changes) - _MOST_LINES} more lines @@"


# Escaping


def _escaped(text: str) -> str:
    """Text of one line that Markdown shows as it is, and in which nobody and nothing is mentioned."""
    text = visible(" ".join(text.split())).replace("&", "&amp;")
    text = _MARKUP.sub(r"\\\1", text)
    text = _AT_START.sub(lambda match: f"\\{match[0]}" if not match[0].isdigit() else f"{match[0]}\\", text)
    return _REFERENCE.sub(_BROKEN, text)


def _code(text: str) -> str:
    """Text of one line as code, whatever backticks are in it."""
    text = visible(text).replace("\n", " ").replace("\r", " ").strip()
    ticks = "`" * (_longest_run(text) + 1)
    space = " " if "`" in text else ""
    return f"{ticks}{space}{text}{space}{ticks}" if text else ""


def _fence(text: str) -> str:
    return "`" * max(3, _longest_run(text) + 1)


def _longest_run(text: str) -> int:
    return max(map(len, re.findall("`+", text)), default=0)


def _sentence(text: str) -> str:
    """A message, whose code is between backticks."""
    parts = text.split("`")
    if len(parts) % 2 == 0:
        return _escaped(text)
    shown = [_code(part) if number % 2 else _spaced(part) for number, part in enumerate(parts)]
    return "".join(shown)


def _spaced(text: str) -> str:
    """Text between code, with the spaces at its ends."""
    body = _escaped(text)
    return f"{' ' * text[:1].isspace()}{body}{' ' * (text[-1:].isspace() and bool(body))}"


def _sentence_as_html(text: str) -> str:
    parts = [html.escape(visible(part), quote=False) for part in " ".join(text.split()).split("`")]
    if len(parts) % 2 == 0:
        return _REFERENCE.sub(_BROKEN, "`".join(parts))
    return "".join(
        f"<code>{part}</code>" if number % 2 else _REFERENCE.sub(_BROKEN, part) for number, part in enumerate(parts)
    )
