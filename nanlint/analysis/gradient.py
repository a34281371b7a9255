"""Whether a gradient flows through a node: a trap is one only where something is differentiated."""

from __future__ import annotations

import ast

from nanlint.analysis.names import without_gradient
from nanlint.analysis.structure import walk
from nanlint.graph.lower import Lowering
from nanlint.graph.node import ATTR, CALL, CONST, INSTANCE, LOOP, MODULE, PARAM, PHI, REFINE, Node, Region
from nanlint.ops.arithmetic import DIFFERENTIABLE
from nanlint.ops.op import OPS

#: frameworks without automatic differentiation
PLAIN = frozenset({"numpy", "scipy", "pandas", "math", "builtins"})
OWN_NAMES = {"numpy": "NumPy", "scipy": "SciPy", "math": "Python's math", "builtins": "Python"}
#: regions through which none flows, and what is said of them
WITHOUT = {"no_grad": "under no_grad", "custom_gradient": "the gradient here is written by hand"}

#: calls through which no gradient flows, by dotted name or method
UNDIFFERENTIATED = frozenset(
    {".assign", ".assign_add", ".assign_sub", ".item", ".numpy", ".tolist", ".update_state", "builtins.print"}
)

#: parameters, attributes, and what comes from where nothing is seen
SOURCES = frozenset({PARAM, ATTR, CALL, INSTANCE, LOOP, "variable"})
#: ops that whole numbers have as well as others: ranks, counts and labels come through them
WHOLE_TOO = frozenset(
    {"abs", "add", "clamp", "concat", "max", "maximum", "min", "minimum", "mul", "neg", "part", "sub", "sum", "view"}
    | {PHI, REFINE}
)


class GradientFlow:
    """Answers for the nodes of one file."""

    def __init__(self, lowering: Lowering) -> None:
        self.frameworks = lowering.frameworks
        #: first and last row of what measures and does not learn
        self.measured: list[tuple[int, int]] = []
        self._framework: dict[int, str | None] = {}
        self._learns: dict[int, bool] = {}

    def framework(self, node: Node) -> str | None:
        """The framework whose op this is: its spelling's, else its operands'."""
        if node.index not in self._framework:
            self._framework[node.index] = None
            found = node.framework
            if found in (None, "math", "builtins") and node.op not in (CONST, MODULE):
                operands = [self.framework(a) for a in node.args.values()]
                found = next(
                    (f for f in operands if f in DIFFERENTIABLE), found or next((f for f in operands if f), None)
                )
            self._framework[node.index] = found
        return self._framework[node.index]

    def owner(self, node: Node) -> str | None:
        """Like ``framework``, with the file's own framework where neither spelling nor operands tell."""
        found = self.framework(node)
        if found is not None:
            return found
        return next((f for f in self.frameworks if f in DIFFERENTIABLE), next(iter(self.frameworks), None))

    def flows(self, node: Node) -> bool:
        """Whether the node may be on the path of a gradient."""
        return self.obstacle(node) is None

    def obstacle(self, node: Node) -> str | None:
        """What keeps gradients from flowing through a node; None where they may."""
        for region in node.regions:
            if region.kind in WITHOUT:
                return str(region.attrs.get("why", WITHOUT[region.kind]))
            if region.kind == "derivative_rule" and not self._moves(node, region):
                return "it stands in a derivative's rule, where only second derivatives meet it"
        row = getattr(node.site, "lineno", 0)
        owner = self.owner(node)
        if owner in PLAIN:
            return f"{OWN_NAMES.get(owner or '', owner)} does not differentiate"
        if any(first <= row <= last for first, last in self.measured):
            return "this is a measurement or an optimizer's step, which is not trained on"
        if not self.learns(node):
            return "it depends on nothing that is differentiated with respect to"
        return None if self.used_with_gradient(node) else "all uses only compare it, count it, print it or detach it"

    def _moves(self, node: Node, rule: Region) -> bool:
        """Whether a node depends on the tangents of a derivative's rule: that part is transposed by a backward pass."""
        position, statement = rule.attrs["tangents"], rule.statement
        if position is None or not isinstance(statement, ast.FunctionDef | ast.Lambda) or not statement.args.args:
            return False
        tangents = statement.args.args[position].arg
        return any(n.op == PARAM and n.name == tangents for n in walk(node, lambda n: list(n.args.values())))

    def learns(self, node: Node, depth: int = 0) -> bool:
        """Whether the node depends on anything that may require a gradient, not on constants and draws alone."""
        known = self._learns.get(node.index)
        if known is not None:
            return known
        if depth > 60:
            return True
        self._learns[node.index] = False
        op = OPS.get(node.op)
        if node.attrs.get("requires_grad") or node.op in ("variable", "linear", LOOP):
            result = True
        elif (
            (op is not None and op.stops_gradient)
            or node.op in (CONST, MODULE, "arange", "range", "stop_gradient")
            or without_gradient_by_nature(node)
        ):
            result = False
        elif node.op == CALL and not node.name and len(node.args) == 1:
            # an element of a tuple that a call returned
            result = self.learns(next(iter(node.args.values())), depth + 1)
        elif node.op in (PARAM, ATTR, CALL, INSTANCE):
            result = True
        elif any(r.kind == "no_grad" for r in node.regions):
            result = False
        else:
            result = any(self.learns(a, depth + 1) for a in self._differentiated(node))
        self._learns[node.index] = result
        return result

    def converted(self, node: Node) -> bool:
        """Whether all that a node depends on, and that may require a gradient, is first converted from another dtype.

        What is converted is often whole (ranks, labels, masks), and has none; nothing tells here that it is not.
        """

        def onward(n: Node) -> list[Node]:
            return [] if n.op == "cast" and self.may_be_whole(n["x"]) else self._differentiated(n)

        return not any(rests(n) for n in walk(node, onward) if self.learns(n))

    def may_be_whole(self, node: Node) -> bool:
        """Whether a node may hold whole numbers: nothing on its way makes others of them."""
        return all(rests(n) or n.op in WHOLE_TOO for n in walk(node, self._differentiated) if self.learns(n))

    @staticmethod
    def _differentiated(node: Node) -> list[Node]:
        return [] if rests(node) else [a for k, a in node.args.items() if k not in ("cond", "index", "axis")]

    def used_with_gradient(self, node: Node) -> bool:
        """Whether some use of the node does more than compare, count, detach or index with it."""
        pending, seen = [node], {node.index}
        while pending:
            current = pending.pop()
            if not current.users:
                return True
            for user in current.users:
                op = OPS.get(user.op)
                if op is not None and op.stops_gradient:
                    continue
                if user.op in ("is", "isnot", "test", "slice", "size") or (
                    user.op == CALL and (user.name in UNDIFFERENTIATED or asserts(user.name))
                ):
                    continue
                if (
                    user.op == "where"
                    and user.get("cond") is current
                    and current is not user.get("a")
                    and current is not user.get("b")
                ):
                    continue
                if user.op in ("part", "view") and user.get("index") is current:
                    continue
                if user.index not in seen:
                    seen.add(user.index)
                    pending.append(user)
                if len(seen) > 200:
                    return True
        return False


def rests(node: Node) -> bool:
    """Whether a gradient comes to rest at a node, as far as is seen; not at an element of what a call returned."""
    return node.op in SOURCES and (node.op != CALL or bool(node.name))


def asserts(name: str) -> bool:
    """Whether a function, by its dotted name, only checks its arguments."""
    return name.rpartition(".")[2].startswith("assert")


def without_gradient_by_nature(node: Node) -> bool:
    """Whether a source of the graph is a gradient itself, data by its name, or a Python number by its annotation."""
    if node.attrs.get("gradient"):
        return True
    if node.op in (PARAM, ATTR, CALL) and without_gradient(node.attrs.get("variable") or node.name):
        return True
    return node.op == PARAM and node.attrs.get("annotation") in ("int", "float", "bool")
