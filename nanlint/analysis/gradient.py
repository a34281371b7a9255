"""Whether a gradient flows through a node: a trap is one only where something is differentiated."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from enum import IntEnum

from nanlint.analysis.demand import TAKEN, UNUSED, Demand
from nanlint.analysis.names import is_target, tells_training, without_gradient
from nanlint.analysis.roles import Roles, untrainable
from nanlint.analysis.structure import asked_once
from nanlint.frontend.lower import Lowering
from nanlint.graph.conditions import FALSE
from nanlint.graph.node import (
    ATTR,
    CALL,
    CONST,
    GLOBAL,
    INSTANCE,
    KEPT,
    LOOP,
    MODULE,
    PARAM,
    PHI,
    REFINE,
    TUPLE,
    Node,
    Region,
    walk,
)
from nanlint.ops.arithmetic import DIFFERENTIABLE
from nanlint.ops.frameworks.training import OF_ARRAYS, OWN_NAMES, PLAIN, UNDIFFERENTIATED
from nanlint.ops.op import OPS

#: regions through which none flows, and what is said of them
WITHOUT = {"no_grad": "under no_grad", "custom_gradient": "the gradient here is written by hand"}

#: nodes that are looked at on the way back from what takes a derivative
MAX_WAYS = 300
#: annotations of what holds no numbers that could be differentiated
NUMBERS = frozenset({"int", "float", "bool"})
INTEGERS = frozenset({"Bool", "BoolTensor", "Int", "IntTensor", "Integer", "LongTensor"})

#: parameters, attributes, and what comes from where nothing is seen
SOURCES = frozenset({PARAM, ATTR, CALL, INSTANCE, LOOP, "variable"})
#: what is learned: weights, what layers make, what is differentiated with respect to in Keras
LEARNED = frozenset({"variable", "linear", "input"})
#: ops that whole numbers have as well as others: ranks, counts and labels come through them
WHOLE_TOO = frozenset(
    {"abs", "add", "clamp", "concat", "max", "maximum", "min", "minimum", "mul", "neg", "part", "sub", "sum", "view"}
    | {PHI, REFINE}
)


class Flow(IntEnum):
    """How far it is known that a gradient flows."""

    NO = 0
    #: belief speaks against it
    DOUBTFUL = 1
    #: a function of tensors, which anyone may differentiate
    BELIEVED = 2
    #: what is learned reaches it, or what enters something that is trained, as far as is seen
    REACHED = 3
    #: something in the file differentiates it
    SHOWN = 4


@dataclass(frozen=True)
class Judgement:
    """Whether a gradient flows, and why that is known; no reason where it is believed for want of others.

    ``named``: only the name of a function says so. ``taker``: what is seen to take the derivative.
    """

    flow: Flow
    why: str = ""
    named: bool = False
    taker: Node | None = None


class GradientFlow:
    """Answers for the nodes of one file."""

    def __init__(self, lowering: Lowering, roles: Roles) -> None:
        self.lowering = lowering
        self.frameworks = lowering.frameworks
        self.roles = roles
        self._framework: dict[int, str | None] = {}
        self._learns: dict[tuple[int, bool], bool] = {}
        self._judged: dict[int, Judgement] = {}
        self._leaves: dict[int, bool] = {}
        self.demand = Demand(lowering, roles.tree)

    def framework(self, node: Node) -> str | None:
        """The framework whose op this is: its spelling's, else its operands'."""
        known = self._framework
        pending = [(node, False)]
        while pending:
            current, asked = pending.pop()
            found = current.framework
            tells = found not in (None, "math", "builtins") or current.op in (CONST, MODULE)
            if not asked and current.index not in known:
                known[current.index] = found if tells else None
                # how long an array is is a number, whoever made the array
                tells = tells or current.op == "size"
                if not tells:
                    # its operands first: a chain of them may be as long as the file
                    pending.append((current, True))
                    pending.extend((a, False) for a in reversed(current.args.values()))
            elif asked:
                operands = [known[a.index] for a in current.args.values()]
                known[current.index] = next(
                    (f for f in operands if f in DIFFERENTIABLE), found or next((f for f in operands if f), None)
                )
        return known[node.index]

    def owner(self, node: Node) -> str | None:
        """Like ``framework``, with the file's own framework where neither spelling nor operands tell."""
        found = self.framework(node)
        if found is not None:
            return found
        return next((f for f in self.frameworks if f in DIFFERENTIABLE), next(iter(self.frameworks), None))

    def flows(self, node: Node) -> bool:
        """Whether the node may be on the path of a gradient."""
        return self.obstacle(node) is None

    def judge(self, node: Node) -> Judgement:
        """Whether a gradient flows through a node, as far as it is proved, shown or believed."""
        found = self._judged.get(node.index)
        if found is None:
            found = self._judged[node.index] = self._judgement(node)
        return found

    def _judgement(self, node: Node) -> Judgement:
        obstacle = self.obstacle(node)
        if obstacle is not None:
            return Judgement(Flow.NO, obstacle)
        if self.is_taken(node):
            return Judgement(Flow.SHOWN, "a derivative of a result of it is taken", taker=self.taker(node))
        outside = self.called_from_outside(node)
        used = [n for n in outside if n is node or self.is_used(n)]
        where = used or (outside if self.roles.whole else []) or [node]
        open_ = [n for n in used or where[:1] if self.obstacle(n) is None and (used or n is node)]
        taken = any(map(self.is_taken, open_))
        opinion = self.roles.opinion(node)
        doubt = None if taken else next(self.unlearned(node, open_), None)
        # a name says less than the calls do
        told = self.roles.is_within(node) or any(map(is_differentiated, where))
        taker = next((taker for n in open_ if (taker := self.taker(n)) is not None), None)
        if doubt is None and opinion is not None and opinion.trained and (open_ or not (told or opinion.named)):
            return Judgement(Flow.SHOWN, opinion.why, opinion.named, taker)
        if taken:
            return Judgement(Flow.REACHED, "a derivative is taken where it is called", taker=taker)
        doubt = doubt or next(self.doubts(node, where), None) or (opinion.why if opinion is not None else None)
        if doubt is not None:
            return Judgement(Flow.DOUBTFUL, doubt)
        return Judgement(Flow.REACHED if any(map(self.of_learned, open_)) else Flow.BELIEVED)

    def unlearned(self, node: Node, open_: list[Node]) -> Iterator[str]:
        """What says, against all names of functions, that nothing learned reaches a node.

        ``open_``: where it is called and nothing keeps gradients off.
        """
        known = ((key, said, n) for key, facts in node.facts.items() for said, n in facts)
        if any(said == FALSE and n.key == key and tells_training(n.name) for key, said, n in known):
            yield "it is computed only where nothing is trained"
        if not self.learns(node, believed=True):
            yield "it is named like data or a setting"
        trained = [n for n in open_ if (opinion := self.roles.opinion(n)) is not None and opinion.trained]
        if trained and not any(map(self.of_learned, trained)):
            yield "no learned value reaches it in the calls that nanlint sees"
        if open_ and all(map(is_differentiated, open_)):
            yield "what is differentiated does not depend on it"

    def of_learned(self, node: Node) -> bool:
        """Whether a node is made of what is learned, or given to something that is trained, as far as is seen."""

        def onward(n: Node) -> list[Node]:
            found = list(n.args.values()) if n.op in (LOOP, ATTR, CALL) else self._differentiated(n)
            return [a for a in found if self.learns(a, believed=True)]

        sources = list(walk(node, onward, 300))
        if any(n.op in LEARNED or n.attrs.get("requires_grad") or is_source(n) for n in sources):
            return True
        return any(is_given(n) for n in sources) and self.roles.may_train(node)

    def doubts(self, node: Node, where: list[Node]) -> Iterator[str]:
        """What speaks against a gradient without ruling it out, function names aside. ``where``: it is called."""
        obstacles = [self.obstacle(n) for n in where]
        if None not in obstacles:
            yield f"in the calls that nanlint sees, {obstacles[0]}"
        elif node not in where and not any(map(self.is_used, where)):
            yield "no call that nanlint sees takes the result"
        if self.roles.takes_a_step(node):
            yield "it stands beside an optimizer's step, from gradients that were taken before"
        if self.roles.whole:
            if self.demand.ways(node, gradient=True) <= {GLOBAL} and not self.roles.is_imported:
                yield "only a variable of the file's top level holds it, which no file imports"
            if self.roles.user(node) is None:
                yield "nothing in the project that is trained uses it"
            if not self.followed_calls(node) and self.roles.is_option(node):
                yield "no call that nanlint sees asks for it"
        for region in node.regions:
            if region.kind == "undifferentiated":
                yield str(region.attrs["why"])
        if any(n.attrs.get("gradient") for n in walk(node, self._differentiated, 60)):
            yield "it is computed from a derivative, so only second derivatives reach it"
        if self.owner(node) == "jax" and self.demand.ways(node, gradient=True) == {KEPT}:
            yield "its result is only stored on an object, where JAX takes no derivatives"

    def called_from_outside(self, node: Node) -> list[Node]:
        """The same op where the functions around it are called from the functions that nothing in the file calls."""
        within = {n.calls: n for n in self.copies(node) if n.calls[len(n.calls) - len(node.calls) :] == node.calls}
        inner = {calls[i:] for calls in within for i in range(1, len(calls) + 1)}
        return [n for calls, n in within.items() if calls not in inner]

    def followed_calls(self, node: Node) -> list[Node]:
        """The op of a function that is looked at by itself, in each call from outside that is followed."""
        return [] if node.calls else [n for n in self.called_from_outside(node) if n.calls]

    def copies(self, node: Node) -> list[Node]:
        """The nodes of one op of the source: one for each call that its function was followed through."""
        return [n for n in self.demand.same_site(node) if n.op == node.op]

    def is_taken(self, node: Node) -> bool:
        """Whether a derivative is taken of what becomes of a value, or may be of what stands under a tape."""
        return self.taker(node) is not None or any(region.kind == "tape" for region in node.regions)

    def taker(self, node: Node) -> Node | None:
        """What takes a derivative of what becomes of a value, by ways that a gradient comes back on."""
        takers = (end.node for end in self.demand.ends(node) if end.way == TAKEN and end.gradient)
        return next((taker for taker in takers if self.is_with_respect(taker, node)), None)

    def is_with_respect(self, taker: Node, node: Node) -> bool:
        """Whether a derivative may be one with respect to what is behind a node, not only to something else."""
        if taker.attrs.get("gradient"):
            return is_differentiated(node)
        return self.is_leaf_behind(node) or not self.is_leaf_behind(taker)

    def is_leaf_behind(self, node: Node) -> bool:
        """Whether a node is made of what is said to require a gradient: a derivative is taken with respect to that."""
        found = self._leaves.get(node.index)
        if found is None:
            behind = walk(node, lambda n: list(n.args.values()) if n.op == CALL else self._differentiated(n), MAX_WAYS)
            found = self._leaves[node.index] = any(n.attrs.get("requires_grad") or n.op in LEARNED for n in behind)
        return found

    def obstacle(self, node: Node) -> str | None:
        """What keeps gradients from flowing through a node; None where they may."""
        for number, region in enumerate(node.regions):
            if region.kind in WITHOUT:
                return str(region.attrs.get("why", WITHOUT[region.kind]))
            taken = any(inner.kind == "differentiated" for inner in node.regions[number:])
            if region.kind == "derivative_rule" and not taken and not self._moves(node, region):
                return "it is in the definition of a derivative, where only second derivatives reach it"
        owner = self.owner(node)
        if owner in PLAIN:
            return f"{OWN_NAMES.get(owner or '', owner)} does not compute gradients"
        if not self.learns(node):
            return "it does not depend on any differentiated variable"
        return None if self.demand.ways(node, gradient=True) else "all uses only compare, count, print or detach it"

    def _moves(self, node: Node, rule: Region) -> bool:
        """Whether a node depends on the tangents of a derivative's rule: that part is transposed by a backward pass."""
        position, statement = rule.attrs["tangents"], rule.statement
        if position is None or not isinstance(statement, ast.FunctionDef | ast.Lambda) or not statement.args.args:
            return False
        tangents = statement.args.args[position].arg
        return any(n.op == PARAM and n.name == tangents for n in walk(node, lambda n: list(n.args.values())))

    def learns(self, node: Node, depth: int = 0, *, believed: bool = False) -> bool:
        """Whether the node depends on anything that may require a gradient, not on constants and draws alone.

        ``believed``: what is data or a setting by its name counts as such.
        """
        known = self._learns.get((node.index, believed))
        if known is not None:
            return known
        if depth > 60:
            return True
        self._learns[node.index, believed] = False
        op = OPS.get(node.op)
        if node.attrs.get("requires_grad") or is_source(node):
            result = True
        elif node.op in ("linear", CALL) and any(r.kind == "no_grad" for r in node.regions):
            result = False
        elif node.op in ("linear", "input", LOOP):
            result = True
        elif (
            (op is not None and op.stops_gradient)
            or node.op in (CONST, MODULE, "arange", "range", "stop_gradient")
            or self.fixed(node)
            or (believed and is_data(node))
        ):
            result = False
        elif node.op == "variable":
            result = True
        elif node.op == CALL and ((not node.name and len(node.args) == 1) or node.name.startswith(OF_ARRAYS)):
            # an element of a tuple that a call returned, or a function of arrays
            result = any(self.learns(a, depth + 1, believed=believed) for a in node.args.values())
        elif node.op in (PARAM, ATTR, CALL, INSTANCE):
            result = True
        elif any(r.kind == "no_grad" for r in node.regions):
            result = False
        else:
            result = any(self.learns(a, depth + 1, believed=believed) for a in self._differentiated(node))
        self._learns[node.index, believed] = result
        return result

    def fixed(self, node: Node) -> bool:
        """Whether a source of the graph is no tensor that is differentiated with respect to, by what it is.

        It is a gradient itself, of which no derivative is taken again, a buffer, a number or whole by its annotation,
        or comes from a framework that has no gradients.
        """
        if node.attrs.get("gradient"):
            return not any(map(is_differentiated, (n for n in self.copies(node) if n.attrs.get("gradient"))))
        if node.op == PARAM:
            return node.attrs.get("annotation") in NUMBERS | INTEGERS
        if node.op == ATTR:
            return node.name in self.roles.frozen
        if node.site is not None and untrainable(node.site):
            return True
        if node.op not in (CALL, "variable") or not isinstance(node.site, ast.Call):
            return False
        if node.name == "torch.autograd.grad":
            return switched(node, "create_graph", False) is False
        root, _, last = node.name.partition(".")
        return root in PLAIN and (root != "builtins" or f"builtins.{last}" in UNDIFFERENTIATED)

    def converted(self, node: Node) -> bool:
        """Whether all that a node depends on, and that may require a gradient, is first converted from another dtype.

        What is converted is often whole (ranks, labels, masks), and has none; nothing tells here that it is not.
        """

        def onward(n: Node) -> list[Node]:
            return [] if n.op == "cast" and self.may_be_whole(n["x"]) else self._differentiated(n)

        return not any(rests(n) for n in walk(node, onward) if self.learns(n, believed=True))

    def may_be_whole(self, node: Node) -> bool:
        """Whether a node may hold whole numbers: nothing on its way makes others of them."""
        return all(
            rests(n) or n.op in WHOLE_TOO for n in walk(node, self._differentiated) if self.learns(n, believed=True)
        )

    @staticmethod
    def _differentiated(node: Node) -> list[Node]:
        return [] if rests(node) else [a for k, a in node.args.items() if k not in ("cond", "index", "axis")]

    def is_used(self, node: Node) -> bool:
        """Whether anything happens with a node, not only with another result of the same function."""
        return any(end.way != UNUSED for end in self.demand.ends(node))


def is_differentiated(node: Node) -> bool:
    """Whether a node stands in a function that is followed where its derivative is taken."""
    return any(region.kind == "differentiated" for region in node.regions)


@asked_once
def is_source(node: Node) -> bool:
    """Whether a tape watches a node, or a gradient is taken with respect to it, alone or among others."""
    uses = [node.users, *(u.users for u in node.users if u.op in (TUPLE, "list"))]
    return any(u.op == "watch" or (u.op == "gradient" and u.get("target") is not node) for us in uses for u in us)


def rests(node: Node) -> bool:
    """Whether a gradient comes to rest at a node, as far as is seen; not at an element of what a call returned."""
    if node.attrs.get("requires_grad"):
        return True
    return node.op in SOURCES and (node.op != CALL or bool(node.name))


def is_given(node: Node) -> bool:
    """Whether a node is given to a function, or by an object that it calls; no setting that something is made with."""
    if node.op == PARAM:
        return not node.attrs.get("held") and getattr(node.attrs.get("of", (None,))[0], "name", "") != "__init__"
    if node.op != CALL or node.name:
        return node.op == INSTANCE or (node.op == CALL and not node.args)
    return len(node.args) > 1 and node["arg0"].op in SOURCES - {LOOP}


def switched(node: Node, keyword: str, default: bool) -> object:
    """What a keyword of a call is set to, if that is written as a constant."""
    keywords = node.site.keywords if isinstance(node.site, ast.Call) else []
    values = [k.value for k in keywords if k.arg == keyword]
    return (values[0].value if isinstance(values[0], ast.Constant) else None) if values else default


def is_data(node: Node) -> bool:
    """Whether a source of the graph is data by its name, or a setting by its default."""
    if switched(node, "create_graph", False) is not False:
        return False
    if node.op == "part" and is_target(str(node.attrs.get("variable", ""))):
        return True
    if node.op in (PARAM, ATTR, CALL) and without_gradient(node.attrs.get("variable") or node.name):
        return True
    default = node.get("default") if node.op == PARAM else None
    return default is not None and default.op == CONST and isinstance(default.attrs.get("value"), int | float)
