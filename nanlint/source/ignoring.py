"""Findings -> the comments that silence them, as edits. Pure; what such comments mean is said in ``suppression``."""

from __future__ import annotations

import tokenize
from collections.abc import Iterable, Mapping, Sequence

from nanlint.diagnostic import Diagnostic, Edit, Span
from nanlint.selection import Rules
from nanlint.source.suppression import Suppression, _tokens, read_comments
from nanlint.source.text import Source


def ignore_lines(source: Source, findings: Iterable[Diagnostic], rules: Rules, reason: str = "") -> list[Edit]:
    """Edits that silence ``findings`` where they stand: one comment a line, or more codes in the one that is there.

    ``reason``: what new comments give as theirs.
    """
    rows = _Rows(source)
    wanted: dict[int, list[str]] = {}
    for finding in sorted(findings, key=Diagnostic.sort_key):
        codes = wanted.setdefault(rows.of(finding.span), [])
        if finding.code not in codes:
            codes.append(finding.code)
    lists = {one.span.row: one for one in _lists(source, rules) if one.rows is not None and one.span.row in wanted}
    edits = []
    for row, codes in wanted.items():
        if row in lists:
            edits.append(_longer(lists[row], codes))
        else:
            end = len(source.lines[row - 1].rstrip()) + 1
            edits.append(Edit(Span(row, end, row, end), f"  {_comment('ignore', codes, reason)}"))
    return edits


def ignore_file(source: Source, codes: Sequence[str], rules: Rules, reason: str = "") -> Edit:
    """The edit that silences ``codes`` in the whole file: at its top, below what must be on the first two lines."""
    for one in _lists(source, rules):
        if one.rows is None:
            return _longer(one, codes)
    row = 1
    while row <= min(2, len(source.lines)) and _must_be_first(source.lines[row - 1]):
        row += 1
    return Edit(Span(row, 1, row, 1), f"{_comment('file-ignore', codes, reason)}\n")


def _must_be_first(line: str) -> bool:
    return line.startswith("#!") or (line.startswith("#") and "coding" in line)


def _comment(verb: str, codes: Sequence[str], reason: str) -> str:
    return f"# nanlint: {verb}[{', '.join(codes)}] {reason}".rstrip()


def _lists(source: Source, rules: Rules) -> list[Suppression]:
    """The comments of ours that name rules."""
    return [one for one in read_comments(source, rules).suppressions if one.ours and one.items]


def _longer(suppression: Suppression, codes: Sequence[str]) -> Edit:
    last = (suppression.items or ())[-1]
    row, column = suppression.span.row, last.column + len(last.text)
    missing = [code for code in codes if not suppression.names(code)]
    return Edit(Span(row, column, row, column), "".join(f", {code}" for code in missing))


class _Rows:
    """At the end of which rows a comment may stand: not inside of a string, nor before a line that is continued."""

    def __init__(self, source: Source) -> None:
        self._closed = _inside_strings(source) | _continued(source)
        self._last = _last_rows(source)

    def of(self, span: Span) -> int:
        """The row for a comment on ``span``: its first one that takes one, else the last of its statement."""
        free = (row for row in range(span.row, span.end_row + 1) if row not in self._closed)
        return next(free, self._last.get(span.row, span.end_row))


def _inside_strings(source: Source) -> set[int]:
    rows: set[int] = set()
    starts: list[int] = []
    for token in _tokens(source):
        name = tokenize.tok_name[token.type]
        if token.type == tokenize.STRING:
            rows.update(range(token.start[0], token.end[0]))
        elif name == "FSTRING_START":
            starts.append(token.start[0])
        elif name == "FSTRING_END" and starts:
            rows.update(range(starts.pop(), token.end[0]))
    return rows


def _continued(source: Source) -> set[int]:
    return {row for row, line in enumerate(source.lines, 1) if line.rstrip("\r\n").endswith("\\")}


def _last_rows(source: Source) -> Mapping[int, int]:
    """The last row of the statement that each row belongs to."""
    found: dict[int, int] = {}
    first: int | None = None
    for token in _tokens(source):
        if token.type == tokenize.NEWLINE:
            found.update(dict.fromkeys(range(first or token.start[0], token.start[0] + 1), token.start[0]))
            first = None
        elif first is None and token.type not in (tokenize.COMMENT, tokenize.NL, tokenize.INDENT, tokenize.DEDENT):
            first = token.start[0]
    return found
