"""A text and the same text after edits: which of its pieces of syntax are which, and which are inside the edits."""

from __future__ import annotations

import ast
from bisect import bisect_left
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import takewhile
from typing import cast

from nanlint.diagnostic import Edit, Span
from nanlint.source.edits import changes
from nanlint.source.text import Located, Source

#: expressions that bind as tightly as any, wherever they stand
_PRIMARY = (ast.Name, ast.Attribute, ast.Call, ast.Subscript)


class Unpaired(Exception):
    """Outside of the edits, the syntax is not what it was."""


@dataclass(frozen=True)
class Stretch:
    """A stretch of a text, as two offsets."""

    start: int
    end: int

    def holds(self, other: Stretch) -> bool:
        """Whether another stretch lies in it."""
        return self.start <= other.start and other.end <= self.end


class Pairing:
    """The syntax trees of two texts side by side: outside of the edits they must be the same, node by node.

    An expression or statement that an edit replaces is *replaced*, and so is what comes in its place. Raises Unpaired
    where the trees differ elsewhere: then the edits have changed how the code around them is read.
    """

    def __init__(self, before: Source, after: Source, edits: Iterable[Edit]) -> None:
        self.sources = before, after
        self.old: list[Stretch] = []
        self.new: list[Stretch] = []
        #: the row of each change, and the rows that it adds
        self.added: list[tuple[int, int]] = []
        shift = 0
        for start, end, content in changes(before, edits):
            self.old.append(Stretch(start, end))
            self.new.append(Stretch(start + shift, start + shift + len(content)))
            shift += len(content) - (end - start)
            row = before.text.count("\n", 0, start) + 1
            self.added.append((row, content.count("\n") - before.text.count("\n", start, end)))
        #: numbers of the pieces that are in both texts, by identity
        self.numbers: dict[int, int] = {}
        #: the pieces that the edits replace, and those that they bring
        self.replaced: list[ast.AST] = []
        self.brought: list[ast.AST] = []
        #: which of them comes in the place of which
        self.exchanged: list[tuple[ast.AST, ast.AST]] = []
        self.pair(before.tree, after.tree)

    def image(self, span: Span) -> Iterator[ast.AST]:
        """What of the new text stands where that stood in the old one, or came in the place of what held it."""
        for old in self.there.get(span.row, ()):
            if self.sources[0].span(cast(Located, old)) != span:
                continue
            image = self.images.get(self.place(old))
            yield from (image,) if image is not None else (new for e, new in self.exchanged if old in ast.walk(e))

    @cached_property
    def there(self) -> Mapping[int, Sequence[ast.AST]]:
        """The pieces of the old text by the row where they begin."""
        found: dict[int, list[ast.AST]] = {}
        for e in ast.walk(self.sources[0].tree):
            found.setdefault(getattr(e, "lineno", 0), []).append(e)
        return found

    @cached_property
    def images(self) -> Mapping[int | None, ast.AST]:
        """The pieces of the new text that are in both, by their numbers."""
        return {number: e for e in ast.walk(self.sources[1].tree) if (number := self.place(e)) is not None}

    @cached_property
    def changed(self) -> frozenset[int]:
        """What edits replace or bring, by identity."""
        return frozenset(map(id, (*self.replaced, *self.brought)))

    def place(self, node: ast.AST) -> int | None:
        """The number of a piece of syntax that is in both texts, None for what was changed."""
        return None if id(node) in self.changed else self.numbers.get(id(node))

    def replaced_by(self, piece: ast.AST) -> list[Stretch]:
        """The stretches of the old text that edits replaced, by what is in a piece of the new tree, or it is in."""
        own = _stretch(self.sources[1], piece)
        if own is None:
            return []
        first = bisect_left(self.new, own.start, key=lambda one: one.end)
        met = takewhile(lambda number: self.new[number].start <= own.end, range(first, len(self.new)))
        return [self.old[number] for number in met]

    def rows_after(self, rows: Collection[int]) -> frozenset[int]:
        """Where rows of the old text are in the new one, and those that come between them."""
        found: set[int] = set()
        before, number = 0, 0
        for row in sorted(rows):
            while number < len(self.added) and self.added[number][0] < row:
                before, number = before + self.added[number][1], number + 1
            there = range(number, bisect_left(self.added, row + 1, key=lambda one: one[0]))
            here = sum(max(self.added[place][1], 0) for place in there)
            found.update(range(row + before, row + before + here + 1))
        return frozenset(found)

    def pair(self, old: ast.AST, new: ast.AST) -> None:
        """Note that two pieces are the same but for what edits replace in them."""
        image = self._rewritten(old)
        if image is None:
            self._pair(old, new)
            return
        known = dict(self.numbers), len(self.replaced), len(self.brought), len(self.exchanged)
        try:
            self._pair(old, new)
        except Unpaired:
            own = _stretch(self.sources[1], new)
            if own is None or not image.holds(own) or not isinstance(new, _PRIMARY):
                raise
            self.numbers = known[0]
            del self.replaced[known[1] :], self.brought[known[2] :], self.exchanged[known[3] :]
            self._exchange(old, new)

    def _rewritten(self, node: ast.AST) -> Stretch | None:
        """Where the edits put an expression that they rewrite at one of its ends, leaving parts of it."""
        own = _stretch(self.sources[0], node) if isinstance(node, ast.expr) else None
        if own is None:
            return None
        begin = bisect_left(self.old, own.start, key=lambda one: one.start)
        near = takewhile(lambda number: self.old[number].start < own.end, range(begin, len(self.old)))
        inside = [(old, self.new[number]) for number in near if (old := self.old[number]).start < old.end]
        if not inside:
            return None
        (first, start), (last, end) = inside[0], inside[-1]
        if first.start != own.start and last.end < own.end:
            return None
        return Stretch(start.start + own.start - first.start, end.end + max(own.end - last.end, 0))

    def _pair(self, old: ast.AST, new: ast.AST) -> None:
        if self._is_replaced(old):
            if not self._is_brought(new):
                raise Unpaired(old)
            self._exchange(old, new)
            return
        if type(old) is not type(new):
            raise Unpaired(old)
        self.numbers[id(old)] = self.numbers[id(new)] = len(self.numbers) + 1
        before = len(self.exchanged)
        for name in old._fields:
            one, other = getattr(old, name, None), getattr(new, name, None)
            if isinstance(one, list) and isinstance(other, list):
                self._pair_lists(one, other)
            elif isinstance(one, ast.AST) and isinstance(other, ast.AST):
                self.pair(one, other)
            elif one != other or type(one) is not type(other):
                raise Unpaired(old)
        within = self.exchanged[before:]
        if isinstance(old, ast.Call) and isinstance(new, ast.Call) and self._calls_another(old, new, within):
            self.replaced.append(old)
            self.brought.append(new)
            self.exchanged.append((old, new))

    def _calls_another(self, old: ast.Call, new: ast.Call, within: Sequence[tuple[ast.AST, ast.AST]]) -> bool:
        """Whether a call is of another function now, or is given more or less arguments; ``within``: its changes."""
        if len(old.args) != len(new.args) or len(old.keywords) != len(new.keywords):
            return True
        return any(e is old.func for e, _ in within) or any(self._is_replaced(k) for k in old.keywords)

    def _pair_lists(self, old: Sequence[object], new: Sequence[object]) -> None:
        """Pair the parts of a list; edits may take some out, and put others in."""
        taken = [one for one in old if isinstance(one, ast.AST) and self._is_replaced(one)]
        put = [one for one in new if isinstance(one, ast.AST) and self._is_brought(one)]
        changed = set(map(id, (*taken, *put)))
        kept = [one for one in old if id(one) not in changed]
        there = [one for one in new if id(one) not in changed]
        if len(kept) != len(there):
            raise Unpaired
        for pieces, found in ((taken, self.replaced), (put, self.brought)):
            for piece in pieces:
                self._note(found, piece)
        # what a statement becomes comes after what it needs
        self.exchanged.extend(zip(reversed(taken), reversed(put), strict=False))
        for one, other in zip(kept, there, strict=True):
            if isinstance(one, ast.AST) and isinstance(other, ast.AST):
                self.pair(one, other)
            elif one != other:
                raise Unpaired

    def _exchange(self, old: ast.AST, new: ast.AST) -> None:
        """Note that one piece comes in the place of another."""
        self._note(self.replaced, old)
        self._note(self.brought, new)
        self.exchanged.append((old, new))

    def _note(self, found: list[ast.AST], node: ast.AST) -> None:
        found.extend(ast.walk(node))

    def _is_replaced(self, node: ast.AST) -> bool:
        own = _stretch(self.sources[0], node)
        return own is not None and own.start < own.end and _is_held(own, self.old)

    def _is_brought(self, node: ast.AST) -> bool:
        own = _stretch(self.sources[1], node)
        return own is not None and _is_held(own, self.new)


def _is_held(own: Stretch, stretches: Sequence[Stretch]) -> bool:
    """Whether a stretch lies in one of some, which are in order and do not overlap."""
    first = bisect_left(stretches, own.end, key=lambda one: one.end)
    return any(one.holds(own) for one in takewhile(lambda one: one.start <= own.start, stretches[first:]))


def _stretch(source: Source, node: ast.AST) -> Stretch | None:
    """Where a piece of syntax stands; None for what has no place of its own."""
    if not hasattr(node, "lineno"):
        return None
    span = source.span(cast(Located, node))
    return Stretch(source.offset(span.row, span.column), source.offset(span.end_row, span.end_column))
