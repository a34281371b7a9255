"""Two graphs, of a text and of the same text mended: whether the one is the other but for what was replaced.

Outside of the edits both texts are the same syntax (``source.pairing``), so values are compared piece by piece: each
must be the same op, of the same attributes, and of operands from the same pieces. What comes in the place of something
replaced must be computed of what that was computed of.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import TypeAlias, cast

from nanlint.frontend.lower import Lowering
from nanlint.frontend.makers import Makers, is_own, whose
from nanlint.graph.node import ATTR, CALL, CONST, LOOP, PARAM, PHI, REFINE, Graph, Node, reached, unrefined, walk
from nanlint.ops.op import OPS
from nanlint.ops.spelling import Spelling
from nanlint.source.pairing import Pairing
from nanlint.source.roots import FRAMEWORKS
from nanlint.source.syntax import dumped

#: what a node is called, or numbers of the graph, not what it is
_NAMED = frozenset({"layer", "variable", "held", "apart", "grows", "facts", "of", "again"})
#: where a value comes from outside of what is computed
_SOURCES = frozenset({PARAM, ATTR, CALL})
#: where values of several paths meet: there may be one for each variable
_JOINS = frozenset({PHI, LOOP})
#: operands that are arrays
_ARRAYS = frozenset({"x", "a", "b", "y", "cond", "target"})
#: ordinary numbers are smaller
WIDE = 6
#: how many joins behind each other are told apart
_DEPTH = 4

FOREIGN = "it would depend on a value that the expression does not depend on"
#: what a fix would make wrong, and the piece of the mended text that it is about, where it is about one
Problem: TypeAlias = "tuple[ast.AST | None, str]"


class Likeness:
    """The graph of a text and that of the text mended; of both the readings around the edits are kept.

    ``also``: other values that what is brought may be made of.
    """

    def __init__(
        self, before: Lowering, after: Lowering, pairing: Pairing, also: Callable[[Node], bool] = lambda node: False
    ) -> None:
        self.also = also
        self.old = Pieces(before.graph, pairing.numbers, pairing.replaced)
        self.new = Pieces(after.graph, pairing.numbers, pairing.brought)
        #: what was read where something else is read now, and what is read there now
        self.read = read_in(before, pairing.replaced)
        self.now = read_in(after, pairing.brought)
        #: whose arrays values are, as far as the fix itself does not say so
        tree = pairing.sources[0].tree
        self.makers = Makers(tree, before.spellings)
        self.makers_now = Makers(tree, before.spellings, self.new.is_inside)

    def problems(self) -> Iterator[Problem]:
        """What is other than it was: around what was replaced, or what the replacement is made of."""
        old, new = self.old.by_number(), self.new.by_number()
        if not all(self.are_alike(nodes, new.get(number, ())) for number, nodes in old.items()):
            yield None, "other code in the file would change its meaning"
        others = (node for node in self.now.values() if not self.new.is_inside(node) and depends(node))
        if not all(self.is_known(node) or self.also(node) for node in others):
            yield None, FOREIGN
        for node in self.new.inside:
            if self.is_foreign(node):
                yield node.site, FOREIGN
            elif not self.keeps_axis(node):
                yield node.site, "it would work along a different axis"
            elif (said := self.misgiven(node)) is not None:
                yield node.site, said

    def keeps_axis(self, node: Node) -> bool:
        """Whether a brought op works along an axis that something does along which was replaced; over all as one."""
        op = OPS.get(node.op)
        if op is None or op.pointwise or op.view or "axis" not in op.operands:
            return True
        flat = unrefined(node["x"]).op == "view" if "x" in node.args else False
        axis = axis_of(node)
        return axis in self.axes or (flat and axis == axis_of_number(0) and None in self.axes)

    @cached_property
    def axes(self) -> Collection[Hashable]:
        """The axes along which something works that was replaced, or that it is computed of."""
        found = reached([*self.old.inside, *self.read.values()], lambda n: n.args.values())
        return {axis_of(node) for node in found if node.op in OPS and "axis" in OPS[node.op].operands}

    def misgiven(self, node: Node) -> str | None:
        """What is wrong with what a brought function is given, if anything: it may be no array of its framework."""
        framework = whose(node.spelling) if node.spelling is not None else None
        given = [arg for name, arg in operands(node) if name in _ARRAYS and (depends(arg) or is_own(arg))]
        if framework is None or not given:
            return None
        makers = [self.maker(arg) for arg in given]
        if any(self.makers.takes(framework, maker) for maker in makers):
            return None
        if node.site is not None and dumped(node.site) in self.quoted:
            return None
        function = cast(Spelling, node.spelling).name.rpartition(".")[2]
        return f"`{function}` would get a value that may not be an array of {framework}"

    def maker(self, node: Node) -> str | None:
        """Whose array a value of the new text is: by the values of the old one that it is made of."""
        found = self.makers_now.maker(node)
        if found is not None:
            return found
        for leaf in walk(unrefined(node), self.made_inside):
            alike = self.is_quoted if self.new.is_inside(leaf) else lambda leaf, other: self.same(other, leaf, _DEPTH)
            others = (other for other in self.known.get(attributes(leaf), ()) if alike(leaf, other))
            if (found := next(filter(None, map(self.makers.maker, others)), None)) is not None:
                return found
        return None

    def made_inside(self, node: Node) -> Iterable[Node]:
        """What a value of the replacement is made of."""
        return (arg for _, arg in operands(node)) if self.new.is_inside(node) else ()

    def are_alike(self, old: Sequence[Node], new: Sequence[Node]) -> bool:
        """Whether the values that a piece of syntax has are the same but for what was replaced."""
        before, after = self.old.by_form(old), self.new.by_form(new)
        missing = [node for form, node in before.items() if form not in after]
        # what else an import brings counts where it is used
        more = [n for form, n in after.items() if form not in before and not isinstance(n.site, ast.stmt | ast.alias)]
        return all(any(self.alike(one, other) for other in after.values()) for one in missing) and all(
            any(self.alike(one, other) for one in before.values()) for other in more
        )

    def alike(self, old: Node, new: Node) -> bool:
        """Whether two values are the same op of operands from the same pieces."""
        given, now = dict(operands(old)), dict(operands(new))
        if not all(self.same(given[name], now[name], _DEPTH) for name in given.keys() & now.keys()):
            return False
        if attributes(old) == attributes(new) and given.keys() == now.keys():
            return True
        # a + -b is a - b: which op an operator is, and a layer, may depend on what was replaced
        decided = isinstance(new.site, ast.BinOp | ast.UnaryOp) or "layer" in now
        return decided and any(self.new.is_inside(arg) for arg in now.values())

    def same(self, old: Node, new: Node, depth: int) -> bool:
        """Whether two operands come from the same piece, or the one from what replaces the other."""
        old, new = unrefined(old), unrefined(new)
        if old.index in self.read or self.old.is_inside(old):
            if new.index in self.now or self.new.is_inside(new):
                return True
        elif self.new.is_inside(new):
            # bounded for all its uses, beyond ordinary numbers
            return is_wide(new) and self.same(old, new["x"], depth)
        if attributes(old) != attributes(new) or self.old.place(old) != self.new.place(new):
            return False
        if old.op not in _JOINS or not depth:
            return True
        given, now = dict(operands(old)), dict(operands(new))
        return given.keys() == now.keys() and all(self.same(given[name], now[name], depth - 1) for name in given)

    @cached_property
    def known(self) -> Mapping[Hashable, Sequence[Node]]:
        """All that what was replaced depends on, it itself, and what it meets later, by what each is."""
        found: dict[Hashable, list[Node]] = {}
        users = reached([*self.old.inside, *self.read.values()], lambda n: n.users)
        for node in reached(users, lambda n: n.args.values()):
            found.setdefault(attributes(unrefined(node)), []).append(unrefined(node))
        return found

    @cached_property
    def bounded(self) -> Collection[int]:
        """The values that the replacement only bounds."""
        return frozenset(
            operand.index
            for bound in self.new.graph
            if is_wide(bound) and self.new.is_inside(bound)
            for operand in bound.args.values()
        )

    @cached_property
    def quoted(self) -> Collection[str]:
        """How what was replaced, and all its parts, are written."""
        return frozenset(dumped(node.site) for node in self.old.inside if node.site is not None)

    def is_known(self, node: Node) -> bool:
        """Whether what was replaced depends on a value that stands elsewhere, too, or it is only bounded."""
        node = unrefined(node)
        return node.index in self.bounded or any(
            self.same(other, node, _DEPTH) for other in self.known.get(attributes(node), ())
        )

    def is_foreign(self, node: Node) -> bool:
        """Whether a node of the replacement comes from elsewhere, or uses what the replaced code does not."""
        if is_unknown(node):
            return not any(self.is_quoted(node, other) for other in self.known.get(attributes(node), ()))
        given = (arg for _, arg in operands(node) if not self.new.is_inside(arg) and depends(arg))
        return not all(self.is_known(arg) or self.also(arg) for arg in given)

    def is_quoted(self, node: Node, other: Node) -> bool:
        """Whether what comes from outside is written as it was."""
        return node.site is not None and other.site is not None and dumped(node.site) == dumped(other.site)

    def form(self, node: Node) -> Hashable:
        """What a value is in both texts, by what it is and how it is written."""
        node = unrefined(node)
        return attributes(node), dumped(node.site) if node.site is not None else ""


class Pieces:
    """The nodes of one graph by the pieces of syntax they come from; ``changed`` are those that are in it alone."""

    def __init__(self, graph: Graph, numbers: Mapping[int, int], changed: Iterable[ast.AST]) -> None:
        self.graph = graph
        self.numbers = numbers
        self.changed = {id(node) for node in changed}
        self.inside = [node for node in graph if id(node.site) in self.changed]

    def is_inside(self, node: Node) -> bool:
        """Whether a node was lowered from what changed, or by a call there."""
        return id(node.site) in self.changed or any(id(call) in self.changed for call in node.calls)

    def place(self, node: Node) -> Hashable:
        """The piece of syntax that a node comes from; one of another file by its place there."""
        site = node.site or node.external_site
        if site is None or id(site) in self.numbers:
            return self.numbers.get(id(site))
        return getattr(site, "home", None), getattr(site, "lineno", 0), getattr(site, "col_offset", 0)

    def by_number(self) -> Mapping[int, Sequence[Node]]:
        """What is lowered from each piece of syntax that is in both texts."""
        found: dict[int, list[Node]] = {}
        for node in self.graph:
            number = self.numbers.get(id(node.site))
            if number is not None and node.op != REFINE and not self.is_inside(node):
                found.setdefault(number, []).append(node)
        return found

    def by_form(self, nodes: Iterable[Node]) -> Mapping[Hashable, Node]:
        """Nodes by what they are and where their operands come from."""
        return {(attributes(node), *((k, self.form(arg, _DEPTH)) for k, arg in operands(node))): node for node in nodes}

    def form(self, node: Node, depth: int) -> Hashable:
        """An operand as what it is and where it comes from."""
        node = unrefined(node)
        if self.is_inside(node):
            return self.form(node["x"], depth) if is_wide(node) else "replaced"
        parts = operands(node) if node.op in _JOINS and depth else ()
        return (attributes(node), self.place(node), *((k, self.form(arg, depth - 1)) for k, arg in parts))


def read_in(lowering: Lowering, pieces: Iterable[ast.AST]) -> Mapping[int, Node]:
    """The values of pieces of syntax that were read, by their index."""
    found = (unrefined(node) for e in pieces if isinstance(e, ast.expr) for _, node in lowering.readings.get(e, ()))
    return {node.index: node for node in found}


def operands(node: Node) -> Iterator[tuple[str, Node]]:
    """The operands of a node by name, but those that a loop or a table gets later."""
    return ((name, arg) for name, arg in sorted(node.args.items()) if arg.index < node.index)


def attributes(node: Node) -> Hashable:
    """What a node is beside its operands."""
    literals = sorted((name, value) for name, value in node.attrs.items() if name not in _NAMED and is_plain(value))
    # an operator belongs to the framework of its operands; what SciPy gives are arrays of NumPy
    framework = node.framework if node.spelling is not None else None
    framework = "numpy" if framework == "scipy" else framework
    return node.op, framework, tuple((name, repr(value)) for name, value in literals)


def axis_of(node: Node) -> Hashable:
    """The axis that an op works along, by what it is; None for all."""
    axis = node.get("axis")
    if axis is None or (axis.op == CONST and axis.attrs.get("value") is None):
        return None
    return tuple(attributes(one) for one in walk(unrefined(axis), lambda n: n.args.values()))


def axis_of_number(number: int) -> Hashable:
    return ((CONST, None, (("type", "'int'"), ("value", str(number)))),)


def is_wide(node: Node) -> bool:
    """Whether a node is a bound that leaves ordinary numbers alone."""
    return node.op == "clamp" and all(
        end.op == CONST and isinstance(number := end.attrs.get("value"), int | float) and abs(number) >= WIDE
        for end in (unrefined(node[name]) for name in ("min", "max") if name in node.args)
    )


def depends(node: Node) -> bool:
    """Whether a value is one that may differ from run to run: made of more than literals and names of modules."""
    return any(is_unknown(one) or one.op == LOOP for one in walk(node, lambda n: n.args.values()))


def is_unknown(node: Node) -> bool:
    """Whether a value comes from outside, or from a call of which nothing is known."""
    if node.op == ATTR and node.args:
        return False
    if node.op == CALL and node.args and node.name.partition(".")[0] in FRAMEWORKS:
        # of its operands: the limits of a dtype
        return False
    op = OPS.get(node.op)
    return node.op in _SOURCES or (op is not None and not op.pure)


def is_plain(value: object) -> bool:
    """Whether an attribute of a node is a literal, or made of such."""
    if isinstance(value, tuple):
        return all(map(is_plain, value))
    return value is None or isinstance(value, (str, int, float, complex, bytes, bool))
