"""Comments that silence findings, as they are written: nanlint's own, and noqa."""

from __future__ import annotations

import re
import tokenize
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from nanlint.diagnostic import Applicability, Confidence, Diagnostic, Edit, Fix, Span
from nanlint.selection import Rules, codes_of, nearest
from nanlint.source.syntax import remembered
from nanlint.source.text import Source

UNKNOWN = "NL002"
_NANLINT = re.compile(
    r"#\s*nanlint(?P<colon>\s*:)?\s*(?P<verb>[\w-]+)(?P<open>\s*\[(?P<codes>[^\]#]*)(?P<close>\])?)?", re.IGNORECASE
)
_VERBS = ("ignore", "file-ignore")
#: what people write who mean one of ours
_OTHER_VERBS = {
    "disable": "ignore", "noqa": "ignore", "off": "ignore", "skip": "ignore", "ignore-file": "file-ignore",
    "ignore-next-line": "ignore", "disable-next": "ignore", "disable-file": "file-ignore", "skip-file": "file-ignore",
}  # fmt: skip
_LISTED = re.compile(r"[\s:=(,]*(?P<item>[A-Za-z]+[0-9]+(?![\w-])|[a-z][a-z0-9]*(?:-[a-z0-9]+)+)")
_NOQA = re.compile(r"#\s*noqa(?![\w-])(?P<colon>\s*:)?", re.IGNORECASE)
_NOQA_ITEM = re.compile(r"(?P<gap>[\s,]*)(?P<item>[A-Z]+[0-9]*(?![\w-])|[a-z][a-z0-9]*(?:-[a-z0-9]+)+)")
_NEXT_PART = re.compile(r"\s*#\s*(?=[A-Za-z])")
_WORD = re.compile(r"[^\s,]+")
OURS = re.compile(r"#\s*nanlint\b", re.IGNORECASE)


@dataclass(frozen=True)
class Item:
    """A code, prefix or name in a comment, with the rules it means (none: not ours, or unknown)."""

    text: str
    column: int
    codes: frozenset[str]


@dataclass(frozen=True)
class Suppression:
    """One directive: where it stands, what it names (``items`` None: everything), which rows it speaks for.

    ``rows`` are the rows that a finding must touch; ``statement`` those of the statement it may speak for as a whole.
    Both are None for the whole file. ``reason`` is what the author says of it, if anything.
    """

    span: Span
    ours: bool
    items: tuple[Item, ...] | None
    rows: range | None
    statement: range | None
    removal: Span
    reason: str = ""

    def names(self, code: str) -> bool:
        return self.items is None or any(code in item.codes for item in self.items)


@dataclass(frozen=True)
class Comments:
    """The directives of a file, and what is wrong with the way some are written."""

    suppressions: tuple[Suppression, ...]
    complaints: tuple[Diagnostic, ...]


# Reading
@dataclass(frozen=True)
class _Comment:
    row: int
    column: int
    text: str
    rows: range
    statement: range | None
    alone: bool


def read_comments(source: Source, rules: Rules) -> Comments:
    """Find every directive in the comments of ``source``."""
    return _read_comments(source, tuple(rules.items()))


@remembered
def _read_comments(source: Source, named: tuple[tuple[str, str], ...]) -> Comments:
    rules = dict(named)
    suppressions: list[Suppression] = []
    complaints: list[Diagnostic] = []
    for comment in _comments(source):
        for match in _NANLINT.finditer(comment.text):
            _read_ours(source, comment, match, rules, suppressions, complaints)
        for match in _NOQA.finditer(comment.text):
            suppression = _read_noqa(source, comment, match, rules, complaints)
            if suppression is not None:
                suppressions.append(suppression)
    return Comments(tuple(suppressions), tuple(complaints))


def _read_ours(
    source: Source,
    comment: _Comment,
    match: re.Match[str],
    rules: Rules,
    suppressions: list[Suppression],
    complaints: list[Diagnostic],
) -> None:
    verb = match["verb"].lower()
    span = _span(comment, match.start(), match.end())
    meant = verb if verb in _VERBS else _OTHER_VERBS.get(verb) or nearest(verb, _VERBS)
    listed, end = _listed(comment.text, match.start("codes") if match["open"] else match.end(), rules)
    misspelled = _misspelled(source, comment, match, meant or "ignore", listed, end)
    if not match["colon"]:
        # prose, unless it goes on as a directive does
        if meant is not None and (match["open"] or listed):
            complaints.append(misspelled)
        return
    if verb not in _VERBS or (listed and not match["open"]):
        rest = comment.text[match.end() :]
        if meant is None and not match["open"] and not listed and _WORD.search(rest):
            return  # prose about nanlint
        complaints.append(misspelled)
        return
    if match["open"] and not match["close"]:
        fix = _respelled(_span(comment, end, end), "]") if listed else None
        complaints.append(_complaint(source, span, "the list of rules to ignore has no closing bracket", fix))
        return
    items = None
    if match["open"]:
        start = match.start("codes")
        items = tuple(
            Item(word[0], comment.column + start + word.start(), codes_of(word[0], rules))
            for word in _WORD.finditer(match["codes"])
        )
        if not items:
            complaints.append(_complaint(source, span, "an empty list of rules ignores nothing"))
        for item in items:
            if not item.codes:
                complaints.append(_unknown(source, comment.row, item, rules))
    whole_file = verb == "file-ignore"
    suppressions.append(
        Suppression(
            span=span,
            ours=True,
            items=items,
            rows=None if whole_file else comment.rows,
            statement=None if whole_file else comment.statement,
            removal=_removal(source, comment, match),
            reason=_reason(comment, match.end()),
        )
    )


def _listed(text: str, start: int, rules: Rules) -> tuple[str, int]:
    """The words from there on that look like rules, and their end: they were to be in brackets, or behind a colon."""
    words: list[str] = []
    while (word := _LISTED.match(text, start)) is not None:
        is_code = word["item"][:2].upper() == "NL" and word["item"][2:].isdigit()
        if not is_code and not codes_of(word["item"], rules):
            break
        words.append(word["item"])
        start = word.end() + text.startswith(")", word.end())
    return ", ".join(words), start


def _misspelled(
    source: Source, comment: _Comment, match: re.Match[str], verb: str, listed: str, end: int
) -> Diagnostic:
    given = " ".join(match[0].split())
    rules = listed or (match["codes"] or "").strip()
    meant = f"# nanlint: {verb}[{rules or 'CODE'}]"
    end = match.end() if match["close"] else end
    fix = _respelled(_span(comment, match.start(), end), meant) if rules and (listed or match["close"]) else None
    span = _span(comment, match.start(), match.end())
    return _complaint(source, span, f'"{given}" is not understood; write "{meant}"', fix)


def _read_noqa(
    source: Source, comment: _Comment, match: re.Match[str], rules: Rules, complaints: list[Diagnostic]
) -> Suppression | None:
    if comment.alone:
        return None  # this form is for the line that it is on, and there is nothing on it
    listed, end = _listed(comment.text, match.end(), rules)
    if listed and not match["colon"]:
        message = f'"noqa" without a colon is not understood; write "# noqa: {listed}"'
        fix = _respelled(_span(comment, match.start(), end), f"# noqa: {listed}")
        complaints.append(_complaint(source, _span(comment, match.start(), match.end()), message, fix))
        return None
    items: list[Item] | None = None
    end = match.end()
    if match["colon"]:
        items = []
        while (word := _NOQA_ITEM.match(comment.text, end)) is not None:
            text = word["item"]
            if items and "," not in word["gap"] and not text[-1].isdigit():
                break  # prose after the codes
            codes = codes_of(text, rules) if text.startswith("NL") or "-" in text or text in rules else frozenset[str]()
            items.append(Item(text, comment.column + word.start("item"), codes))
            if not codes and text[:2] == "NL" and text[2:].isdigit():
                complaints.append(_unknown(source, comment.row, items[-1], rules))
            end = word.end()
        if not items:
            return None
    return Suppression(
        span=_span(comment, match.start(), end),
        ours=False,
        items=None if items is None else tuple(items),
        rows=comment.rows,
        statement=comment.statement,
        removal=_removal(source, comment, match),
        reason=_reason(comment, end),
    )


def _reason(comment: _Comment, start: int) -> str:
    """What is said between a directive and the next part of its comment."""
    following = _NEXT_PART.search(comment.text, start)
    return comment.text[start : following.start() if following is not None else None].strip(" \t:,-–—")


def _span(comment: _Comment, start: int, end: int) -> Span:
    return Span(comment.row, comment.column + start, comment.row, comment.column + end)


def _removal(source: Source, comment: _Comment, match: re.Match[str]) -> Span:
    """What goes when the directive goes: its part of the comment with its reason, and the space before it."""
    following = _NEXT_PART.search(comment.text, match.end())
    line = source.lines[comment.row - 1]
    start = comment.column + match.start() - 1
    if following is None:
        if match.start() == 0 and comment.alone:
            return Span(comment.row, 1, comment.row + 1, 1)
        start = len(line[:start].rstrip())
        return Span(comment.row, start + 1, comment.row, comment.column + len(comment.text))
    return Span(comment.row, start + 1, comment.row, comment.column + following.start() + _leading_space(following[0]))


def _leading_space(text: str) -> int:
    return len(text) - len(text.lstrip())


def _comments(source: Source) -> Iterator[_Comment]:
    """The comments of interest, each with the rows it speaks for."""
    pending: list[tuple[tokenize.TokenInfo, bool]] = []
    inside: list[tuple[tokenize.TokenInfo, bool]] = []
    first_row: int | None = None
    last_code_row = 0
    code_rows: list[int] = []
    for token in tokens_of(source):
        if token.type == tokenize.COMMENT:
            alone = token.start[0] != last_code_row
            if _interesting(token.string):
                (inside if first_row is not None else pending).append((token, alone))
        elif token.type == tokenize.NEWLINE:
            statement = range(first_row or token.start[0], token.start[0] + 1)
            for above, alone in pending:
                row = above.start[0]
                same_cell = source.cell_at(row) == source.cell_at(statement.start)
                yield _comment(above, statement if same_cell else range(row, row + 1), None, alone)
            for one, alone in inside:
                yield _of_statement(one, alone, statement, code_rows)
            pending, inside, first_row, code_rows = [], [], None, []
        elif token.type not in (tokenize.NL, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER, tokenize.ENCODING):
            if first_row is None:
                first_row = token.start[0]
            last_code_row = token.end[0]
            code_rows.append(token.start[0])
    for token, alone in (*pending, *inside):
        row = token.start[0]
        yield _comment(token, range(row, row + 1), None, alone)


def _of_statement(token: tokenize.TokenInfo, alone: bool, statement: range, code_rows: Iterable[int]) -> _Comment:
    row = token.start[0]
    if alone:  # between the lines of a statement: for the next line of code in it
        row = min((code_row for code_row in code_rows if code_row > row), default=row)
        return _comment(token, range(row, row + 1), None, alone)
    whole = statement if row in (statement[0], statement[-1]) else None
    return _comment(token, range(row, row + 1), whole, alone)


def _comment(token: tokenize.TokenInfo, rows: range, statement: range | None, alone: bool) -> _Comment:
    return _Comment(token.start[0], token.start[1] + 1, token.string, rows, statement, alone)


def _interesting(comment: str) -> bool:
    folded = comment.lower()
    return "noqa" in folded or "nanlint" in folded


def tokens_of(source: Source) -> Iterator[tokenize.TokenInfo]:
    """The tokens of a file, as far as it can be read."""
    # tokenize splits lines by what its readline gives; \r as a line end is unknown to it, and columns do not change.
    lines = (line.rstrip("\r\n") + "\n" if line.endswith(("\r", "\n")) else line for line in source.lines)
    try:
        yield from tokenize.generate_tokens(lambda: next(lines, ""))
    except (tokenize.TokenError, SyntaxError):
        # The parser read the file and tokenize cannot finish it: what came before still counts.
        return


# Remarks
def _unknown(source: Source, row: int, item: Item, rules: Rules) -> Diagnostic:
    near = nearest(item.text, (*rules, *rules.values(), *{code[:3] for code in rules}))
    hint = f', did you mean "{near}"?' if near else ""
    place = Span(row, item.column, row, item.column + len(item.text))
    fix = _respelled(place, near, Applicability.UNSAFE) if near else None
    return _complaint(source, place, f'unknown rule "{item.text}" in a suppression{hint}', fix)


def _respelled(span: Span, text: str, applicability: Applicability = Applicability.SAFE) -> Fix:
    """What was meant; UNSAFE where the rule is a guess."""
    return Fix(applicability, "correct the comment", (Edit(span, text),))


def _complaint(source: Source, span: Span, message: str, fix: Fix | None = None) -> Diagnostic:
    return Diagnostic(
        path=source.path,
        span=span,
        code=UNKNOWN,
        name="unknown-suppression",
        message=message,
        confidence=Confidence.CERTAIN,
        effect="suppresses nothing",
        fix=fix,
    )
