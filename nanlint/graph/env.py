"""The variables of a function as it runs: branches, and operations that remember them, share what none of them sets."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, MutableMapping
from itertools import chain
from typing import Any, TypeAlias

from nanlint.graph.node import Node, unrefined

#: a name; for what was stored, ("field", key of the object, attribute) and ("item", key of the array, key of the index)
Name: TypeAlias = Any

#: names that are copied rather than looked for in one layer more
FEW = 8


class Layer(Mapping[Name, Node]):
    """What names stand for at one place: those that were set last, and another layer for the rest. It never changes.

    Layers get larger and larger from the last one to the first, so that there are few of them.
    """

    __slots__ = ("before", "own")

    def __init__(self, own: dict[Name, Node | None], before: Layer | None) -> None:
        """``own``: None for a name that was deleted."""
        while before is not None and len(before.own) <= max(FEW, 2 * len(own)):
            own, before = {**before.own, **own}, before.before
        self.own: dict[Name, Node | None] = own
        self.before: Layer | None = before

    def get(self, name: Name, default: Any = None) -> Any:
        layer: Layer | None = self
        while layer is not None:
            if name in layer.own:
                found = layer.own[name]
                return default if found is None else found
            layer = layer.before
        return default

    def __getitem__(self, name: Name) -> Node:
        found: Node | None = self.get(name)
        if found is None:
            raise KeyError(name)
        return found

    def __iter__(self) -> Iterator[Name]:
        return iter(gathered(self))

    def __len__(self) -> int:
        return len(gathered(self))


#: no variables
NONE = Layer({}, None)


def layers(last: Layer | None) -> Iterator[Layer]:
    """A layer and those below it."""
    while last is not None:
        yield last
        last = last.before


def gathered(last: Layer) -> dict[Name, Node]:
    """All that a layer says, with those below it, in the order in which names were first set."""
    found: dict[Name, Node | None] = {}
    for layer in reversed(list(layers(last))):
        found.update(layer.own)
    return {name: node for name, node in found.items() if node is not None}


class _Index:
    """What was ever set, on whatever path, so that nobody has to look through all variables."""

    __slots__ = ("holders", "order", "stored")

    def __init__(self) -> None:
        #: when a name was first set
        self.order: dict[Name, int] = {}
        #: the fields and items that were stored, by the key of what they were stored in
        self.stored: dict[tuple[str, int], list[Name]] = {}
        #: the names that stood for a node, by its index
        self.holders: dict[int, list[Name]] = {}

    def note(self, name: Name, node: Node) -> None:
        if name not in self.order:
            self.order[name] = len(self.order)
            if isinstance(name, tuple):
                self.stored.setdefault(name[:2], []).append(name)
        self.holders.setdefault(unrefined(node).index, []).append(name)


class Env(MutableMapping[Name, Node]):
    """Variables that can be set; a copy is made at once, and costs no more than what was set since the last one."""

    __slots__ = ("_before", "_index", "_own")

    def __init__(self, before: Layer = NONE, index: _Index | None = None) -> None:
        self._own: dict[Name, Node | None] = {}
        self._before = before
        self._index = index or _Index()

    def __setitem__(self, name: Name, node: Node) -> None:
        self._own[name] = node
        self._index.note(name, node)

    def __delitem__(self, name: Name) -> None:
        if name not in self:
            raise KeyError(name)
        self._own[name] = None

    def get(self, name: Name, default: Any = None) -> Any:
        if name in self._own:
            found = self._own[name]
            return default if found is None else found
        return self._before.get(name, default)

    def __getitem__(self, name: Name) -> Node:
        found: Node | None = self.get(name)
        if found is None:
            raise KeyError(name)
        return found

    def __contains__(self, name: object) -> bool:
        return self.get(name) is not None

    def __iter__(self) -> Iterator[Name]:
        return iter(gathered(self.layer))

    def __len__(self) -> int:
        return len(gathered(self.layer))

    @property
    def layer(self) -> Layer:
        """The variables as they are now."""
        if self._own:
            self._before = Layer(self._own, self._before)
            self._own = {}
        return self._before

    def copy(self) -> Env:
        """The same variables, to be set to something else."""
        return Env(self.layer, self._index)

    def changed(self, since: Env) -> list[Name]:
        """The names that were set here or there since the paths parted, those first that were first set."""
        here, there = list(layers(self.layer)), list(layers(since.layer))
        shared = {id(layer) for layer in here} & {id(layer) for layer in there}
        own = {name for layer in chain(here, there) if id(layer) not in shared for name in layer.own}
        return sorted(own, key=self._index.order.__getitem__)

    def stored(self, kind: str, owner: int) -> dict[Name, Node]:
        """The fields or items that were stored in something, by its key."""
        names = self._index.stored.get((kind, owner), ())
        return {name: node for name in names if (node := self.get(name)) is not None}

    def all_stored(self) -> dict[Name, Node]:
        """All fields and items that were stored."""
        names = chain.from_iterable(self._index.stored.values())
        return {name: node for name in names if (node := self.get(name)) is not None}

    def holding(self, node: Node) -> list[Name]:
        """The names that stand for a node, whatever the path taken knows of it."""
        names = dict.fromkeys(self._index.holders.get(node.index, ()))
        return [name for name in names if (held := self.get(name)) is not None and unrefined(held) is node]
