"""From a text and the same text mended to pairs of slices: each expression that a fix replaces, and what it brings.

The sources of both are the values that are in both texts, by the piece of syntax that they come from. What no formula
computes is one of them, if it is in both.
"""

from __future__ import annotations

import ast
import builtins
from collections import deque
from collections.abc import Collection, Hashable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from zlib import crc32

from nanlint.frontend.equivalence import Likeness, Pieces, Problem, attributes, operands
from nanlint.graph.node import (
    ATTR,
    CONST,
    DICT,
    LOOP,
    MODULE,
    PARAM,
    PHI,
    REFINE,
    TUPLE,
    Node,
    reached,
    unrefined,
    uses,
)
from nanlint.hazards.facts import Facts
from nanlint.ops.floats import FLOAT64
from nanlint.ops.op import OPS
from nanlint.ops.selection import CONDITIONS
from nanlint.ops.value import SMALL, Kind
from nanlint.proof.agreement import DRAWN, DRAWN_OF_USES, WIDTH, Agreement, Given, Pair, Without, agreement
from nanlint.proof.entering import OBJECTS, Sort, sort_of
from nanlint.proof.python import PythonBackend
from nanlint.proof.repeated import by_content
from nanlint.proof.slice import MAX_STEPS, MEANING, RUNS_IN, Domain, Slice, Step, plain, read
from nanlint.source.pairing import Pairing
from nanlint.source.syntax import dumped

#: uses behind each other in one of which what was replaced may turn out to be the same: a quotient, its mean, a loss
MAX_USES = 6
#: steps without a formula that are taken for sources, one after the other: each time both slices are executed again
MAX_OPENED = 12
#: uses behind each other in which a nan may be looked for: through a few functions to the metric that counts them
MAX_LATER = 10
#: ops that ask something of a number: what comes of the answer counts
TESTS = CONDITIONS | {"isnan", "isinf", "isfinite", "isclose"}
#: ops that find the elements that are nan, or leave them out
ASKED = frozenset({"isnan", "nanmean", "nansum"})
#: ops that put numbers in an order, or choose by it
ORDER = frozenset({"argmax", "argsort", "sort", "ranks", "median", "quantile", "max", "min"})
#: through what a difference is not seen: it says whether, or which
DECIDING = TESTS | {"argmax", "argsort", "sign", "round", "floor", "ceil", "trunc"}

#: through what a number is still the one that is tested
KEPT = frozenset({"view", "part", "cast", "identity", "neg", "abs", "sqrt", "square", "pow", "sum", "size", PHI})

#: how far it is looked at what an index is made of: a name, an attribute, a sum of them
MAX_FORM = 4
#: the calls through which a value is seen, as numbers of pieces of syntax
Calls = tuple[Hashable, ...]


@dataclass(frozen=True)
class Side:
    """One of the two texts. ``opened``: values that are taken for sources."""

    facts: Facts
    pieces: Pieces
    exact: bool
    opened: set[Hashable] = field(default_factory=set)
    keys: dict[int, Hashable] = field(default_factory=dict, repr=False, compare=False)

    def calls(self, calls: Collection[ast.AST]) -> Calls:
        """Calls as both texts know them."""
        return tuple(self.pieces.numbers.get(id(call)) or dumped(call) for call in calls)

    def values(self, e: ast.AST) -> Mapping[Calls, Node]:
        """What an expression, or what a statement assigns or returns, is worth, by the calls that lead there."""
        if isinstance(e, ast.AugAssign):
            return {self.calls(node.calls): node for node in self.facts.lowering.graph if node.site is e}
        value = e if isinstance(e, ast.expr) else getattr(e, "value", None)
        readings = self.facts.lowering.readings.get(value, ()) if isinstance(value, ast.expr) else ()
        return {self.calls(calls): unrefined(node) for calls, node in readings}

    def around(self, e: ast.AST) -> Collection[int] | None:
        """The pieces of syntax that an expression stands in, up to its statement; None if it is named or returned."""
        found: set[int] = set()
        while e in self.parents:
            e = self.parents[e]
            if isinstance(e, ast.Assign | ast.AnnAssign | ast.NamedExpr | ast.Return) and not found:
                return None
            found.add(id(e))
            if isinstance(e, ast.stmt):
                break
        return found

    def function(self, e: ast.AST) -> ast.AST | None:
        """The function that a piece of syntax stands in; None at the top of the file."""
        while e in self.parents and not isinstance(e, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            e = self.parents[e]
        return e if e in self.parents else None

    @cached_property
    def parents(self) -> Mapping[ast.AST, ast.AST]:
        """What each piece of syntax stands in."""
        return {child: e for e in ast.walk(self.facts.source.tree) for child in ast.iter_child_nodes(e)}

    def key(self, node: Node) -> Hashable:
        """What a source is one of in both texts: its piece of syntax, and inside of the edits how it is written."""
        if node.index not in self.keys:
            # what is only a name is the same wherever it is read
            named = isinstance(node.site, ast.Name)
            place = None if named or self.pieces.is_inside(node) else self.pieces.place(node)
            text = dumped(node.site) if place is None and node.site is not None else ""
            self.keys[node.index] = node.op, node.name, place, text, self.calls(node.calls)
        return self.keys[node.index]

    def is_source(self, node: Node) -> bool:
        """Whether the numbers of a node are given, whatever they are made of."""
        if nowhere_assigned(node):
            return True
        if node.op in (CONST, REFINE) or node.op in OBJECTS:
            return False
        undecided = node.op == LOOP or (node.op == PHI and "cond" not in node.args)
        sized = node.op == "size" and "x" in node.args
        return undecided or (sort_of(node) is not None and not sized) or self.key(node) in self.opened

    def slice_of(self, root: Node) -> tuple[Slice, Mapping[Hashable, int], Mapping[Hashable, Domain], list[Node]]:
        """The slice that computes a node; its sources by what they are, and what they may be; the node of each step."""
        nodes, pending, index = [root], deque([root]), {root.index: 0}
        while pending and len(nodes) < MAX_STEPS:
            node = pending.popleft()
            for _, operand in () if self.is_source(node) else made_of(node):
                if operand.index not in index:
                    index[operand.index] = len(nodes)
                    nodes.append(operand)
                    pending.append(operand)
        sources: dict[Hashable, int] = {}
        domains: dict[Hashable, Domain] = {}
        for number, node in enumerate(nodes):
            if self.is_source(node):
                key = self.key(node)
                index[node.index] = sources.setdefault(key, number)
                domains.setdefault(key, self.domain(node))
        steps = tuple(self.step(node, index) for node in nodes)
        framework = self.facts.framework(root)
        return Slice(steps, 0, (0,), RUNS_IN.get(framework, framework)), sources, domains, nodes

    def step(self, node: Node, index: Mapping[int, int]) -> Step:
        """One step; of a source only that it is one."""
        source = self.is_source(node)
        op = "source" if source else "object" if node.op in OBJECTS else node.op
        given = () if source else made_of(node)
        args = {name: index[operand.index] for name, operand in given if operand.index in index}
        attrs = {k: v for k, v in node.attrs.items() if k in MEANING and plain(v)}
        if node.op == "part" and "index" in node.args:
            attrs["taken"] = taken(self.form(node["index"], MAX_FORM))
        if source and (limit := limit_of_dtype(node)) is not None:
            return Step(CONST, {}, {"value": limit}, None, "", Domain())
        spelling = node.spelling.name if node.spelling is not None else None
        domain = self.domain(node) if source else Domain(format="float64")
        return Step(op, args, attrs, spelling, "", domain, Sort.UNSEEN if source else None)

    def form(self, node: Node, depth: int) -> Hashable:
        """What an index is in both texts: how it is made, and of what."""
        node = unrefined(node)
        given = [(name, self.form(arg, depth - 1)) for name, arg in operands(node)] if depth else []
        return attributes(node), str(node.attrs.get("variable") or node.name), *given

    def domain(self, node: Node) -> Domain:
        """What a source may be: by what it is where nothing may change, else also by what it is called."""
        v = self.facts.value(node)
        scalar = v.kind is Kind.SCALAR
        if sort_of(node) is Sort.SIZE:
            return Domain(whole=True, scalar=True, number=float(WIDTH), format="float64")
        default = self.facts.value(node["default"]).constant if "default" in node.args else None
        if default is not None and 0 < abs(default) <= SMALL:
            return Domain(number=default, scalar=True, format="float64")
        if v.constant is not None:
            # one that is written out, and taken for others, too
            return Domain(scalar=scalar, format="float64")
        believed = node.op == PARAM or any(note.named for note in v.why.values())
        if self.exact and believed:
            whole = node.attrs.get("annotation") in ("int", "bool")
            return Domain(scalar=scalar, whole=whole, format="float64")
        return Domain(v.lo, v.hi, whole=v.whole, scalar=scalar, format="float64")


class Differences:
    """What a fix changes in what is computed.

    ``exact``: nothing that is finite may change; else no ordinary number, but by a little.
    """

    def __init__(self, before: Facts, after: Facts, likeness: Likeness, pairing: Pairing, *, exact: bool) -> None:
        opened: set[Hashable] = set()
        self.before = Side(before, likeness.old, exact, opened)
        self.after = Side(after, likeness.new, exact, opened)
        self.opened = opened
        self.pairing = pairing
        self.exact = exact
        #: whether somewhere what is not finite becomes a number
        self.ended = False
        #: values whose uses were looked at
        self.seen: set[int] = set()
        #: what was compared, and with what outcome
        self.known: dict[tuple[int, int, bool, bool, bool], Agreement] = {}
        #: the pairs that were found to be the same
        self.same: list[Pair] = []

    def problems(self) -> Iterator[Problem]:
        """What would be another number than it is, by the piece that comes in its place."""
        inner = {id(part) for old, _ in self.pairing.exchanged for part in ast.walk(old) if part is not old}
        outer = [(old, new) for old, new in self.pairing.exchanged if id(old) not in inner]
        for old, new in outer:
            before, after = self.before.values(old), self.after.values(new)
            both = before.keys() & after.keys()
            # as the function by itself has it, rather than in one of its calls, unless its use there is mended, too
            called = {calls for calls in both if calls and self.is_mended_where_used(before[calls])}
            for calls in called or sorted(both, key=len)[:1]:
                with self.other_numbers(before[calls]):
                    said = self.difference(before[calls], after[calls], MAX_USES, (old, new))
                if said is not None:
                    yield new, f"it would give {said}"
        for old, new in outer:
            before, after = self.before.values(old), self.after.values(new)
            for calls in before.keys() & after.keys():
                self.compared(before[calls], after[calls], special=True)
                said = self.missed(before[calls], after[calls], MAX_LATER, (old, new))
                if said is not None:
                    yield new, f"it would give {said}"

    def harms(self) -> Iterator[Problem]:
        """What becomes of the author's own guard: a bound leaves it."""
        for old, new in self.pairing.exchanged:
            before, after = self.before.values(old), self.after.values(new)
            for calls in sorted(before.keys() & after.keys(), key=len)[:1]:
                pair = before[calls], after[calls]
                if self.answers_otherwise(*pair, MAX_USES, (old, new), set()):
                    yield new, "the code tests for that number itself"

    def answers_otherwise(
        self, old: Node, new: Node, depth: int, at: tuple[ast.AST, ast.AST] | None, seen: set[int]
    ) -> bool:
        """Whether a test of a number, or of what is made of it, has another answer of what is finite."""
        for user, now in self.users(old, new, at) if depth else ():
            if now is None or user.index in seen:
                continue
            seen.add(user.index)
            if user.op in TESTS:
                if self.compared(user, now, special=True, use=True, answers=True).same is False:
                    return True
            elif user.op in KEPT and self.answers_otherwise(user, now, depth - 1, None, seen):
                return True
        return False

    @contextmanager
    def other_numbers(self, root: Node) -> Iterator[None]:
        """Take for given what a value is made of outside of its function, or is written out, if nothing else is given.

        What a function does with numbers that its only call writes out says little of it.
        """
        _, sources, _, nodes = self.before.slice_of(root)
        outer = (n for n in nodes if len(n.calls) < len(root.calls) or n.op == "tensor")
        opened = set() if sources else {self.before.key(n) for n in outer if n is not root and n.op != CONST}
        opened -= self.opened
        known, self.known = self.known, {} if opened else self.known
        self.opened |= opened
        yield
        self.opened -= opened
        self.known = known

    def missed(
        self, old: Node, new: Node, depth: int, at: tuple[ast.AST, ast.AST] | None = None, *, asked: bool = False
    ) -> str | None:
        """What is made of a nan, or of an infinity, that the fix ends: a number, which is another one then.

        A test that only stops the program, or prints, is no use of it. ``asked``: a test is on the way.
        """
        for user, now in self.users(old, new, at) if depth else ():
            if now is None or user.index in self.seen:
                continue
            self.seen.add(user.index)
            if user.op in ("any", "all"):
                continue
            found = self.compared(user, now, special=True, use=True)
            looked = (asked and user.op not in TESTS) or user.op in ORDER
            said = self.difference(user, now, MAX_USES, special=True) if looked else None
            if user.op in TESTS and found.same is False and self.is_handed_on(user):
                said = "a different answer"
            if said is not None or (found.same is None and user.op in ORDER):
                return f"{said or 'a different order'}, and the code checks for non-finite values"
            if found.ended or found.same is not True:
                said = self.missed(user, now, depth - 1, asked=asked or user.op in TESTS)
                if said is not None:
                    return said
        return None

    def difference(
        self, old: Node, new: Node, depth: int, at: tuple[ast.AST, ast.AST] | None = None, *, special: bool = False
    ) -> str | None:
        """How two values differ: None if they are the same, or all that becomes of them is.

        ``at``: the pieces in which they stand, where it is only about their use there. ``special``: also at numbers
        that are no ordinary ones.
        """
        if unrefined(old).op == unrefined(new).op == CONST:
            found = Agreement(old.attrs.get("value") == new.attrs.get("value"), "a different number")
        else:
            found = self.compared(old, new, special=special, use=at is None)
        if found.same is None and found.ended and at is not None:
            if unrefined(old).op != CONST and not self.before.slice_of(old)[1]:
                # all is written out, in numbers of Python's
                return None
            # never finite: what is made of it tells
            found = Agreement(False, "a number instead of a non-finite value")
        if found.same is None and at is not None and unrefined(old).op != unrefined(new).op:
            return "a value that cannot be computed here"
        if found.same is not False and not (found.ended and depth):
            return None
        if found.same is not False:
            # where a number comes in the place of what is not finite, what is made of it has to be the same
            later = (self.difference(*both, depth - 1, special=special) for both in self.kept_uses(old, new, at))
            return next(filter(None, later), None)
        around = self.before.around(at[0]) if at is not None else None
        if not depth or (around is None and self.is_seen(old)):
            return found.text
        users = list(self.users(old, new, at))
        if not users:
            # what the fix replaces, too, is judged there
            uses = list(used_by(old, around))
            return None if uses and all(map(self.before.pieces.is_inside, uses)) else found.text
        for user, now in users:
            if now is None or user.op in DECIDING:
                return found.text
            if self.compared(user, now, special=special, use=True).same is None:
                # without a formula it is only known that what is not selected does not count
                others = list(used_by(user, None))
                if not others or any(one.op != "where" for one in others):
                    return found.text
            elif self.difference(user, now, depth - 1, special=special) is not None:
                return found.text
        return None

    def kept_uses(self, old: Node, new: Node, at: tuple[ast.AST, ast.AST] | None) -> Iterator[tuple[Node, Node]]:
        """What uses a value, and what uses the other one in its place, where it is used there, too."""
        return ((user, now) for user, now in self.users(old, new, at) if now is not None and user.op not in DECIDING)

    def asks_for_nan(self, sites: Iterable[ast.AST]) -> bool:
        """Whether the program goes on with the answer which elements are nan, of what is computed as there, or beside.

        ``sites``: where something is not finite.
        """
        side = self.before
        places = {(side.function(e), n.op) for e in sites for n in side.values(e).values()}
        asked = (node for node in side.facts.lowering.graph if node.op in ASKED and is_answer(node))
        made = reached(asked, lambda n: n.args.values())
        return any(n.site is not None and (side.function(n.site), n.op) in places for n in made)

    def is_mended_where_used(self, node: Node) -> bool:
        """Whether all that uses a value is replaced, too."""
        uses = list(used_by(node, None))
        return bool(uses) and all(map(self.before.pieces.is_inside, uses))

    def is_handed_on(self, node: Node) -> bool:
        """Whether a value is returned, or put into what may be."""
        return self.is_seen(node) or any(user.op in (TUPLE, DICT, "list") for user in used_by(node, None))

    def is_seen(self, node: Node) -> bool:
        """Whether a value is seen by what is not: it is returned, say."""
        return node.index in self.before.facts.lowering.escapes

    def users(self, old: Node, new: Node, at: tuple[ast.AST, ast.AST] | None) -> Iterator[tuple[Node, Node | None]]:
        """What uses a value, there if it is said where, and what uses the other one in its place."""
        around = (self.before.around(at[0]), self.after.around(at[1])) if at is not None else (None, None)
        was = {self.before.key(user): user for user in used_by(old, around[0])}
        now = {self.after.key(user): user for user in used_by(new, around[1])}
        # at one place a value that is used elsewhere, too, may have less uses than it had
        for key in now if at is not None else was:
            if key in was:
                yield was[key], now.get(key)

    def compared(
        self, old: Node, new: Node, *, special: bool = False, use: bool = False, answers: bool = False
    ) -> Agreement:
        """What executing both by the formulas of the operations shows. ``use``: they are the same op of two values."""
        asked = old.index, new.index, special, use, answers
        if asked not in self.known:
            self.known[asked] = self._compared(old, new, special=special, use=use, answers=answers)
        return self.known[asked]

    def _compared(self, old: Node, new: Node, *, special: bool, use: bool, answers: bool) -> Agreement:
        for _ in range(MAX_OPENED):
            before, sources, domains, nodes = self.before.slice_of(old)
            after, others, more, now = self.after.slice_of(new)
            keys = dict.fromkeys((*sources, *others))
            given = (Given(sources.get(key), others.get(key), domains.get(key) or more[key]) for key in keys)
            pair = Pair(before, after, tuple(given), self.exact)
            found = agreed(pair, special=special, answers=answers, draws=DRAWN_OF_USES if use else DRAWN)
            if isinstance(found, Without):
                side, node = (self.before, nodes[found.step]) if found.old else (self.after, now[found.step])
                both = {self.before.key(n) for n in nodes} & {self.after.key(n) for n in now}
                inside = side.pieces.is_inside(node)
                if (inside and side.key(node) not in both) or (use and not found.step):
                    break
                # what has no formula is a number that both are given
                self.opened.add(side.key(node))
                continue
            both = {self.before.key(n) for n in nodes} & {self.after.key(n) for n in now}
            found_in = (self.before.key(n) for n in reversed(nodes) if gives_others(n) and not (use and n is old))
            if (
                found.same is None
                and not found.ended
                and (key := next((k for k in found_in if k in both - self.opened), None))
            ):
                # what gives nothing for ordinary numbers is a number itself
                self.opened.add(key)
                continue
            self.ended = self.ended or (found.ended and bool(sources))
            if found.same:
                self.same.append(pair)
            return found
        return Agreement()


@by_content
def agreed(pair: Pair, *, special: bool, answers: bool, draws: int) -> Agreement | Without:
    """What executing a pair by formulas shows, or what has none."""
    try:
        return agreement(pair, PythonBackend(pair.framework), special=special, answers=answers, draws=draws)
    except Without as error:
        return error.with_traceback(None)


def made_of(node: Node) -> list[tuple[str, Node]]:
    """What a node is computed from; of an array's size, the array."""
    if node.op != "size" or "x" not in node.args:
        return read(node)
    array = node["x"]
    while array.op == "size" and "x" in array.args:
        # one number of a shape
        array = array["x"]
    return [("x", array)]


def is_answer(test: Node) -> bool:
    """Whether a test is used for more than to stop, or to print."""
    return any(user.op not in ("any", "all", "bool", REFINE) for user in used_by(test, None))


def taken(index: Hashable) -> tuple[int, ...]:
    """The elements that stand for those which an index takes: others for another one, as far as there are others."""
    number = crc32(repr(index).encode())
    return tuple(number // WIDTH**k % WIDTH for k in range(WIDTH))


def limit_of_dtype(node: Node) -> float | None:
    """The number that ``x.dtype.min`` or ``x.dtype.max`` is."""
    if node.op != ATTR or node.name.rpartition(".")[2] not in ("min", "max"):
        return None
    base = node.get("base")
    of_dtype = base is not None and base.op == ATTR and base.name.rpartition(".")[2] == "dtype"
    return (-FLOAT64.max if node.name.endswith("min") else FLOAT64.max) if of_dtype else None


def gives_others(node: Node) -> bool:
    """Whether an op makes other numbers of some, neither one by one nor one of all: a table, a decomposition."""
    op = OPS.get(node.op)
    return op is not None and not (op.pointwise or op.reduction or op.view or op.bilinear) and node.op not in CONDITIONS


def nowhere_assigned(node: Node) -> bool:
    """Whether a node is a name that the file reads and never binds, and that Python does not have: a cell may."""
    root, _, name = node.name.partition(".")
    return node.op == MODULE and root == "builtins" and "." not in name and not hasattr(builtins, name)


def used_by(node: Node, around: Collection[int] | None) -> Iterator[Node]:
    """The uses of a value, whatever the path taken knows of it; only those by some pieces of syntax if given."""
    return (user for user in uses(node) if around is None or id(user.site) in around)
