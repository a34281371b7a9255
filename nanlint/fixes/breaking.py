"""A statement that a fix made too long -> the same tokens over several lines, as Black and Ruff lay them out; and back.

A line is split at its last bracket; what is in brackets, at the delimiters that bind least. Parentheses around a value come and go,
commas come before closing brackets. What holds a comment or a string over several lines is left as it is.
"""

from __future__ import annotations

import ast
import io
import tokenize
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from keyword import iskeyword

PAIRS = {"(": ")", "[": "]", "{": "}"}
COMMA = 18
#: what a line is broken before, by how loosely it binds: Black's order
PRIORITIES = {
    **dict.fromkeys(("for", "async"), 20),
    **dict.fromkeys(("if", "else"), 16),
    **dict.fromkeys(("and", "or"), 14),
    '"': 12,
    **dict.fromkeys(("<", ">", "==", "!=", "<=", ">=", "is", "in", "not"), 10),
    **{"|": 9, "^": 8, "&": 7, "<<": 6, ">>": 6, "+": 5, "-": 5},
    **dict.fromkeys(("*", "/", "//", "%", "@"), 4),
    **{"**": 2, ".": 1},
}
ARITHMETIC = range(2, 10)
#: wider than any line
ONE_LINE = 1_000_000


class CannotSplit(Exception):
    """A line that has no brackets to split at, or where that would not help."""


@dataclass
class Leaf:
    """A token, with the space before it; parentheses that may come are empty. ``before``: priority of a break there."""

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
        return self.bracket in PAIRS.values()

    @property
    def ends_operand(self) -> bool:
        """Whether a value may end here: what comes then is no sign, and a bracket calls it or takes an item."""
        if self.closes:
            return True
        word = not iskeyword(self.text) or self.text in ("None", "True", "False")
        return word and (self.text[-1:].isalnum() or self.text[-1:] in tuple("_'\"."))

    def __len__(self) -> int:
        return len(self.space) + len(self.text)


@dataclass(frozen=True)
class Line:
    """Tokens that are to be on one line if they can; ``whole``: with all brackets that are open in it."""

    leaves: Sequence[Leaf]
    indent: str
    width: int
    unit: str
    inside: bool = False
    exploded: bool = False
    whole: bool = True

    def __str__(self) -> str:
        return self.indent + "".join(leaf.space + leaf.text for leaf in self.leaves).strip()

    def fits(self, spare: int = 0) -> bool:
        return len(str(self).expandtabs(4)) + spare <= self.width

    @property
    def margin(self) -> int:
        return len(self.indent.expandtabs(4))

    def delimiters(self) -> list[int]:
        """The places of the loosest delimiters that are in no bracket of the line: a new line may begin there."""
        base = min(leaf.depth for leaf in self.leaves)
        found = {i: leaf.before for i, leaf in enumerate(self.leaves) if i and leaf.depth == base and leaf.before}
        return [i for i, priority in found.items() if priority == max(found.values())]

    def explodes(self) -> bool:
        """Whether a comma before a closing bracket keeps it over several lines."""
        return self.whole and any(map(self.is_magic, range(len(self.leaves))))

    def is_magic(self, i: int) -> bool:
        """Whether the bracket that closes there has a comma at its end that no tuple of one needs."""
        closing = self.leaves[i]
        if not closing.closes or not i or self.leaves[i - 1].text != ",":
            return False
        if closing.bracket == "}" or closing.trailer is (closing.bracket == ")"):
            return True
        inside = [x.text for x in self.leaves[:i] if x.at > closing.partner and x.depth == closing.depth + 1]
        return inside.count(",") > 1


@dataclass(frozen=True)
class Split:
    """A line in three at a pair of brackets."""

    head: Line
    body: Line
    tail: Line

    @property
    def opening(self) -> Leaf:
        return self.head.leaves[-1]


# Text -> text


def broken(statement: str, width: int, indent: str = "", unit: str = "    ") -> str | None:
    """A simple statement, or the header of another, over lines of at most ``width``; None where it is to stay as it is.

    ``indent`` is what its first line begins with, ``unit`` what brackets indent by.
    """
    leaves = leaves_of(statement)
    if leaves is None:
        return None
    text = "\n".join(map(str, transformed(Line(measured(with_optional(measured(leaves))), indent, width, unit))))
    return text.removeprefix(indent) if meaning(text.removeprefix(indent)) == meaning(statement) else None


def broken_element(line: str, width: int, indent: str, unit: str) -> str | None:
    """A line that is in brackets that begin above it, over several; None where it is to stay as it is."""
    leaves = leaves_of(line)
    if leaves is None:
        return None
    return "\n".join(map(str, transformed(Line(measured(leaves), indent, width, unit, inside=True)))).removeprefix(indent)


def side_by_side(expression: str) -> str | None:
    """An expression on one line, without the commas that keep brackets broken; None where it is to stay as it is."""
    leaves = leaves_of(f"({expression})")
    if leaves is None or any(leaf.text.startswith("#") for leaf in leaves):
        return None
    line = Line(measured(leaves), "", ONE_LINE, "")
    kept = [leaf for i, leaf in enumerate(leaves[:-1]) if not line.is_magic(i + 1)]
    return str(replace(line, leaves=kept[1:]))


def meaning(statement: str) -> str | None:
    """The syntax tree of a statement, or of the header of one."""
    header = statement.rstrip().endswith(":")
    try:
        return ast.dump(ast.parse(f"{statement.removeprefix('el')} pass" if header else statement))
    except SyntaxError:
        return None


def leaves_of(text: str) -> list[Leaf] | None:
    """The tokens of code; None if it has comments but at its end, strings over lines, backslashes or open brackets."""
    found: list[Leaf] = []
    end, strings, opened = (1, 0), 0, 0
    lines = text.split("\n")
    try:
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            name = tokenize.tok_name[token.type]
            if not token.string.strip():
                continue
            if token.start[0] != token.end[0] or (found and found[-1].text.startswith("#")):
                return None
            between = lines[end[0] - 1][end[1] : token.start[1]] if token.start[0] == end[0] else None
            if strings:
                found[-1].text += (between or "") + token.string
            elif between is None and lines[end[0] - 1].endswith("\\"):
                return None
            else:
                found.append(Leaf(token.string, between if between is not None else space(found, token.string)))
                found[-1].bracket = token.string if token.string in "()[]{}" else ""
                opened += found[-1].opens - found[-1].closes
                if opened < 0:
                    return None
            strings += name.endswith("STRING_START")
            strings -= name.endswith("STRING_END")
            end = token.end
    except (tokenize.TokenError, SyntaxError):
        return None
    return found if found and not opened else None


def space(before: Sequence[Leaf], text: str) -> str:
    """The space before a token that was on a line of its own."""
    hugged = before and (before[-1].opens or (before[-1].text == "**" and not before[-1].space))
    return "" if not before or hugged or text in (*PAIRS.values(), ",", ".", ":") else " "


def measured(leaves: list[Leaf]) -> list[Leaf]:
    """Tokens with their brackets and delimiters; what ``for`` binds and a ``lambda`` takes counts as in brackets."""
    opened: list[tuple[Leaf, bool]] = []
    targets: list[tuple[str, int]] = []
    depth, loops = 0, False
    for at, leaf in enumerate(leaves):
        previous = leaves[at - 1] if at else Leaf("")
        bound = (leaf.text, depth) in targets[-1:]
        if bound:
            targets.pop()
        depth -= bound or leaf.closes
        leaf.at, leaf.depth, leaf.before = at, depth, 0
        if leaf.opens:
            leaf.trailer = previous.ends_operand
            opened.append((leaf, loops))
            loops = False
        elif leaf.closes:
            opening, loops = opened.pop()
            leaf.partner, leaf.trailer = opening.at, opening.trailer
        if previous.text == "," and not leaf.closes:
            leaf.before = COMMA
        elif not bound and not previous.opens:
            leaf.before = priority(leaf, previous, leaves[at + 1 : at + 2], loops)
        depth += leaf.opens
        if leaf.text in ("for", "lambda"):
            loops = loops or leaf.text == "for"
            depth += 1
            targets.append(("in" if leaf.text == "for" else ":", depth))
    return leaves


def priority(leaf: Leaf, previous: Leaf, following: Sequence[Leaf], loops: bool) -> int:
    """How loosely what a token begins is bound to what is before it; 0 if no line begins there."""
    found = PRIORITIES.get('"' if leaf.text[-1:] in "'\"" and previous.text[-1:] in ("'", '"') else leaf.text, 0)
    nots = (leaf.text == "not" and [x.text for x in following] != ["in"]) or (leaf.text, previous.text) == ("in", "not")
    if nots or (found in ARITHMETIC and not previous.ends_operand) or (leaf.text == "." and not previous.closes):
        return 0
    if leaf.text == "if" and loops:
        return PRIORITIES["for"]
    return 0 if previous.text == "async" else found


def with_optional(leaves: list[Leaf]) -> list[Leaf]:
    """The tokens of a statement, its values in parentheses that are empty, also those in redundant ones."""
    keyword = leaves[0].text if leaves[0].text != "async" else leaves[1].text
    marks = {"for": ["in"], "assert": ["assert", ","]}.get(keyword, [keyword])
    assigned = keyword not in ("return", "assert", "if", "elif", "while", "for")
    level = [leaf for leaf in leaves if not leaf.depth]
    if assigned:
        marks = [x.text for x in level if x.text.endswith("=") and x.text not in ("==", "<=", ">=", "!=", ":=")]
    starts = [leaf.at + 1 for leaf in level if leaf.text in marks]
    if assigned and starts and any(x.text == "," for x in level if x.at < starts[0]):
        starts.insert(0, 0)
    after = len(leaves) - leaves[-1].text.startswith("#")
    after -= leaves[after - 1].text == ":"
    found = leaves[: starts[0]] if starts else leaves
    for start, following in zip(starts, [*starts[1:], after + 1], strict=False):
        end = following - 1
        found += parenthesized(leaves[start:end], " " if start else "") + leaves[end : following if end < after else None]
    return found


def parenthesized(value: list[Leaf], space: str) -> list[Leaf]:
    """A value in parentheses that are empty; those it has, unless a tuple or generator needs them."""
    if not value:
        return value
    first, last = value[0], value[-1]
    inside = Line(value[1:-1], "", 0, "")
    needed = any(x.depth == first.depth + 1 and x.text in (",", "for", "yield", ":=") for x in inside.leaves)
    if first.bracket == "(" and last.partner == first.at and inside.leaves and not needed:
        value = [replace(leaf) for leaf in inside.leaves]
    value[0].space = ""
    return [Leaf("", space, "("), *value, Leaf("", "", ")")]


# Line -> lines


def transformed(line: Line, forced: bool = False) -> list[Line]:
    """The lines of a line: itself if it fits, else what splits make of it; ``forced``: parentheses come if they can."""
    if line.fits() and not line.exploded and not line.explodes():
        return [line]
    for split in (by_delimiter, by_bracket) if line.inside else (by_bracket,):
        try:
            return finished(line, split(line, forced), forced)
        except CannotSplit:
            continue
    return [line]


def finished(line: Line, parts: Sequence[Line], forced: bool) -> list[Line]:
    """The lines of the parts of a line; those with parentheses around its value if they, and only they, fit."""
    if any(str(part) == str(line) for part in parts):
        raise CannotSplit
    found = [one for part in parts for one in transformed(part, forced)]
    optional = {x.at for x in line.leaves if x.opens and not x.text}
    used = any(x.at in optional and x.text for part in parts for x in part.leaves)
    if forced or used or not optional or found[0].fits() or line.inside:
        return found
    try:
        second = finished(line, by_bracket(line, True), True)
    except CannotSplit:
        return found
    return second if all(one.fits() for one in second) else found


def by_delimiter(line: Line, forced: bool) -> list[Line]:
    """What is in brackets, split at its loosest delimiters."""
    cuts = line.delimiters()
    loosest = line.leaves[cuts[0]].before if cuts else 0
    if not cuts or (loosest == PRIORITIES["."] and len(cuts) == 1):
        raise CannotSplit
    leaves = list(line.leaves)
    if loosest == COMMA and leaves[-1].text != ",":
        leaves.append(Leaf(",", depth=leaves[cuts[0]].depth))
    ends = [*cuts, len(leaves)]
    return [replace(line, leaves=leaves[a:b], exploded=False) for a, b in zip([0, *cuts], ends, strict=True)]


def by_bracket(line: Line, forced: bool) -> list[Line]:
    """A line split at its last bracket, or at one before, if what is behind that fits."""
    first: list[Line] = []
    for omitted in omissions(line):
        parts = settled(at_bracket(line, omitted), line, forced, omitted)
        if parts[0].fits():
            return parts
        first = first or ([] if omitted else parts)
    return first or settled(at_bracket(line, ()), line, forced, ())


def at_bracket(line: Line, omitted: Collection[int]) -> Split:
    """A line split at its last bracket that is neither empty nor left out."""
    leaves, places = line.leaves, {leaf.at: i for i, leaf in enumerate(line.leaves)}
    end = len(leaves) - 1
    while end >= 0:
        closing = leaves[end]
        if closing.closes and closing.at not in omitted:
            start = places.get(closing.partner, -1)
            if start < 0:
                break
            if start < end - 1:
                body = replace(line, leaves=leaves[start + 1 : end], indent=line.indent + line.unit, inside=True)
                body = replace(body, whole=True, exploded=is_exploded(body, leaves[start]))
                head = replace(line, leaves=leaves[: start + 1], inside=False, exploded=False, whole=True)
                return Split(head, body, replace(head, leaves=leaves[end:], whole=False))
            end = start
        end -= 1
    raise CannotSplit


def is_exploded(body: Line, opening: Leaf) -> bool:
    """Whether each element is to have a line: of a display always, of arguments if a comma is at their end."""
    cuts = body.delimiters()
    commas = bool(cuts) and body.leaves[cuts[0]].before == COMMA
    return commas and (body.leaves[-1].text == "," or not opening.trailer)


def settled(split: Split, line: Line, forced: bool, omitted: Collection[int]) -> list[Line]:
    """The parts of a line; at a bracket inside of parentheses that are not needed rather than at these."""
    opening, closing = split.opening, split.tail.leaves[0]
    if not forced and not opening.text and is_optional(split.body):
        inner_omitted = {closing.at, *omitted}
        try:
            inner = at_bracket(line, inner_omitted)
            if is_preferred(inner, split):
                return settled(inner, line, forced, inner_omitted)
        except CannotSplit:
            chained = sum(leaf.text == "=" for leaf in line.leaves) > 1
            if not chained and len(split.body.leaves) < 2 and not split.body.fits():
                raise
    if not opening.text and len(split.body.leaves) < 2 and split.tail.leaves[-1].text.startswith("#"):
        raise CannotSplit  # the remark would not be beside its value
    head = replace(split.head, leaves=[*split.head.leaves[:-1], replace(opening, text=opening.bracket)])
    tail = replace(split.tail, leaves=[replace(closing, text=closing.bracket), *split.tail.leaves[1:]])
    return [head, split.body, tail]


def is_optional(body: Line) -> bool:
    """Whether a value can do without parentheses around it: what it begins or ends with can be split instead."""
    cuts, leaves = body.delimiters(), body.leaves
    if not cuts:
        return True
    loosest = leaves[cuts[0]].before
    if len(cuts) > 1 or loosest in (COMMA, PRIORITIES["."]):
        return len(cuts) == 1 and loosest != COMMA
    first, last = leaves[0], leaves[-1]
    if first.opens and not leaves[1].closes and rest_fits(body):
        return True
    if not last.closes or (last.bracket == "]" and last.trailer) or leaves[-2].opens:
        return False
    before = [leaf for leaf in leaves if leaf.at <= last.partner]
    return any(leaf.opens for leaf in before[:-1]) or body.margin + sum(map(len, before)) <= body.width


def rest_fits(body: Line) -> bool:
    """Whether what follows the first bracket of a value fits on a line up to the next bracket."""
    length, counted = body.margin, False
    for leaf in body.leaves:
        counted = counted or leaf.partner == body.leaves[0].at
        length += len(leaf) if counted else 0
        if length > body.width:
            return False
        counted = counted and not leaf.opens
    return True


def is_preferred(inner: Split, outer: Split) -> bool:
    """Whether a line is rather split at a bracket inside of the parentheses around its value than at these."""
    head, inside = outer.head.leaves, [leaf.text for leaf in inner.head.leaves]
    if len(head) < 2 or head[-2].text != "=" or not any(leaf.bracket for leaf in head[:-1]):
        return True
    if not outer.head.fits(1) or outer.head.explodes():
        return True
    equals = [leaf.text for leaf in head].count("=")
    if equals > 1 and equals > inside.count("="):
        return False
    after = next((i for i in range(len(inside) - 1, -1, -1) if inside[i] == "="), -1)
    return any(x.closes for x in inner.head.leaves[after + 1 :]) or (after >= 0 and inner.head.fits())


def omissions(line: Line) -> Iterator[set[int]]:
    """Which brackets at the end of a line stay closed, if one before them is split: none, the last, …"""
    omitted: set[int] = set()
    if not line.explodes():
        yield omitted
    length, inner = line.margin, set()
    opening, closing = -1, -1
    for i in range(len(line.leaves) - 1, -1, -1):
        leaf = line.leaves[i]
        length += len(leaf)
        if length > line.width or leaf.text.startswith("#"):
            return
        if opening >= 0:
            if leaf.at == opening:
                opening = -1
            elif leaf.closes:
                if line.is_magic(i):
                    return
                inner.add(leaf.at)
        elif leaf.closes:
            if i and line.leaves[i - 1].opens:
                inner.add(leaf.at)
                continue
            if closing >= 0:
                omitted |= {closing, *inner}
                inner.clear()
                yield omitted
            if line.is_magic(i):
                return
            if leaf.text:
                opening, closing = leaf.partner, leaf.at
