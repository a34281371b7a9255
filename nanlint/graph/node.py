"""The dataflow graph: nodes with a structural key, the regions they were created in. Source becomes nodes elsewhere."""

from __future__ import annotations

import ast
import math
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from nanlint.graph.linear import Linear, Multiple, combined
from nanlint.graph.path import NOTHING, PathCondition
from nanlint.ops.op import OPS
from nanlint.reaching import reached as reached

if TYPE_CHECKING:
    from nanlint.ops.spelling import Spelling

#: node kinds that are not ops of the catalogue
CONST, PARAM, ATTR, PHI, LOOP, REFINE, CALL = "const", "param", "attr", "phi", "loop", "refine", "call"
MODULE, FUNCTION, CLASS, INSTANCE, LAYER, TUPLE, DICT, STRING = (
    "module",
    "function",
    "class",
    "instance",
    "layer",
    "tuple",
    "dict",
    "string",
)

#: nodes that hand on the elements of their operand
SAME_ELEMENTS = frozenset({REFINE, "cast", "identity"})
#: how a value leaves the code that computes it (as DATA: by a way on which no gradient comes back; GLOBAL: in a
#: variable of its file's top level)
RETURNED, KEPT, DATA, OTHER, GLOBAL = "returned", "kept", "data", "other", "global"


@dataclass(frozen=True, eq=False)
class Region:
    """A ``with`` region, a decorator's, a loop's, or that of a model: tape, no_grad, undifferentiated, errstate, half,
    precision, custom_gradient."""

    kind: str
    statement: ast.AST | None = None
    attrs: Mapping[str, Any] = field(default_factory=dict)


class Node:
    """One operation, or one of the sources that feed operations.

    ``args``: operands by neutral name. ``attrs``: literals. ``site``: the expression of this file that it was
    lowered from, ``external_site``: that in another file. ``key``: equal for structurally equal pure expressions.
    ``regions``: innermost last. ``env``: names in scope at an op that
    rules ask about; ``facts``: what the path to it says. ``calls``: the chain of call expressions it was inlined
    through, outermost first. ``spelling``: the function of a framework that was called, None for an operator.
    ``behind``: the node whose elements it hands on, the first of a chain, None for all others. ``answers``: to the
    questions about it that are asked once.
    """

    __slots__ = (
        "answers",
        "args",
        "attrs",
        "behind",
        "calls",
        "env",
        "external_site",
        "facts",
        "framework",
        "index",
        "key",
        "op",
        "regions",
        "site",
        "spelling",
        "users",
    )

    def __init__(self, op: str, args: dict[str, Node], attrs: dict[str, Any], site: ast.AST | None) -> None:
        self.op = op
        self.args = args
        self.attrs = attrs
        self.site = site
        self.external_site: ast.AST | None = None
        self.key = 0
        self.index = 0
        self.users: list[Node] = []
        self.regions: tuple[Region, ...] = ()
        self.calls: tuple[ast.AST, ...] = ()
        self.env: Mapping[Any, Node] | None = None
        self.facts: PathCondition = NOTHING
        self.framework: str | None = None
        self.spelling: Spelling | None = None
        self.answers: dict[object, object] | None = None
        inner = args.get("x")
        self.behind: Node | None = inner.behind or inner if inner is not None and hands_on(op) else None

    def __getitem__(self, operand: str) -> Node:
        return self.args[operand]

    def get(self, operand: str) -> Node | None:
        """The operand, or None where it was not given."""
        return self.args.get(operand)

    @property
    def name(self) -> str:
        """Name of a parameter, attribute, module or of the variable an unknown was first bound to."""
        return str(self.attrs.get("name", ""))

    def __repr__(self) -> str:
        return f"<{self.index}:{self.op} {self.attrs.get('name') or self.attrs.get('value') or ''}>"


#: ops whose results are sums and multiples
LINEAR = frozenset({"add", "sub", "neg", "mul", "div", REFINE})
#: terms of a sum that are told apart, so that the forms of a long sum's parts do not cost its square; few are compared
MAX_TERMS = 8

#: ops whose result does not depend on the order of their two operands
COMMUTATIVE = frozenset({"add", "mul", "maximum", "minimum", "eq", "ne"})


def hands_on(name: str) -> bool:
    """Whether a node hands on all elements of its operand: a view, a cast to float, a refinement."""
    op = OPS.get(name)
    return name in SAME_ELEMENTS or (op is not None and op.view and name not in ("part", "diagonal"))


def squared(op: str, args: Mapping[str, Node]) -> Node | None:
    """The x of x**2 and x * x."""
    if op == "mul" and args["a"].key == args["b"].key:
        return args["a"]
    if op == "pow" and "y" in args and args["y"].op == CONST and args["y"].attrs.get("value") in (2, 2.0):
        return args["x"]
    return None


def unite(one: Node, other: Node) -> None:
    """Let two equal nodes that meet at a join have the same uses: what becomes of one becomes of both."""
    if one.users is not other.users:
        one.users.extend(other.users)
        other.users = one.users


def unrefined(node: Node) -> Node:
    """A value without what conditions on the way say of it."""
    while node.op == REFINE:
        node = node["x"]
    return node


def uses(node: Node) -> Iterator[Node]:
    """What uses a value, whatever the path taken knows of it."""
    for user in node.users:
        yield from uses(user) if user.op == REFINE else (user,)


def number(other: Any) -> float | None:
    """The number that a literal is, or a number itself; None for all else, and for what is too large for a float."""
    value = other.attrs.get("value") if isinstance(other, Node) and other.op == CONST else other
    if not isinstance(value, (int, float)) or isinstance(value, bool):
        return None
    return None if isinstance(value, int) and abs(value) > sys.float_info.max else float(value)


def stripped(node: Node) -> Node:
    """The node behind views, casts to float and refinements: same elements."""
    return node.behind or node


def walk(start: Node, onward: Callable[[Node], Iterable[Node]], limit: float = math.inf) -> Iterator[Node]:
    """The nodes that steps onward from one lead to, itself first, each once; no further when ``limit`` were seen."""
    return reached([start], onward, limit)


class Graph:
    """All nodes of a file, in order of creation, and the table that gives equal expressions equal keys.

    The operands of an op that commutes may stand in either order: a + b has the key of b + a. x**2 and x * x are
    squares. ``path``: the file; what stands in another has no place in it.
    """

    def __init__(self, path: str = "") -> None:
        self.path = path
        self.nodes: list[Node] = []
        self._keys: dict[Any, int] = {}
        self._first: dict[int, int] = {}
        self._literals: dict[float, Node] = {}
        #: sums, differences and multiples by key: what they are of which atoms
        self._linear: dict[int, Linear] = {}
        #: and of what they are multiples
        self.multiples: dict[int, Multiple] = {}
        #: how many of the nodes stand in other files
        self.external = 0
        #: whether all is lowered: nothing is added any more
        self.frozen = False
        self._imagined = 0

    def key(self, op: str, args: Mapping[str, Node], attrs: Mapping[str, Any]) -> int:
        """Number of a structure; -1 for one that cannot be hashed."""
        try:
            if (base := squared(op, args)) is not None:
                op, args = "square", {"x": base}
            operands: tuple[object, ...] = tuple((k, v.key) for k, v in args.items())
            if op in COMMUTATIVE and len(args) == 2:
                operands = tuple(sorted(v.key for v in args.values()))
            structure = (op, operands, tuple(attrs.items()) if attrs else ())
            return self._keys.setdefault(structure, len(self._keys) + 1)
        except TypeError:
            return self.fresh()

    def fresh(self) -> int:
        """A key equal to no other."""
        number = len(self._keys) + 1
        self._keys[("fresh", number)] = number
        return number

    def add(
        self,
        op: str,
        args: dict[str, Node] | None = None,
        attrs: dict[str, Any] | None = None,
        site: ast.AST | None = None,
        *,
        pure: bool = True,
    ) -> Node:
        """Create a node and tell its operands that it uses them."""
        if self.frozen:
            raise RuntimeError(f"{self.path}: the graph is frozen, and {op} was to be added")
        node = Node(op, args or {}, attrs or {}, site)
        if self.file_of(site) is not None:
            node.site, node.external_site = None, site
        node.key = self.key(op, node.args, node.attrs) if pure else self.fresh()
        node.index = len(self.nodes)
        self._first.setdefault(node.key, node.index)
        if op in LINEAR:
            self._relate(node)
        self.nodes.append(node)
        self.external += node.external_site is not None
        for operand in node.args.values():
            operand.users.append(node)
        return node

    def imagine(
        self, op: str, args: dict[str, Node], attrs: dict[str, Any] | None = None, site: ast.AST | None = None
    ) -> Node:
        """A node that stands nowhere, to ask what is known of it: nothing uses it, and no operand knows of it."""
        node = Node(op, args, attrs or {}, site)
        node.key = self.key(op, args, node.attrs)
        if op in LINEAR:
            self._relate(node)
        node.index = len(self.nodes) + self._imagined
        self._imagined += 1
        return node

    def literal(self, value: float) -> Node:
        """The one node of a number that stands nowhere in the source."""
        if (found := self._literals.get(value)) is None:
            found = self._literals[value] = self.add(CONST, {}, {"value": value})
        return found

    def linear(self, node: Node) -> Linear:
        """An expression as a sum of multiples of others, by key; one that is none is a multiple of itself."""
        value = number(node)
        if value is not None and math.isfinite(value):
            return Linear(value)
        return self._linear.get(node.key) or Linear(0.0, ((node.key, 1.0),))

    def multiple(self, form: Linear) -> Multiple | None:
        """What a sum is a multiple of; None for a number, and where floats do not tell."""
        if (found := form.multiple()) is None:
            return None
        factor, terms = found
        direction = terms[0][0]
        if len(terms) > 1:
            direction = self._keys.setdefault(("linear", *terms), len(self._keys) + 1)
            self._first.setdefault(direction, max(self.first(atom) for atom, _ in terms))
        return Multiple(direction, factor, form.number)

    def roundings(self, key: int) -> int:
        """How many operations round on the way to a sum."""
        return form.roundings if (form := self._linear.get(key)) is not None else 0

    def _relate(self, node: Node) -> None:
        """Note what a sum or a multiple is made of."""
        if node.key in self._linear:
            return
        form = self.linear(node["x"]) if node.op == REFINE else combined(node.op, lambda k: self.linear(node[k]))
        multiple = self.multiple(form) if form is not None and len(form.terms) <= MAX_TERMS else None
        if form is not None and multiple is not None:
            self._linear[node.key], self.multiples[node.key] = form, multiple

    def file_of(self, site: ast.AST | None) -> str | None:
        """The path of the other file that a piece of syntax stands in; None for what stands in this one."""
        home: str | None = getattr(site, "home", None)
        return None if home == self.path else home

    def first(self, key: int) -> int:
        """Index of the first node of a structure; no node before it depends on it, but by the back edge of a loop."""
        return self._first.get(key, len(self.nodes))

    def connect(self, node: Node, operand: str, source: Node) -> None:
        """Give a node an operand after its creation (the back edge of a loop)."""
        node.args[operand] = source
        source.users.append(node)

    def release(self) -> None:
        """Let go of all nodes, which hold each other: nothing is asked of the graph any more."""
        for node in self.nodes:
            # what comes later, or holds it itself; the rest is older
            node.args, node.attrs, node.users, node.answers = {}, {}, [], None
        self.nodes.clear()
        self._keys.clear()
        self._literals.clear()

    def __iter__(self) -> Iterator[Node]:
        return iter(self.nodes)
