"""Two graphs, of a text and of the same text mended: whether the one is the other but for what was replaced.

Nodes of both get *structures*: numbers that are equal where the values are. What is new each time it is evaluated (a
parameter, an unknown call, a random number) is the same value only if it is the same piece of syntax.
"""

from __future__ import annotations

import ast
from collections.abc import Hashable, Iterable, Iterator, Mapping
from functools import cached_property

from nanlint.graph.lower import Lowering
from nanlint.graph.node import ATTR, CALL, LOOP, PARAM, REFINE, Graph, Node
from nanlint.ops.op import OPS
from nanlint.source.pairing import Pairing

#: what a node is called, not what it is
_NAMED = frozenset({"variable", "held", "apart", "grows", "facts", "documented", "again"})
#: where a value comes from outside of what is computed
_SOURCES = frozenset({PARAM, ATTR, CALL})
#: a value in whose computation something was replaced
_REPLACED = 0


class Likeness:
    """The graph of a text and that of the text mended, node by node; of both the readings around the edits are kept."""

    def __init__(self, before: Lowering, after: Lowering, pairing: Pairing) -> None:
        self.pairing = pairing
        table: dict[Hashable, int] = {}
        self.old = Structures(before.graph, pairing.numbers, pairing.replaced, table)
        self.new = Structures(after.graph, pairing.numbers, pairing.brought, table)
        #: what was read where something else is read now
        self.read = {bare(node).index for e in pairing.replaced for _, node in before.readings.get(e, ())}
        self._alike: dict[tuple[int, int], bool] = {}

    def problem(self) -> str | None:
        """What is other than it was, if anything: around what was replaced, or what the replacement is made of."""
        if self.around_differs():
            return "something else in the file would mean another thing"
        if any(self.is_foreign(node) for node in self.new.inside):
            return "it would depend on something that the expression does not depend on"
        return None

    def around_differs(self) -> bool:
        """Whether what stands around the replaced code computes something else, or is of other values."""
        old, new = self.old.by_number(), self.new.by_number()
        return any(not self.are_alike(nodes, new.get(number, {})) for number, nodes in old.items())

    def are_alike(self, old: Mapping[int, Node], new: Mapping[int, Node]) -> bool:
        """Whether values that one piece of syntax has, by structure, are the same but for what was replaced."""
        if old.keys() == new.keys():
            return True
        missing = [node for structure, node in old.items() if structure not in new]
        more = [node for structure, node in new.items() if structure not in old]
        return all(any(self.alike(one, other) for other in new.values()) for one in missing) and all(
            any(self.alike(one, other) for one in old.values()) for other in more
        )

    def alike(self, old: Node, new: Node) -> bool:
        """Whether two values are the same but for what was replaced in what they are computed of."""
        old, new = bare(old), bare(new)
        if self.old.around(old) == self.new.around(new):
            return True
        pair = old.index, new.index
        if pair not in self._alike:
            self._alike[pair] = True  # where a value is computed of itself, the rest of it decides
            self._alike[pair] = self._is_alike(old, new)
        return self._alike[pair]

    def _is_alike(self, old: Node, new: Node) -> bool:
        if self.new.is_inside(new):
            return old.index in self.read or self.old.is_inside(old)
        given, now = dict(self.old.operands(old)), dict(self.new.operands(new))
        return (
            self.old.own(old) == self.new.own(new)
            and given.keys() == now.keys()
            and all(self.alike(given[name], now[name]) for name in given)
        )

    @cached_property
    def known(self) -> Mapping[int, Node]:
        """All that what was replaced depends on, and what it was itself, by structure."""
        read = [node for node in self.old.graph if node.index in self.read]
        return {self.old.whole(node): node for node in depended_on([*self.old.inside, *read])}

    def is_known(self, node: Node) -> bool:
        """Whether what was replaced depends on a value, too; others of its operands may be replaced in it."""
        if self.new.whole(node) in self.known:
            return True
        own = self.new.own(bare(node))
        return any(self.old.own(other) == own and self.alike(other, node) for other in self.known.values())

    def is_foreign(self, node: Node) -> bool:
        """Whether a node of the replacement comes from elsewhere, or uses what the replaced code does not."""
        if self.new.whole(node) in self.known:
            return False
        if is_unknown(node):
            return True
        given = (arg for arg in node.args.values() if not self.new.is_inside(arg) and depends(arg))
        return not all(map(self.is_known, given))


class Structures:
    """The structures of the nodes of one graph; ``changed`` are the pieces of syntax that are in it alone."""

    def __init__(
        self, graph: Graph, numbers: Mapping[int, int], changed: Iterable[ast.AST], table: dict[Hashable, int]
    ) -> None:
        self.graph = graph
        self.numbers = numbers
        self.changed = {id(node): node for node in changed}
        self.table = table
        self.inside = [node for node in graph if self.is_inside(node)]
        self._fresh = graph.fresh_keys()
        self._whole: dict[int, int] = {}
        self._around: dict[int, int] = {}

    def is_inside(self, node: Node) -> bool:
        """Whether a node was lowered from what changed, or by a call there."""
        return id(node.site) in self.changed or any(id(call) in self.changed for call in node.calls)

    def whole(self, node: Node) -> int:
        """The structure of a value, down to where it comes from."""
        return self._structure(node, self._whole, cut=False)

    def around(self, node: Node) -> int:
        """The structure of a value down to what was replaced, whatever that is."""
        return self._structure(node, self._around, cut=True)

    def by_number(self) -> Mapping[int, Mapping[int, Node]]:
        """What is lowered from each piece of syntax that is in both texts, by its structure."""
        found: dict[int, dict[int, Node]] = {}
        for node in self.graph:
            number = self.numbers.get(id(node.site))
            if number is not None and not self.is_inside(node):
                found.setdefault(number, {}).setdefault(self.around(node), node)
        return found

    def _structure(self, node: Node, found: dict[int, int], *, cut: bool) -> int:
        pending = [node]
        while pending:
            current = pending[-1]
            if current.index in found:
                pending.pop()
                continue
            if cut and self.is_inside(current):
                found[current.index] = _REPLACED
                pending.pop()
                continue
            operands = dict(self.operands(current))
            missing = [arg for arg in operands.values() if arg.index not in found]
            if missing:
                pending.extend(missing)
                continue
            if current.op == REFINE:
                found[current.index] = found[operands["x"].index]
            else:
                found[current.index] = self._number(
                    current, tuple(sorted((k, found[arg.index]) for k, arg in operands.items()))
                )
            pending.pop()
        return found[node.index]

    def operands(self, node: Node) -> Iterator[tuple[str, Node]]:
        """The operands but those that a loop or a table gets later."""
        for name, arg in node.args.items():
            if (node.op != REFINE or name == "x") and arg.index < node.index:
                yield name, arg

    def _number(self, node: Node, operands: tuple[tuple[str, int], ...]) -> int:
        return self.table.setdefault((self.own(node), operands), len(self.table) + 1)

    def own(self, node: Node) -> Hashable:
        """What a node is beside its operands."""
        attrs = tuple(
            (name, repr(value)) for name, value in sorted(node.attrs.items()) if name not in _NAMED and is_plain(value)
        )
        return node.op, node.framework, attrs, self._anchor(node) if node.key in self._fresh else ()

    def _anchor(self, node: Node) -> Hashable:
        """The piece of syntax that makes a value of its own, and the calls that lead to it."""
        return tuple(self._named(site) for site in (node.site or node.elsewhere, *node.calls))

    def _named(self, site: ast.AST | None) -> Hashable:
        """A piece of syntax by its number; one that only one text has by its form, one of another file by its place."""
        if site is None:
            return None
        if id(site) in self.changed:
            return ast.dump(site)
        number = self.numbers.get(id(site))
        return number or (getattr(site, "home", None), getattr(site, "lineno", 0), getattr(site, "col_offset", 0))


def bare(node: Node) -> Node:
    """A value without what the path taken knows of it."""
    while node.op == REFINE:
        node = node["x"]
    return node


def depended_on(nodes: Iterable[Node]) -> Iterator[Node]:
    """Nodes with all that they are computed from."""
    seen: set[int] = set()
    pending = list(nodes)
    while pending:
        node = pending.pop()
        if node.index not in seen:
            seen.add(node.index)
            pending.extend(node.args.values())
            yield node


def depends(node: Node) -> bool:
    """Whether a value is one that may differ from run to run: made of more than literals and names of modules."""
    return any(is_unknown(one) or one.op == LOOP for one in depended_on([node]))


def is_unknown(node: Node) -> bool:
    """Whether a value comes from outside, or from a call of which nothing is known."""
    if node.op == ATTR and node.args:
        return False
    op = OPS.get(node.op)
    return node.op in _SOURCES or (op is not None and not op.pure)


def is_plain(value: object) -> bool:
    """Whether an attribute of a node is a literal, or made of such."""
    if isinstance(value, tuple):
        return all(map(is_plain, value))
    return value is None or isinstance(value, (str, int, float, complex, bytes, bool))
