"""What the path taken says of expressions, shared by all that branches off. What a condition says is told elsewhere."""

from __future__ import annotations

import sys
from collections.abc import Callable, ItemsView, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias

from nanlint.graph.layers import Layers, gathered, laid


class Minus(NamedTuple):
    """The negative of a node, where none stands in the graph."""

    node: Any


#: what an expression is known to compare with: a node, a number, or the two ends of an interval
Bound: TypeAlias = Any
#: a comparison that holds of an expression
Comparison: TypeAlias = tuple[str, Bound]
Comparisons: TypeAlias = tuple[Comparison, ...]
#: what conditions say: the comparisons that hold, by key of the expression
Known: TypeAlias = Mapping[int, Comparisons]

#: comparisons of one expression that are known at a time; of twice as many the last ones are kept, and not one by one,
#: so that those who read the expression again and again share what comes first
MAX_SAID = 16


class PathCondition(Mapping[int, Comparisons]):
    """What the path taken says, as a chain: each condition adds to those before it, which all that branches off shares.

    It never changes. An expression of which something is said again has all of it in the last place.
    """

    __slots__ = ("_before", "_depth", "_layers", "_own", "_since")

    def __init__(self, before: PathCondition | None = None, own: Mapping[int, Comparisons] | None = None) -> None:
        """``own``: what is known of some expressions instead of what was known ``before``; () where that is nothing."""
        self._before = before
        self._own: Mapping[int, Comparisons] = own or {}
        self._depth: int = before._depth + 1 if before is not None else 0
        self._since: int | None = None
        self._layers: Layers[int, Comparisons] = laid(before._layers, self._own) if before is not None else ()

    def get(self, key: int, default: Any = None) -> Any:
        """The comparisons that hold of an expression."""
        for layer in reversed(self._layers):  # as ``said_in``, which would be called a million times
            if key in layer:
                return layer[key] or default
        return default

    def __getitem__(self, key: int) -> Comparisons:
        found: Comparisons | None = self.get(key)
        if found is None:
            raise KeyError(key)
        return found

    def __contains__(self, key: object) -> bool:
        return isinstance(key, int) and self.get(key) is not None

    def __iter__(self) -> Iterator[int]:
        return iter(self._gathered())

    def items(self) -> ItemsView[int, Comparisons]:
        """All that is known, what came first before the rest."""
        return self._gathered().items()

    def __len__(self) -> int:
        return len(self._gathered())

    def __eq__(self, other: object) -> bool:
        return self is other

    def __hash__(self) -> int:
        return id(self)

    def __bool__(self) -> bool:
        return self._depth > 0

    def _gathered(self) -> dict[int, Comparisons]:
        return {key: known for key, known in gathered(self._layers).items() if known}

    def and_(self, said: Iterable[tuple[int, str, Bound]]) -> PathCondition:
        """This, and more comparisons: of an expression by key, which, and with what."""
        own: dict[int, Comparisons] = {}
        for key, comparison, other in said:
            known = own.get(key) or self.get(key, ())
            if (comparison, other) not in known:
                own[key] = (*(known[-MAX_SAID:] if len(known) >= 2 * MAX_SAID else known), (comparison, other))
        return PathCondition(self, own) if own else self

    def overridden(self, by: Known) -> PathCondition:
        """This, but for the expressions of which something else is said."""
        if isinstance(by, PathCondition):
            _, mine, others = self.up_to(by)
            by = {key: known for key in dict.fromkeys([*mine, *others]) if (known := by.get(key)) is not None}
        return PathCondition(self, by) if by else self

    def since(self, first: Callable[[int], int]) -> int:
        """The least of a number that the expressions have of which it speaks."""
        chain = [self]
        while (before := chain[-1]._before) is not None and chain[-1]._since is None:
            chain.append(before)
        for one in reversed(chain):
            if one._since is None:
                least = one._before._since if one._before is not None else None
                one._since = min((*map(first, one._own), sys.maxsize if least is None else least))
        assert self._since is not None
        return self._since

    def last(self, conditions: int) -> list[int]:
        """The expressions of which the last ones of its conditions speak, in order."""
        chain = [self]
        while (before := chain[-1]._before) is not None and len(chain) < conditions:
            chain.append(before)
        return list(dict.fromkeys(said_by(chain)))

    def up_to(self, other: PathCondition) -> tuple[PathCondition, list[int], list[int]]:
        """Where two paths part, and the expressions of which each says something after that, in order."""
        one, mine, others = self, list[PathCondition](), list[PathCondition]()
        while one is not other:
            longer = one if one._depth >= other._depth else other
            assert longer._before is not None, "all paths begin at NOTHING"
            if longer is one:
                mine.append(one)
                one = longer._before
            else:
                others.append(other)
                other = longer._before
        return one, said_by(mine), said_by(others)


def said_by(chain: Sequence[PathCondition]) -> list[int]:
    """The expressions of which some of a chain speak, the last of it first."""
    return [key for one in reversed(chain) for key in one._own]


#: the beginning of every path
NOTHING = PathCondition()


def common(paths: Sequence[PathCondition]) -> PathCondition:
    """What holds on each of several paths."""
    first, *others = paths
    for other in others:
        parted, *keys = first.up_to(other)
        own: dict[int, Comparisons] = {}
        for key in dict.fromkeys([*keys[0], *keys[1]]):
            known = first.get(key)
            both = known if known == other.get(key) else None
            if both != parted.get(key):
                own[key] = both or ()
        first = parted.overridden(own)
    return first
