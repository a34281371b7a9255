"""A statement that has grown too long -> the same statement over several lines, as Black and Ruff break it.

Only layout: the tokens stay, but for the comma behind the last of several arguments and for parentheses that a broken
line needs, or needs no more. What holds a comment or a string over several lines is left as it is.
"""

from __future__ import annotations

import ast
import io
import keyword
import tokenize
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

INDENT = 4
_OPENING, _CLOSING = "([{", ")]}"
#: operators by how early a line breaks before them; a comma, after which it breaks, comes first of all
_COMMA = 18
_PRIORITY = {
    **dict.fromkeys(("if", "else"), 16),
    **dict.fromkeys(("or", "and"), 14),
    **dict.fromkeys(("in", "not", "is", "<", ">", "==", "!=", "<=", ">="), 10),
    "|": 9,
    "^": 8,
    "&": 7,
    **dict.fromkeys(("<<", ">>"), 6),
    **dict.fromkeys(("+", "-"), 5),
    **dict.fromkeys(("*", "/", "//", "%", "@"), 4),
    "**": 2,
}
_COMPREHENSION = 20
_DOT = 1


@dataclass(frozen=True)
class Token:
    """A token, and what was between it and the one before it."""

    text: str
    space: str
    is_name: bool = False

    @property
    def is_operand(self) -> bool:
        """Whether an operator behind it has two sides."""
        return self.text in _CLOSING or (self.is_name and not keyword.iskeyword(self.text)) or self.is_literal

    @property
    def is_literal(self) -> bool:
        return self.text[:1].isdigit() or self.text[-1:] in "'\"" or self.text in ("None", "True", "False", "...")


Tokens = Sequence[Token]


def broken(statement: str, indent: int, width: int) -> str | None:
    """A simple statement over lines of at most ``width`` where they can be; None where it is to stay as it is.

    ``statement`` begins in column ``indent``, with which its further lines begin.
    """
    tokens = tokens_of(statement)
    tree = _parsed(statement)
    if tokens is None or tree is None:
        return None
    lines = Layout(width).statement(tokens, indent)
    found = "\n".join(lines)
    same = _parsed(found.replace("\n" + " " * indent, "\n"))
    return found if same is not None and ast.dump(same) == ast.dump(tree) else None


def broken_element(line: str, indent: int, width: int) -> str | None:
    """A line inside of brackets, of an argument or an operand, over several; None where it is to stay as it is."""
    tokens = tokens_of(line)
    if not tokens or len(brackets(tokens)) != sum(t.text in _OPENING for t in tokens):
        return None
    if sum(t.text in _CLOSING for t in tokens) != len(brackets(tokens)):
        return None
    layout = Layout(width)
    ends = tokens[-1].text == ","
    lines = layout.element(tokens, indent) if ends else layout.lines(tokens, indent)
    return "\n".join(lines)[indent:]


def _parsed(text: str) -> ast.Module | None:
    try:
        # what it returns is of interest, not where
        return ast.parse(f"async def _():\n {text}" if "\n" not in text else f"async def _():\n  {text}")
    except SyntaxError:
        return None


def tokens_of(text: str) -> Tokens | None:
    """The tokens of a statement; None if there are comments, or strings or backslashes over several lines."""
    found: list[Token] = []
    row, column = 1, 0
    lines = text.split("\n")
    try:
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            if token.type == tokenize.COMMENT or (token.start[0] != token.end[0] and token.string.strip()):
                return None
            if token.type in (tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER):
                continue
            apart = token.start[0] > row
            if apart and lines[row - 1].rstrip().endswith("\\"):
                return None
            space = " " if apart else lines[row - 1][column : token.start[1]]
            if apart and (token.string in _CLOSING or (found and found[-1].text in _OPENING)):
                # the comma at the end of a broken bracket makes it stay broken
                space = ""
            found.append(Token(token.string, space if found else "", token.type == tokenize.NAME))
            if apart and token.string in _CLOSING and len(found) > 1 and found[-2].text == ",":
                found[-2] = Token(",", "\n")
            row, column = token.end
    except (tokenize.TokenError, SyntaxError, IndentationError):
        return None
    return found


def side_by_side(tokens: Tokens) -> str:
    """Tokens on one line, without the commas that keep brackets broken."""
    text = "".join(t.space + t.text for t in tokens if t.space != "\n")
    return text[len(tokens[0].space) :] if tokens else text


def brackets(tokens: Tokens) -> dict[int, int]:
    """Closing brackets by their opening ones, as indices."""
    found, pending = {}, []
    for index, token in enumerate(tokens):
        if token.text in _OPENING:
            pending.append(index)
        elif token.text in _CLOSING and pending:
            found[pending.pop()] = index
    return found


def delimiters(tokens: Tokens) -> dict[int, int]:
    """Where a line may be broken outside of its brackets: the priority by the index of the delimiter."""
    found: dict[int, int] = {}
    depth, parameters, target = 0, 0, False
    for index, token in enumerate(tokens):
        before = tokens[index - 1] if index else None
        if token.text in _CLOSING:
            depth -= 1
        if token.text == "lambda":
            parameters += 1
        elif token.text == ":" and parameters and not depth:
            parameters -= 1
        elif target and not depth:
            target = token.text != "in"
        elif token.text == "for" and not depth:
            target = True
            if before is not None:
                found[index] = _COMPREHENSION
        elif before is not None and not depth and not parameters:
            if token.text == ",":
                found[index] = _COMMA
            elif token.text == ".":
                if before.text in _CLOSING:
                    found[index] = _DOT
            elif token.text in ("if", "else", "or", "and") or (token.text in _PRIORITY and before.is_operand):
                found[index] = _PRIORITY[token.text]
        if token.text in _OPENING:
            depth += 1
    if _COMPREHENSION in found.values():
        # the conditions of a comprehension are clauses like its loops
        first = min(i for i, p in found.items() if p == _COMPREHENSION)
        found = {i: _COMPREHENSION if i > first and tokens[i].text == "if" else p for i, p in found.items()}
    return found


@dataclass(frozen=True)
class Layout:
    """Lines of at most ``width``."""

    width: int

    def fits(self, text: str, indent: int) -> bool:
        return indent + len(text) <= self.width

    def statement(self, tokens: Tokens, indent: int) -> list[str]:
        """The lines of a statement, the first without its indentation."""
        start = self.value(tokens)
        head, value = tokens[:start], self.bare(tokens[start:])
        lines = self.whole(head, value, indent)
        return [lines[0].lstrip(), *lines[1:]]

    def value(self, tokens: Tokens) -> int:
        """Where the value begins that may get parentheses: behind the last assignment, or a keyword."""
        depth = 0
        start = 0
        for index, token in enumerate(tokens):
            depth += (token.text in _OPENING) - (token.text in _CLOSING)
            if not depth and (token.text == "=" or (token.text.endswith("=") and token.text[:-1] in _PRIORITY)):
                start = index + 1
            elif token.text == "lambda" and not depth:
                break
        if not start and tokens[0].text == "return":
            start = 1
        return start

    def bare(self, value: Tokens) -> Tokens:
        """A value without parentheses around all of it that it does not need."""
        pairs = brackets(value)
        while len(value) > 2 and value[0].text == "(" and pairs.get(0) == len(value) - 1:
            inner = value[1:-1]
            if not inner or _COMMA in delimiters(inner).values() or inner[0].text in ("yield", "await", "*"):
                return value
            if any(t.text == ":=" for t in inner) or _COMPREHENSION in delimiters(inner).values():
                return value
            value = [Token(inner[0].text, value[0].space, inner[0].is_name), *inner[1:]]
            pairs = brackets(value)
        return value

    def whole(self, head: Tokens, value: Tokens, indent: int) -> list[str]:
        """A statement that may get parentheses around its value."""
        pad = " " * indent
        text = side_by_side([*head, *value])
        if self.fits(text, indent) and not self.stays_broken(value):
            return [pad + text]
        if not head:
            return self.split(value, indent) or [pad + text]
        if self.can_omit_parentheses(head, value, indent):
            found = self.split([*head, *value], indent, len(head))
            if found is not None and len(found[0]) <= self.width:
                return found
        inside = self.lines(value, indent + INDENT)
        wrapped = [pad + side_by_side(head) + " (", *inside, pad + ")"]
        if all(len(line) <= self.width for line in wrapped):
            return wrapped
        return self.split([*head, *value], indent, len(head)) or ([pad + text] if len(value) == 1 else wrapped)

    def can_omit_parentheses(self, head: Tokens, value: Tokens, indent: int) -> bool:
        """Whether a value is better broken inside its last brackets than put into some of its own."""
        found = delimiters(value)
        chain = [p for p in found.values() if p == _DOT]
        found = {i: p for i, p in found.items() if p != _DOT}
        if not found:
            return len(chain) < 2
        most = max(found.values())
        if most == _COMMA or sum(p == most for p in found.values()) > 1:
            return False
        if value[0].text in _OPENING and self.fits(side_by_side(value[brackets(value)[0] :]), indent):
            return True
        if value[-1].text not in _CLOSING or value[-2].text in _OPENING:
            return False
        opening = next(i for i, j in brackets(value).items() if j == len(value) - 1)
        before = [*head, *value[:opening]]
        return any(t.text in _OPENING for t in before) or self.fits(side_by_side([*before, value[opening]]), indent)

    def lines(self, tokens: Tokens, indent: int) -> list[str]:
        """What stands in brackets of its own, over lines."""
        pad = " " * indent
        text = side_by_side(tokens)
        if self.fits(text, indent) and not self.stays_broken(tokens):
            return [pad + text]
        return self.delimited(tokens, indent) or self.split(tokens, indent) or [pad + text]

    def stays_broken(self, tokens: Tokens) -> bool:
        """Whether a bracket ends in a comma at the end of its line, as one does that is to stay broken."""
        return any(t.text == "," and t.space == "\n" for t in tokens)

    def delimited(self, tokens: Tokens, indent: int) -> list[str] | None:
        """A line for each part between the delimiters that matter most."""
        found = delimiters(tokens)
        if not found:
            return None
        most = max(found.values())
        places = [i for i, p in found.items() if p == most]
        if most == _DOT and len(places) < 2:
            return None
        if most == _COMMA:
            ends = [i for i in places if i < len(tokens) - 1]
            parts = [tokens[a:b] for a, b in pairwise([0, *(i + 1 for i in ends), len(tokens)])]
            return [line for part in parts for line in self.element(part, indent)]
        if any(tokens[i].text == "not" and tokens[i - 1].text == "is" for i in places):
            return None
        parts = [tokens[a:b] for a, b in pairwise([0, *places, len(tokens)])]
        return [line for part in parts if part for line in self.lines(_flush(part), indent)]

    def element(self, part: Tokens, indent: int) -> list[str]:
        """One of several arguments or elements, with the comma behind it."""
        part = _flush(part[:-1] if part[-1].text == "," else part)
        pad = " " * indent
        text = side_by_side(part)
        if self.fits(text + ",", indent) and not self.stays_broken(part):
            return [pad + text + ","]
        named = 2 if len(part) > 2 and part[1].text == "=" else 0
        lines = None if named else self.delimited(part, indent)
        lines = lines or self.split(part, indent, named) or [pad + text]
        return [*lines[:-1], lines[-1] + ","]

    def split(self, tokens: Tokens, indent: int, start: int = 0) -> list[str] | None:
        """A line broken inside of the last brackets that leave its head short enough."""
        pad = " " * indent
        candidates = list(self.last_brackets(tokens, start))
        for opening, closing in candidates:
            head, body, tail = tokens[: opening + 1], tokens[opening + 1 : closing], tokens[closing:]
            if not self.fits(side_by_side(head), indent) and (opening, closing) != candidates[-1]:
                continue
            if not self.fits(side_by_side(tail), indent):
                continue
            return [
                pad + side_by_side(head),
                *self.body(tokens, opening, body, indent + INDENT),
                pad + side_by_side(tail),
            ]
        return None

    def last_brackets(self, tokens: Tokens, start: int) -> Iterator[tuple[int, int]]:
        """Brackets that are not in others, last first, without empty ones."""
        pairs = brackets(tokens)
        end = len(tokens)
        for opening, closing in sorted(pairs.items(), reverse=True, key=lambda pair: pair[1]):
            if closing < end and opening >= start:
                end = opening
                if closing > opening + 1:
                    yield opening, closing

    def body(self, tokens: Tokens, opening: int, body: Tokens, indent: int) -> list[str]:
        """What is in brackets that are broken."""
        body = _flush(body)
        before = tokens[opening - 1] if opening else None
        is_collection = before is None or not before.is_operand
        commas = _COMMA in delimiters(body).values()
        if commas and (is_collection or body[-1].text == ","):
            return self.delimited(body, indent) or []
        return self.lines(body, indent)


def _flush(tokens: Tokens) -> Tokens:
    """Tokens at the beginning of a line."""
    return [Token(tokens[0].text, "", tokens[0].is_name), *tokens[1:]] if tokens else tokens
