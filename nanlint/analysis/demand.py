"""Where what an op gives goes, as a value and as a gradient: one walk over its uses, once for each that is asked."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cached_property
from typing import NamedTuple

from nanlint.frontend.lower import Lowering
from nanlint.frontend.modules import descendants
from nanlint.graph.node import CALL, DATA, DICT, LOOP, OTHER, PHI, REFINE, TUPLE, Node
from nanlint.ops.frameworks.training import BACKWARD, OF_NUMBERS, REPORTS, UNDIFFERENTIATED
from nanlint.ops.op import OPS
from nanlint.ops.selection import COMPARISONS

#: where it goes, beside out of the code that is seen: to what takes a derivative, what only decides or writes down, to
#: nothing, and where a use may not be seen
TAKEN, DECIDES, LOGGED, UNUSED, WAITS = "taken", "decides", "logged", "unused", "waits"
#: ops that compare numbers, or look at an array, and give none of its numbers
DECIDING = frozenset({*COMPARISONS, "argmax", "argmin", "argsort", "isclose", "any", "all", "is", "isnot", "test"}) | {
    *("isnan", "isinf", "isfinite", "size"),
}
#: expressions that make texts of numbers
TEXTS = (ast.JoinedStr, ast.FormattedValue)
#: nodes that pass on what they hold, and do nothing themselves
PASSIVE = frozenset({PHI, LOOP, REFINE, TUPLE, "dict", "list", "stored", "slice"})
#: nodes that are looked at from one
MAX_WAYS = 300


class End(NamedTuple):
    """Where a way ends, in a word; the node there; whether a gradient comes back from it."""

    way: str
    node: Node
    gradient: bool


class Demand:
    """Where what the nodes of one file give goes."""

    def __init__(self, lowering: Lowering, tree: ast.Module) -> None:
        self.lowering = lowering
        self.tree = tree
        self._ends: dict[int, tuple[End, ...]] = {}
        self._by_site: dict[int, list[Node]] = {}

    def ends(self, node: Node) -> tuple[End, ...]:
        """All ends of what becomes of a node, those from which a gradient comes back first."""
        found = self._ends.get(node.index)
        if found is None:
            found = self._ends[node.index] = tuple(self._follow(node))
        return found

    def ways(self, node: Node, *, gradient: bool = False) -> set[str]:
        """Where what becomes of a node goes, if anywhere; where a ``gradient`` comes back from."""
        ends = self.ends(node)
        return {end.way for end in ends if (end.gradient if gradient else end.way != UNUSED)}

    def _follow(self, node: Node) -> Iterator[End]:
        seen, pending, later, gradient = {node.index}, [node], dict[int, Node](), True
        while pending:
            current = pending.pop()
            way = self.lowering.escapes.get(current.index)
            if way is not None:
                yield End(way, current, gradient and way != DATA)
            elif not current.users:
                yield self._left(current, gradient)
            for user in current.users:
                if takes_derivative(user, current):
                    yield End(TAKEN, user, gradient)
                if (last := ends_at(user, current)) is not None:
                    yield End(last, user, False)
                elif user.index not in seen and gradient and stops(user, current):
                    later[user.index] = user
                elif user.index not in seen:
                    seen.add(user.index)
                    pending.append(user)
            if not pending and gradient:
                # the rest is a matter of the value alone
                pending, gradient = [n for index, n in later.items() if index not in seen], False
                seen.update(later)
            if len(seen) > MAX_WAYS:
                yield End(OTHER, current, gradient)
                return

    def _left(self, node: Node, gradient: bool) -> End:
        """The end at a node that nothing uses; a result beside another one that is used does not wait for a use."""
        seen = node.op not in PASSIVE and node.index not in self.lowering.given
        seen = seen and (node.site or node.external_site) is not None
        waits = seen and not any(n is not node and n.calls == node.calls and n.users for n in self.same_site(node))
        # what a call gives, or a name holds, is not thrown away as long as it may be read
        read = waits and not node.calls and node.site not in self.overwritten
        computes = node.op in OPS or node.op in (TUPLE, PHI, LOOP, REFINE)
        return End((WAITS if read else UNUSED) if computes else OTHER, node, gradient and waits)

    @cached_property
    def overwritten(self) -> set[ast.AST]:
        """Values of names that another statement of the block assigns anew, before any mentions them."""
        found: set[ast.AST] = set()
        blocks = (getattr(n, "body", None) for n in descendants(self.tree))
        for block in (b for b in blocks if isinstance(b, list)):
            held: dict[str, ast.AST] = {}
            for s in block:
                mentioned = {n.id for n in descendants(s) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)}
                names = {t.id for t in s.targets if isinstance(t, ast.Name)} if isinstance(s, ast.Assign) else set()
                found.update(held[name] for name in names & held.keys() - mentioned)
                simple = isinstance(s, ast.Assign | ast.Expr)
                held = {name: v for name, v in held.items() if simple and name not in mentioned | names}
                held.update(dict.fromkeys(names, s.value) if isinstance(s, ast.Assign) else {})
        return found

    def same_site(self, node: Node) -> list[Node]:
        """The nodes of one expression of the source, of this file or another."""
        if not self._by_site:
            for n in self.lowering.graph:
                self._by_site.setdefault(id(n.site or n.external_site), []).append(n)
        return self._by_site[id(node.site or node.external_site)]


def takes_derivative(user: Node, used: Node) -> bool:
    """Whether a use of a node takes its derivative."""
    if user.op == "gradient" or (user.op == CALL and user.name in BACKWARD):
        return user.get("target") in (used, None)
    return bool(user.attrs.get("gradient"))


def ends_at(user: Node, used: Node) -> str | None:
    """In a word what a use does that hands no number on; None for others."""
    names = {name for name, operand in user.args.items() if operand is used}
    if user.op in DECIDING or (names and names <= {"cond", "index"}):
        return DECIDES
    written = user.op == CALL and (asserts(user.name) or reports(user) or isinstance(user.site, TEXTS))
    return LOGGED if written else None


def stops(user: Node, used: Node) -> bool:
    """Whether no gradient comes back from a use of a node."""
    op = OPS.get(user.op)
    if (op is not None and op.stops_gradient) or user.op in ("slice", "variable") or user.framework == "math":
        # Python's functions take numbers
        return True
    if user.op == CALL and (user.name in UNDIFFERENTIATED or user.name.partition(".")[0] in OF_NUMBERS):
        return True
    written = user.spelling.name if user.spelling is not None else ""
    arrays = written.startswith("numpy.") and not written.startswith("numpy.ndarray.")
    return arrays or written == "torch.tensor" or ends_at(user, used) is not None


def reports(call: Node) -> bool:
    """Whether a call writes down what it is given, by its name: a log with what it is logged as."""
    last = call.name.rpartition(".")[2]
    named = (a.op == DICT or isinstance(a.attrs.get("value"), str) for a in call.args.values())
    return last in REPORTS or (last == "log" and any(named))


def asserts(name: str) -> bool:
    """Whether a function, by its dotted name, only checks its arguments."""
    return name.rpartition(".")[2].startswith("assert")
