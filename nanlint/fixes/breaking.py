"""A statement that has grown too long -> the same tokens over several lines, as Black and Ruff lay them out; and back.

A line is split at its last brackets, what is in brackets at the delimiters that bind least. Parentheses around values
come and go. What holds a string over lines, a backslash, or a comment before its end is left as it is.
"""

from __future__ import annotations

import ast
import io
import tokenize
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, zip_longest
from keyword import iskeyword

PAIRS = {"(": ")", "[": "]", "{": "}"}
#: how loosely what is before a break and what is behind it are bound, in Black's order
LOOP, COMMA, TERNARY, STRINGS, COMPARISON, POWER, DOT = 20, 18, 16, 12, 10, 2, 1
LEVELS = {
    LOOP: "for async",
    TERNARY: "if else",
    14: "and or",
    COMPARISON: "< > == != <= >= is in not",
    9: "|",
    8: "^",
    7: "&",
    6: "<< >>",
    5: "+ -",
    4: "* / // % @",
    POWER: "**",
    DOT: ".",
}
PRIORITIES = {word: level for level, words in LEVELS.items() for word in words.split()}


@dataclass
class Leaf:
    """A token and the space before it; a parenthesis that may be put there has no text.

    ``depth``: brackets around it; ``before``: the priority of a break before it; ``partner``: where what it closes
    was opened; ``trailer``: whether its bracket calls or takes an item.
    """

    text: str
    space: str = ""
    bracket: str = ""
    at: int = -1
    depth: int = 0
    before: int = 0
    partner: int = -1
    trailer: bool = False

    @property
    def opens(self) -> bool:
        return self.bracket in PAIRS

    @property
    def closes(self) -> bool:
        return self.bracket != "" and not self.opens

    @property
    def ends_operand(self) -> bool:
        """Whether a value may end here, so that a sign behind it is an operator."""
        named = not iskeyword(self.text) or self.text in ("None", "True", "False")
        return self.closes or (named and (self.text[-1:].isalnum() or self.text[-1:] in ("_", "'", '"', ".")))


@dataclass(frozen=True)
class Line:
    """Tokens that are to be one line if they can; not if it is ``exploded``, as what is in a display."""

    leaves: Sequence[Leaf]
    width: int
    indent: str = ""
    unit: str = "    "
    inside: bool = False
    exploded: bool = False

    def __str__(self) -> str:
        return self.indent + "".join(leaf.space + leaf.text for leaf in self.leaves).strip()

    def fits(self) -> bool:
        return len(str(self).expandtabs(4)) <= self.width

    def delimiters(self) -> list[int]:
        """Where it can be split: before what its least binding delimiters outside of brackets bind."""
        base = min(leaf.depth for leaf in self.leaves)
        found = {i: leaf.before for i, leaf in enumerate(self.leaves) if i and leaf.depth == base and leaf.before}
        return [i for i, priority in found.items() if priority == max(found.values())]

    def priority(self) -> int:
        return next((self.leaves[i].before for i in self.delimiters()), 0)

    def is_magic(self, i: int) -> bool:
        """Whether a bracket that closes there stays exploded: it has a comma at its end that no tuple of one needs."""
        closing = self.leaves[i]
        if not closing.closes or not i or self.leaves[i - 1].text != ",":
            return False
        inner = [x.text for x in self.leaves[:i] if x.at > closing.partner and x.depth == closing.depth + 1]
        return closing.bracket == "}" or closing.trailer is (closing.bracket == ")") or inner.count(",") > 1

    def explodes(self) -> bool:
        return self.exploded or any(map(self.is_magic, range(len(self.leaves))))


def broken(statement: str, width: int, indent: str = "", unit: str = "    ") -> str | None:
    """A simple statement, or another up to its body, over lines of at most ``width``; None where it is to stay.

    ``indent`` is before it, ``unit`` is what brackets indent by.
    """
    leaves = leaves_of(statement)
    lines = laid_out(Line(measured(with_optional(measured(leaves))), width, indent, unit)) if leaves else []
    text = "\n".join(map(str, lines)).removeprefix(indent)
    return text if lines and meaning(text) == (meaning(statement) or "") else None


def broken_element(row: str, width: int, indent: str, unit: str) -> str | None:
    """A row between brackets that are on other rows, over several; None where it is to stay."""
    leaves = leaves_of(row)
    lines = laid_out(Line(measured(leaves), width, indent, unit, inside=True)) if leaves else []
    return "\n".join(map(str, lines)).removeprefix(indent) if lines else None


def meaning(statement: str) -> str | None:
    """The syntax of a statement, or of one without its body; None if it has none."""
    try:
        return ast.dump(ast.parse(statement.removeprefix("el") + "..." if statement.endswith(":") else statement))
    except SyntaxError:
        return None


# Text -> leaves


def leaves_of(text: str) -> list[Leaf]:
    """The tokens of code; none if it is to stay as it is."""
    found: list[Leaf] = []
    end, begun = (1, 0), []
    try:
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            name, start = tokenize.tok_name[token.type], token.start
            if name.endswith("STRING_START"):  # a formatted string, since Python 3.12 in parts
                begun.append(start)
            elif name.endswith("STRING_END"):
                start = begun.pop()
            if begun or not token.string.strip():
                continue
            if start[0] != token.end[0] or (found and found[-1].text[:1] == "#"):
                return []
            word = token.line[start[1] : token.end[1]]
            same = start[0] == end[0]
            found.append(Leaf(word, token.line[end[1] : start[1]] if same else spaced(found, word)))
            found[-1].bracket = word if word in "()[]{}" else ""
            end = token.end
    except (tokenize.TokenError, SyntaxError):
        return []
    levels = list(accumulate(leaf.opens - leaf.closes for leaf in found))
    return found if "\\\n" not in text and levels and levels[-1] == min(levels) == 0 else []


def spaced(before: Sequence[Leaf], word: str) -> str:
    """The space before a token that began a row."""
    tight = before[-1:] and (before[-1].opens or (before[-1].text == "**" and not before[-1].space))
    return "" if tight or word in (*PAIRS.values(), ",", ".", ":") else " "


def measured(leaves: list[Leaf]) -> list[Leaf]:
    """Tokens with their brackets and delimiters; what ``for`` binds and what a lambda takes counts as in brackets."""
    opened: list[tuple[Leaf, bool]] = []
    bound: list[tuple[str, int]] = []
    depth, loops = 0, False
    for at, leaf in enumerate(leaves):
        previous = leaves[at - 1] if at else Leaf("")
        if ends := (leaf.text, depth) in bound[-1:]:
            bound.pop()
        depth -= ends or leaf.closes
        leaf.at, leaf.depth = at, depth
        if leaf.opens:
            leaf.trailer = previous.ends_operand
            opened.append((leaf, loops))
        elif leaf.closes:
            opening, loops = opened.pop()
            leaf.partner, leaf.trailer = opening.at, opening.trailer
        loops = (loops or leaf.text == "for") and not leaf.opens
        found = 0 if ends else priority(leaf, previous, leaves[at + 1].text if at + 1 < len(leaves) else "")
        leaf.before = LOOP if found == TERNARY and loops else found
        depth += leaf.opens
        if leaf.text in ("for", "lambda"):
            depth += 1
            bound.append(("in" if leaf.text == "for" else ":", depth))
    return leaves


def priority(leaf: Leaf, previous: Leaf, following: str) -> int:
    """The priority of a break before a token; 0 if there is to be none."""
    word = leaf.text
    if previous.text == ",":
        return COMMA * (not leaf.closes)
    if word[-1:] in ("'", '"') and previous.text[-1:] in ("'", '"'):
        return STRINGS
    found = PRIORITIES.get(word, 0)
    unary = POWER <= found < COMPARISON and not previous.ends_operand
    second = previous.text in ("not", "is", "async") and word in ("in", "not", "for")
    first = word == "not" and following != "in"
    return 0 if unary or second or first or (word == "." and not previous.closes) else found


def with_optional(leaves: list[Leaf]) -> list[Leaf]:
    """The tokens of a statement, its values in optional parentheses, which they may have."""
    outer = [leaf for leaf in leaves if not leaf.depth]
    keyword = next(leaf.text for leaf in leaves if leaf.text != "async")
    marks = {"for": ("in",), "assert": ("assert", ",")}.get(keyword, (keyword,))
    starts = [leaf.at + 1 for leaf in outer if leaf.text in marks]
    if keyword not in ("return", "assert", "if", "elif", "while", "for"):
        equals = [x.at + 1 for x in outer if x.text[-1:] == "=" and x.text not in PRIORITIES]
        several = equals and any(leaf.text == "," for leaf in outer if leaf.at < equals[0])
        starts = [0, *equals] if several else equals
    end = len(leaves) - (leaves[-1].text[:1] == "#")
    end -= leaves[end - 1].text == ":"
    found = leaves[: starts[0]] if starts else leaves
    for start, following in zip(starts, [*starts[1:], end + 1], strict=False):
        found += parenthesized(leaves[start : following - 1], " " * (start > 0)) + leaves[following - 1 : following]
    return found + leaves[end + 1 :] if starts else found


def parenthesized(value: list[Leaf], space: str) -> list[Leaf]:
    """A value in optional parentheses; those it has become optional, unless a tuple or generator needs them."""
    first, inner = value[0], value[1:-1]
    needed = any(x.depth == first.depth + 1 and x.text in (",", "for", "yield", ":=") for x in inner)
    if first.bracket == "(" and value[-1].partner == first.at and inner and not needed:
        value = inner
    value[0].space = ""
    return [Leaf("", space, "("), *value, Leaf("", "", ")")]


# Line -> lines


def laid_out(line: Line, forced: bool = False) -> list[Line]:
    """The lines of a line: it if it fits, else what splits make of it; ``forced``: optional parentheses are put."""
    if line.fits() and not line.explodes():
        return [line]
    parts = (by_delimiter(line) if line.inside else []) or by_brackets(line, forced)
    if not parts or str(line) in map(str, parts):
        return [line]
    found = [one for part in parts for one in laid_out(part, forced)]
    other = laid_out(line, True) if not (forced or line.inside or found[0].fits()) else []
    return other if other and all(one.fits() for one in other) else found


def by_delimiter(line: Line) -> list[Line]:
    """A line split before its delimiters; a single attribute stays where it is."""
    cuts, leaves, loosest = line.delimiters(), list(line.leaves), line.priority()
    if not cuts or (loosest == DOT and len(cuts) == 1):
        return []
    if loosest == COMMA and leaves[-1].text != ",":
        leaves.append(Leaf(",", depth=leaves[cuts[0]].depth))
    ends = [*cuts, len(leaves)]
    return [replace(line, leaves=leaves[a:b], exploded=False) for a, b in zip([0, *cuts], ends, strict=True)]


def by_brackets(line: Line, forced: bool) -> list[Line]:
    """A line split at its last brackets, or at some before them if it begins too long else, and ends short enough."""
    pairs = pairs_of(line)
    shown = [pair for pair in pairs if line.leaves[pair[0]].text]
    for i, (_, end) in enumerate(shown):
        behind = replace(line, leaves=line.leaves[end:])
        if (i and not behind.fits()) or any(line.is_magic(j) for j in range(end + 1, len(line.leaves))):
            break
        parts = at_brackets(line, [pair for pair in pairs if pair not in shown[:i]], forced)
        if parts and parts[0].fits():
            return parts
    return at_brackets(line, pairs, forced)


def pairs_of(line: Line) -> list[tuple[int, int]]:
    """Where the brackets of a line open and close that hold something, from the last; also in optional parentheses."""
    places = {leaf.at: i for i, leaf in enumerate(line.leaves)}
    found, end = [], len(line.leaves) - 1
    while end >= 0:
        leaf = line.leaves[end]
        start = places.get(leaf.partner, -1) if leaf.closes else end
        if start < 0:
            break
        if start < end - 1:
            found.append((start, end))
        end = (start if leaf.text else end) - 1
    return found


def at_brackets(line: Line, pairs: Sequence[tuple[int, int]], forced: bool) -> list[Line]:
    """A line in three at the first of the pairs that are no optional parentheses which others can stand in for."""
    for (start, end), following in zip_longest(pairs, pairs[1:]):
        opening, closing = line.leaves[start], line.leaves[end]
        head = replace(line, leaves=line.leaves[: start + 1], inside=False, exploded=False)
        body = replace(line, leaves=line.leaves[start + 1 : end], indent=line.indent + line.unit, inside=True)
        several = body.priority() == COMMA
        if opening.text or forced or not following or not is_optional(body):
            break
        # a target stays whole, and Ruff puts a tuple that is assigned in parentheses (Black splits its last element)
        better = several or (following[1] < start and head.fits() and not head.explodes())
        if better and "=" in [leaf.text for leaf in head.leaves[-2:-1]]:
            break
    else:
        return []
    behind = line.leaves[end + 1 :]
    if not opening.text and len(body.leaves) == 1 and (behind or not body.fits()):
        return []  # a name alone is not worth it
    exploded = several and (body.leaves[-1].text == "," or not closing.trailer)
    return [
        replace(head, leaves=[*head.leaves[:-1], replace(opening, text=opening.bracket)]),
        replace(body, exploded=exploded),
        replace(head, leaves=[replace(closing, text=closing.bracket), *behind]),
    ]


def is_optional(body: Line) -> bool:
    """Whether a value needs no parentheses: it can be split at the brackets that it begins or ends with."""
    cuts, loosest, leaves = body.delimiters(), body.priority(), body.leaves
    if len(cuts) != 1 or loosest == DOT:
        return len(cuts) < 2
    last = leaves[-1]
    if leaves[0].opens and not leaves[1].closes:
        behind = next(i for i, leaf in enumerate(leaves) if leaf.partner == leaves[0].at)
        until = next((i + 1 for i in range(behind, len(leaves)) if leaves[i].opens), len(leaves))
        if replace(body, leaves=leaves[behind:until]).fits():
            return True
    before = replace(body, leaves=[leaf for leaf in leaves if leaf.at <= last.partner])
    useful = last.closes and not (last.bracket == "]" and last.trailer) and not leaves[-2].opens
    return useful and (before.fits() or any(leaf.opens for leaf in before.leaves[:-1]))
