"""Findings -> the comments that silence them, as edits. Pure; what such comments mean is said in ``suppression``."""

from __future__ import annotations

import tokenize
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from nanlint.diagnostic import Diagnostic, Edit, Span
from nanlint.selection import Rules
from nanlint.source.comments import Suppression, read_comments, tokens_of
from nanlint.source.text import Source


def ignore_lines(source: Source, findings: Iterable[Diagnostic], rules: Rules, reason: str = "") -> list[Edit]:
    """Edits that silence ``findings``: one comment a line, or more codes in the one that already applies to the line.

    ``reason``: what comments give as theirs that have none yet. Raises ValueError if it cannot stand in a comment.
    """
    if len(reason.splitlines()) > 1:
        raise ValueError("the reason must be on one line")
    found = sorted(findings, key=Diagnostic.sort_key)
    lists: dict[int, Suppression] = {}
    for one in _lists(source, rules):
        for number in (one.span.row, *(one.rows or ())) if one.rows is not None else ():
            lists.setdefault(number, one)
    rows = _Rows(source, found, {one.span.row for one in lists.values()})
    wanted: dict[_Row | Suppression, list[str]] = {}
    for finding in found:
        row = rows.of(finding)
        there = lists.get(row.number)
        if there is not None and row.above and there.span.row >= row.number:
            there = None
        codes = wanted.setdefault(there or row, [])
        if finding.code not in codes:
            codes.append(finding.code)
    edits = []
    for place, codes in wanted.items():
        if isinstance(place, Suppression):
            edits += _longer(place, codes, reason)
        elif place.above:
            edits.append(_line_above(source, place.number, _comment("ignore", codes, reason)))
        else:
            edits.append(_at_end(source, place.number, _comment("ignore", codes, reason)))
    return edits


def _at_end(source: Source, row: int, comment: str) -> Edit:
    line = source.lines[row - 1].rstrip("\r\n")
    return Edit(Span(row, len(line.rstrip()) + 1, row, len(line) + 1), f"  {comment}")


def _line_above(source: Source, row: int, comment: str) -> Edit:
    line = source.lines[row - 1]
    indent = line[: len(line) - len(line.lstrip())]
    return Edit(Span(row, 1, row, 1), f"{indent}{comment}\n")


def ignore_file(source: Source, codes: Sequence[str], rules: Rules, reason: str = "") -> Edit:
    """The one edit that silences ``codes`` in the whole file: at its top, below what must be on the first two lines."""
    for one in _lists(source, rules):
        if one.rows is None:
            return _longer(one, codes)[0]
    row = 1
    while row <= min(2, len(source.lines)) and _must_be_first(source.lines[row - 1]):
        row += 1
    return Edit(Span(row, 1, row, 1), f"{_comment('file-ignore', codes, reason)}\n")


def _must_be_first(line: str) -> bool:
    return line.startswith("#!") or (line.startswith("#") and "coding" in line)


def _comment(verb: str, codes: Sequence[str], reason: str) -> str:
    return f"# nanlint: {verb}[{', '.join(codes)}] {reason}".rstrip()


def _lists(source: Source, rules: Rules) -> list[Suppression]:
    """The comments that name rules of ours, ``noqa`` among them."""
    found = read_comments(source, rules).suppressions
    return [one for one in found if one.items and (one.ours or any(item.codes for item in one.items))]


def _longer(suppression: Suppression, codes: Sequence[str], reason: str = "") -> list[Edit]:
    """The codes that are missing go into the list, and the reason behind it if there is none."""
    last = (suppression.items or ())[-1]
    row, column, end = suppression.span.row, last.column + len(last.text), suppression.span.end_column
    missing = [code for code in codes if not suppression.names(code)]
    edits = [Edit(Span(row, column, row, column), "".join(f", {code}" for code in missing))]
    if reason and not suppression.reason:
        edits.append(Edit(Span(row, end, row, end), f" {reason}"))
    return edits


@dataclass(frozen=True)
class _Row:
    """Where a comment goes: at the end of a row, or on a line of its own above it."""

    number: int
    above: bool = False


class _Rows:
    """At the end of which rows a comment may stand: not inside of a string, nor before a line that is continued."""

    def __init__(self, source: Source, findings: Sequence[Diagnostic], commented: Collection[int]) -> None:
        self._findings = findings
        self._commented = commented
        self._closed = _inside_strings(source) | _continued(source)
        self._statements = _statements(source)

    def of(self, finding: Diagnostic) -> _Row:
        """The first row of the finding that takes a comment, else the last of its statement.

        There a comment speaks for all of the statement only if nothing that it names touches the row itself. Where
        something may, the comment goes above the statement.
        """
        span = finding.span
        free = next((row for row in range(span.row, span.end_row + 1) if row not in self._closed), None)
        if free is not None:
            return _Row(free)
        statement = self._statements.get(span.row, range(span.row, span.end_row + 1))
        last = statement[-1]
        touched = any(one.span.row <= last <= one.span.end_row for one in self._findings)
        return _Row(statement[0], above=True) if touched or last in self._commented else _Row(last)


def _inside_strings(source: Source) -> set[int]:
    rows: set[int] = set()
    starts: list[int] = []
    for token in tokens_of(source):
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


def _statements(source: Source) -> Mapping[int, range]:
    """The rows of the statement that each row belongs to."""
    found: dict[int, range] = {}
    first: int | None = None
    for token in tokens_of(source):
        if token.type == tokenize.NEWLINE:
            rows = range(first or token.start[0], token.start[0] + 1)
            found.update(dict.fromkeys(rows, rows))
            first = None
        elif first is None and token.type not in (tokenize.COMMENT, tokenize.NL, tokenize.INDENT, tokenize.DEDENT):
            first = token.start[0]
    return found
