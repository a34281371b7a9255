"""The evaluator: values of nodes, on demand and memoised, under what a condition or a path says."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from nanlint.analysis.cases import decided_by_range, distinction
from nanlint.analysis.computed import Computed
from nanlint.analysis.names import MASK, is_epsilon, named, says
from nanlint.analysis.relations import GRIDS, RELATIONS
from nanlint.analysis.roles import untrainable
from nanlint.analysis.selections import taken_by
from nanlint.analysis.structure import bare, uses
from nanlint.frontend.lower import Lowering
from nanlint.graph.conditions import AXES, OUTSIDE, implied, known_of, of_nothing, said_of, speaks_of
from nanlint.graph.node import ATTR, CALL, CONST, LOOP, PARAM, PHI, REFINE, TUPLE, Node
from nanlint.graph.path import NOTHING, Bound, Minus, PathCondition
from nanlint.interrupt import checkpoint, exhausted
from nanlint.ops.floats import FLOAT32, FLOAT64, FORMATS
from nanlint.ops.frameworks import AUTOCAST_TO_HALF, AUTOCAST_TO_SINGLE
from nanlint.ops.op import OPS
from nanlint.ops.selection import COMPARISONS, CONDITIONS
from nanlint.ops.value import (
    CERTAIN,
    INF,
    LIKELY,
    NEVER,
    POSSIBLE,
    SMALL,
    TOP,
    UNKNOWN,
    Evidence,
    Kind,
    Origin,
    Reach,
    Value,
    constant,
    contains,
    join,
    meet_range,
    value,
    with_evidence,
)

SCALAR_ANNOTATIONS = frozenset({"int", "float", "bool", "str", "Scalar", "Number", "Real"})
TENSOR_ANNOTATIONS = frozenset(
    {
        "Tensor",
        "Array",
        "ndarray",
        "ArrayLike",
        "FloatTensor",
        "TensorLike",
        "Variable",
        "EagerTensor",
        "NDArray",
        "KerasTensor",
        "DataFrame",
        "Series",
    }
)
#: evaluation gives up (TOP) below this depth of operands
MAX_DEPTH = 120
#: nodes evaluated for one file, beside two for each that it has, and contexts of conditions within others: more than
#: three wheels need at most (7,356 and 643, in botorch), so that code which a program wrote comes to an end
MAX_STEPS, MAX_CONTEXTS = 20_000, 700
#: nodes looked at to find out whether a fact matters to an expression
MAX_SUPPORT = 4_000
#: loops inside loops whose invariants are guessed together
MAX_TRIALS = 2
#: arrays whose elements differ by their place
POSITIONAL = frozenset(
    {TUPLE, "tensor", "eye", "one_hot", "stored", "concat", "append", "zeros", "list", "sparse_part"} | GRIDS
)
#: nodes between elements that a condition takes and what is made of them
MAX_TAKEN = 16
#: operands that say which elements, and hold none
PLACES = frozenset({"index", "axis", "ord"})
#: conditions that are taken to hold together, one within the other
MAX_LEVELS = 4
#: what bounds numbers of either sign below, at 0 or at -1: whoever applies it has no positive ones yet
ONTO_POSITIVE = frozenset({"exp", "exp2", "sigmoid", "softmax", "softplus", "relu", "elu"})
#: turns of a loop that are tried; in the last one nothing is assumed
MAX_TURNS = 4


@dataclass
class Fuel:
    """What is left to all evaluators of one file together: steps, and contexts within those of a single condition."""

    left: int
    contexts: int = MAX_CONTEXTS

    def burn(self) -> bool:
        """Whether there is a step left, which is taken; that there is none is said in the report."""
        if not self.left:
            exhausted("too many steps of evaluation")
            return False
        self.left -= 1
        return True


class Evaluator:
    """Values of nodes, given ``facts``. A child evaluator knows more facts than its parent.

    ``tested``: the facts describe the region that a condition excludes; then the author's own test is evidence that it
    is reached.
    """

    def __init__(
        self,
        lowering: Lowering,
        facts: PathCondition = NOTHING,
        *,
        tested: bool = False,
        level: int = 0,
        parent: Evaluator | None = None,
        fuel: Fuel | None = None,
    ) -> None:
        self.lowering = lowering
        self.facts = facts
        self._parent = parent
        self._fuel = fuel or Fuel(MAX_STEPS + 2 * len(lowering.graph.nodes))
        #: conditions known to hold or not, beside those of which the facts say it, by key
        self.truths: dict[int, bool] = {}
        #: the comparison whose case this is, by key
        self.case: dict[int, bool] = {}
        self._affected: dict[int, bool] = {}
        #: whether settings are what their defaults say: a belief, to be asked for
        self.by_default = False
        #: what is known here and not by the parent, by key: beside ``facts``, if those are all new
        self._new: frozenset[int] = frozenset()
        self._facts_are_new = False
        self._since = 0
        self.tested = tested
        self.level = level
        self._memo: dict[int, Value] = {}
        #: what is made of elements that a condition takes, shared with all that know more
        self._taken: dict[int, tuple[Node, Node] | None] = parent._taken if parent is not None else {}
        self._open: set[int] = set()
        self._children: dict[tuple[int, bool, bool], Evaluator] = {}
        self._standing: dict[int, Evaluator] = {}
        self._depth = 0
        self._outer: Evaluator | None = None
        self._trials = 0
        #: index of the first variable of the loop that is tried
        self._inside = 0
        self.top: Value = parent.top if parent is not None else replace(TOP, format=lowering.format)
        self._computed: Computed = parent._computed if parent is not None else Computed(self.value)

    def under(self, cond: Node, truth: bool, *, tested: bool = False) -> Evaluator:
        """The evaluator where ``cond`` is ``truth``; this one itself if nothing follows from that."""
        key = (cond.index, truth, tested)
        child = self._children.get(key)
        if child is None:
            may_know_more = self.level < MAX_LEVELS and (not self.level or self._fuel.contexts > 0)
            found = implied(self.lowering.graph, cond, truth) if may_know_more else []
            again = [u.key for u in cond.users if u.op in ("where", PHI) and u.get("cond") is cond]
            if found or (len(again) > 1 and may_know_more):
                self._fuel.contexts -= self.level > 0
                child = self._knowing(self.facts.and_(found), tested=tested)
                child._new = frozenset((*(k for k, _, _ in found), *again))
                child._since = min(map(self.lowering.graph.first, child._new))
                child.truths = {**self.truths, cond.key: truth}
            else:
                child = self
            self._children[key] = child
        return child

    def in_case(self, cond: Node, truth: bool) -> Evaluator:
        """The evaluator of elements for which a comparison is ``truth``, that comparison itself included."""
        facts = self.facts.and_(implied(self.lowering.graph, cond, truth))
        child = self._knowing(facts)
        child._new = frozenset((*facts, cond.key, *self.selections.get(cond.key, ())))
        child._since = min(map(self.lowering.graph.first, child._new))
        child.truths = {**self.truths, cond.key: truth}
        child.case = {cond.key: truth}
        return child

    def at(self, node: Node) -> Evaluator:
        """The evaluator where a node stands: under all that the path to it says; this one itself if that is nothing."""
        facts = node.facts
        if not facts or self.level:
            return self
        child = self._standing.get(id(facts))
        if child is None:
            child = self._knowing(facts)
            child._facts_are_new = True
            child._since = facts.since(self.lowering.graph.first)
            self._standing[id(facts)] = child
        return child

    def truth(self, condition: int) -> bool | None:
        """Whether a condition, by key, is known to hold or not: the same one chooses the same branch everywhere."""
        known = self.truths.get(condition)
        return said_of(condition, self.facts) if known is None else known

    def _is_new(self, key: int) -> bool:
        """Whether more is known of a node, by key, than the parent knows: of itself, or which of two it is."""
        if speaks_of(self.lowering.graph, key, self.facts if self._facts_are_new else self._new):
            return True
        return self._facts_are_new and any(self.truth(cond) is not None for cond in self.selected_by.get(key, ()))

    def release(self) -> None:
        """Let go of all that was worked out, here and where more is known."""
        known = [*self._children.values(), *self._standing.values()]
        vars(self).clear()
        for child in known:
            if vars(child):
                child.release()

    def _knowing(self, facts: PathCondition, *, tested: bool = False) -> Evaluator:
        child = Evaluator(
            self.lowering,
            facts,
            tested=tested,
            level=self.level + 1,
            parent=self,
            fuel=self._fuel,
        )
        child._trials, child.by_default = self._trials, self.by_default
        return child

    @cached_property
    def selections(self) -> dict[int, list[int]]:
        """Keys of what a condition selects between, by the condition's."""
        found: dict[int, list[int]] = {}
        for node in self.lowering.graph:
            if (node.op in ("where", PHI) or node.attrs.get("set_where")) and (cond := node.get("cond")) is not None:
                found.setdefault(cond.key, []).append(node.key)
        return found

    @cached_property
    def selected_by(self) -> dict[int, list[int]]:
        """Keys of the conditions that choose a node, by its own."""
        if self._parent is not None:
            return self._parent.selected_by
        found: dict[int, list[int]] = {}
        for cond, keys in self.selections.items():
            for key in keys:
                found.setdefault(key, []).append(cond)
        return found

    def value(self, node: Node) -> Value:
        found = self._memo.get(node.index)
        if found is None and self._outer is not None:
            # what was made before the loop does not depend on it
            found = self._outer.value(node) if node.index < self._inside else self._outer.known(node)
        elif found is None and self._parent is None and node.index in self.loops_around:
            # what a turn of a loop computes is known when the loop is
            for around in self.loops_around[node.index]:
                self.value(around)
            found = self._memo.get(node.index)
        if found is not None:
            return found
        if self.in_progress(node) or self.depth > MAX_DEPTH:
            return self.top
        if self._parent is not None and not self.affected(node):
            return self._parent.value(node)
        if not self._fuel.burn():
            return self.top
        self._open.add(node.index)
        self._depth += 1
        try:
            result = self.refine_by_facts(node, with_evidence(self.compute(node), node))
        finally:
            self._depth -= 1
            self._open.discard(node.index)
        self._memo[node.index] = result
        return result

    def known(self, node: Node) -> Value | None:
        """The value of a node if it has been worked out already, here or around the loops being tried."""
        found = self._memo.get(node.index)
        return found if found is not None or self._outer is None else self._outer.known(node)

    @property
    def depth(self) -> int:
        """Operands of operands that are being worked out, here and in the evaluators that asked this one."""
        around = self._parent or self._outer
        return self._depth + (around.depth if around is not None else 0)

    def in_progress(self, node: Node) -> bool:
        """Whether the value of a node is being worked out, here or where less is known: what asks for it is a cycle."""
        return node.index in self._open or (self._parent is not None and self._parent.in_progress(node))

    def affected(self, node: Node) -> bool:
        """Whether a node depends on anything that the facts of this evaluator, beyond its parent's, speak of."""
        if node.index < self._since:
            return False
        if node.index not in self._affected:
            way = [(node, self._behind(node))]
            while way:
                at, operands = way[-1]
                found = self._affected[at.index]
                following = None if found else next(operands, None)
                if following is not None and following.index not in self._affected:
                    way.append((following, self._behind(following)))
                elif following is None or self._affected[following.index]:
                    way.pop()
                    self._affected[at.index] = found or following is not None
                    if way and self._affected[at.index]:
                        self._affected[way[-1][0].index] = True
        return self._affected[node.index]

    def _behind(self, node: Node) -> Iterator[Node]:
        """The operands that may make a node depend on the facts; whether it does by itself is noted."""
        self._affected[node.index] = self._is_new(node.key)
        if len(self._affected) >= MAX_SUPPORT:
            return iter(())
        # what holds in this turn of a loop says nothing of the last one
        return (a for name, a in node.args.items() if name != "back" and a.index >= self._since)

    def refine_by_facts(self, node: Node, v: Value) -> Value:
        if node.op == CONST:
            # a literal is what it is, whatever was compared with another of its kind
            return v
        if (taken := self.of_taken(node)) is not None:
            made, cond = taken
            there = self.under(cond, True)
            if there is not self and speaks_of(self.lowering.graph, made.key, there.facts):
                v = there.refine_by_facts(made, v)
        for comparison, other in known_of(self.lowering.graph, node.key, self.facts) if self.facts else ():
            by = self.bound(other)
            v = self.refine(v, comparison, by)
            if self.tested:
                small = isinstance(other, Node) and is_epsilon(called(other))
                v = with_evidence(tested_region(v, comparison, by, small=small), node)
        return v

    def bound(self, other: Bound) -> Value:
        """What is known of what something compares with."""
        if isinstance(other, Node):
            return self.value(other)
        if isinstance(other, Minus):
            return OPS["neg"].transfer({"x": self.value(other.node)}, {})
        lo, hi = other if isinstance(other, tuple) else (other, other)
        return replace(constant(float(lo)) if lo == hi else value(lo, hi), format=self.top.format)

    def of_taken(self, node: Node, depth: int = 0) -> tuple[Node, Node] | None:
        """For what is made of elements that a condition takes: what all elements give by that, and the condition.

        sum(x[c], 1) is sum(x, 1)[c].
        """
        if node.index in self._taken or depth > MAX_TAKEN:
            return self._taken.get(node.index)
        self._taken[node.index] = None
        op = OPS.get(node.op)
        found: tuple[Node, Node] | None = None
        row_by_row = op is not None and (op.pointwise or op.view or (op.reduction and "axis" in node.args))
        if node.op == "part" and (cond := taken_by(node.get("index"))) is not None and cond.op != "or":
            found = node["x"], cond
        elif node.op == REFINE:
            found = self.of_taken(node["x"], depth + 1)
        elif row_by_row or node.op == "part":
            made = {k: self.of_taken(a, depth + 1) for k, a in node.args.items() if k not in PLACES}
            conds = {taken[1].key: taken[1] for taken in made.values() if taken is not None}
            others = [node[k] for k, taken in made.items() if taken is None]
            if len(conds) == 1 and all(self.value(other).kind is Kind.SCALAR for other in others):
                args = {k: taken[0] if (taken := made.get(k)) is not None else a for k, a in node.args.items()}
                whole = self.lowering.graph.imagine(node.op, args, node.attrs, node.site)
                found = whole, next(iter(conds.values()))
        self._taken[node.index] = found
        return found

    # ── one node ────────────────────────────────────────────────────────────────────────────────────────────────────

    def compute(self, node: Node) -> Value:
        checkpoint()
        op = node.op
        if op == CONST:
            number = node.attrs["value"]
            if isinstance(number, bool):
                return replace(constant(float(number)), kind=Kind.ANY, format=self.top.format)
            if not isinstance(number, (int, float)) or (abs(number) > 1e308 and abs(number) != INF):
                return self.top
            return replace(constant(float(number)), format=self.top.format)
        if op == PARAM:
            return self.parameter(node)
        if op in (ATTR, CALL):
            return self.outside(node)
        if op == REFINE:
            return self.refine(self.value(node["x"]), node.attrs["cmp"], self.value(node["by"]))
        if op == PHI:
            return self.phi(node)
        if node.attrs.get("set_where") and (taken := self.truth(node["cond"].key)) is not None:
            return self.value(node["x" if taken else "before"])
        if op == LOOP:
            return self.loop(node) if self._parent is None else self._parent.value(node)
        if op in ("and", "or") and node.attrs.get("python"):
            return join(self.under(node["a"], op == "or").value(node["a"]), self.value(node["b"]))
        if op == "arange" and node.attrs.get("scalar"):
            return value(0.0, INF, whole=True, kind=Kind.SCALAR)
        if op == "stored":
            # what was filled in before single elements were set is a start, not a result
            return replace(join(weakened(self.value(node["a"])), self.value(node["b"])), peak=False, sum_one=False)
        if op in (TUPLE, "list", "append"):
            return self.elements(node)
        known = OPS.get(op)
        if known is None:
            return self.top
        if op in COMPARISONS and node.key in self.case:
            return constant(float(self.case[node.key]))
        if self._parent is None and (numbers := self._computed.numbers(node)) is not None:
            operands = {name: self.value(arg) for name, arg in node.args.items()}
            return self.in_format(node, numbers.joined(node), operands, node.attrs)
        if op == "where":
            cond = node["cond"]
            said = self.truth(cond.key)
            taken = self._computed.truth(cond) if said is None else said
            if taken is None and cond.op in COMPARISONS and (self.case or not self.level):
                taken = decided_by_range(cond.op, self.value(cond["a"]), self.value(cond["b"]))
            if taken is not None:
                return self.value(node["a" if taken else "b"])
            return join(self.under(cond, True).value(node["a"]), self.under(cond, False).value(node["b"]))
        if op == "part" and (chosen := self.part(node)) is not None:
            return chosen
        if op == "sub" and (together := chosen_together(node)) is not None:
            return self.difference(*together)
        relation = RELATIONS.get(op)
        if relation is not None and all(o in node.args for o in known.operands if o not in ("axis", "ord", "ddof")):
            related = relation(node, self.value)
            if related is not None:
                return related
        if op == "part" and called(node) and self.value(node["x"]) == self.top:
            return self.suggested(node) or self.top
        return self.transferred(node)

    def transferred(self, node: Node) -> Value:
        """What an op of the catalogue makes of its operands."""
        op, known = node.op, OPS[node.op]
        operands, attrs = self.in_precision(node, {name: self.value(arg) for name, arg in node.args.items()})
        if op == "variable" and node.site is not None and untrainable(node.site):
            return replace(known.transfer(operands, node.attrs), zero=UNKNOWN, neg=UNKNOWN, why={})
        try:
            result = known.transfer(operands, attrs)
        except (KeyError, OverflowError, ZeroDivisionError):
            return self.top
        if not self.case and (shared := distinction(self.lowering.graph, node, result)) is not None:
            return join(*(self.in_case(shared, truth).compute(node) for truth in (True, False)))
        return self.in_format(node, result, operands, attrs)

    def in_format(self, node: Node, result: Value, operands: Mapping[str, Value], attrs: Mapping[str, Any]) -> Value:
        """A result in the format that the framework computes it in."""
        made = node.framework in ("numpy", "scipy") and "dtype" not in node.attrs
        if made and all(v.kind is Kind.SCALAR or node[name].op == TUPLE for name, v in operands.items()):
            # what NumPy makes of Python numbers is float64
            return replace(result, format=FLOAT64)
        if (told := FORMATS.get(str(attrs.get("dtype")))) is not None and node.op in AUTOCAST_TO_HALF:
            return replace(result, format=told)
        if "dtype" not in attrs and all(v.format is not result.format for v in operands.values()):
            # what is read or counted has the format of the file's other numbers
            return replace(result, format=self.top.format)
        return result

    def in_precision(self, node: Node, operands: dict[str, Value]) -> tuple[dict[str, Value], Mapping[str, Any]]:
        """The operands and settings of an op, in the format that its model or autocast around it computes in."""
        attrs: Mapping[str, Any] = node.attrs
        if (like := attrs.get("like")) is not None:
            attrs = {**attrs, "dtype": self.value(like).format.name}
        region = next((r for r in reversed(node.regions) if r.kind in ("half", "precision")), None)
        if region is None or "dtype" in attrs:
            return operands, attrs
        if node.op == "linear" or (region.kind == "half" and node.op in AUTOCAST_TO_HALF):
            return operands, {**attrs, "dtype": region.attrs["dtype"]}
        if region.kind == "half" and region.attrs["dtype"] == "float16" and node.op in AUTOCAST_TO_SINGLE:
            operands = {k: v if v.format is FLOAT64 else replace(v, format=FLOAT32) for k, v in operands.items()}
        return operands, attrs

    def difference(self, a: Node, b: Node) -> Value:
        """The difference of two values that one condition chooses: of each pair of them, where they are chosen."""
        found = []
        for branch, truth in (("a", True), ("b", False)):
            pair = {"a": a[branch], "b": b[branch]}
            if not any(n.attrs.get("again") for n in pair.values()):
                found.append(self.under(a["cond"], truth).value(self.lowering.graph.imagine("sub", pair)))
        return join(found[0], found[-1]) if found else self.top

    def part(self, node: Node) -> Value | None:
        """Elements that a condition takes, under it; elements of their places, where that some are 0 says nothing."""
        x, index = node["x"], node.get("index")
        if (cond := taken_by(index)) is not None and cond.op != "or":
            # neither side of an "or" is known to hold
            itself = cond.key == x.key and cond.op not in CONDITIONS
            v = self.refine(self.value(cond), "ne", constant(0.0)) if itself else self.under(cond, True).value(x)
            return replace(v, peak=False, sum_one=False)
        v = self.value(x)
        reason = v.evidence("zero")
        by_place = reason is not None and reason.node is not None and reason.node.op in POSITIONAL
        if not by_place and bare(x).op not in POSITIONAL:
            return None
        if index is None and node.spelling is None and bare(x).op in GRIDS:
            # one after the other, all of a grid are met, if no turn is left out
            return replace(v, zero=min(v.zero, LIKELY), low=min(v.low, LIKELY), high=min(v.high, LIKELY), peak=False)
        low, high = min(v.low, UNKNOWN), min(v.high, UNKNOWN)
        return replace(v, zero=min(v.zero, UNKNOWN), low=low, high=high, peak=False, why={})

    def parameter(self, node: Node) -> Value:
        """A parameter: its default's sign and size, its annotation, at last its name."""
        kind = self.annotated(node)
        default = node.get("default")
        if default is not None:
            c = self.value(default).constant
            if c is not None and self.by_default:
                return replace(constant(c), format=self.top.format)
            if c is not None and default.op == CONST and not isinstance(default.attrs["value"], bool):
                if 0 < c < SMALL:
                    # an epsilon is there as a guard
                    return value(c, INF, zero=NEVER, kind=Kind.SCALAR, format=self.top.format)
                number = Kind.SCALAR if kind is Kind.ANY else kind
                if c == 0:
                    why = {"zero": Evidence("is 0 by default", node, origin=Origin.START)}
                    return replace(self.top, kind=number, zero=POSSIBLE, why=why)
                if c > 0:
                    return value(self.top.format.tiny, INF, zero=NEVER, kind=number, format=self.top.format)
                return value(-INF, INF, zero=NEVER, kind=number, format=self.top.format)
        if kind is Kind.SCALAR:
            return replace(self.top, kind=kind)
        suggested = self.suggested(node)
        if suggested is not None:
            return replace(
                suggested, format=self.top.format, kind=suggested.kind if suggested.kind is Kind.SCALAR else kind
            )
        return replace(self.top, kind=kind)

    def annotated(self, node: Node) -> Kind:
        """What something from outside is, by the annotation of what takes it; a scalar of JAX is an array."""
        annotation = node.attrs.get("annotation", "")
        if annotation in TENSOR_ANNOTATIONS or (annotation == "Scalar" and "jax" in self.lowering.frameworks):
            return Kind.TENSOR
        return Kind.SCALAR if annotation in SCALAR_ANNOTATIONS else Kind.ANY

    def suggested(self, node: Node) -> Value | None:
        """What the name of what comes from outside says of it; nothing before it is mapped onto such numbers."""
        handed_on = uses(node, lambda user, used: user.op == "part" or bare(user) is bare(used), MAX_TAKEN)
        return None if any(user.op in ONTO_POSITIVE for user in handed_on) else named(called(node))

    def outside(self, node: Node) -> Value:
        """An attribute or the result of an unknown call: only its name speaks, and what takes it for a number.

        An attribute is a parameter of its object, often validated where it was set: its name says less. So it does of
        a mask that a function made: only that function knows whether it may be false everywhere.
        """
        suggested, kind = self.suggested(node), self.annotated(node)
        if suggested is None:
            return replace(self.top, kind=kind)
        made = node.op == CALL and says(called(node), MASK)
        if (node.op == ATTR or made or node.attrs.get("held")) and suggested.zero >= LIKELY:
            suggested = replace(suggested, zero=POSSIBLE, low=POSSIBLE, high=min(suggested.high, POSSIBLE))
        return replace(suggested, format=self.top.format, kind=suggested.kind if kind is Kind.ANY else kind)

    def phi(self, node: Node) -> Value:
        cond = node.get("cond")
        if cond is not None and (taken := self.truth(cond.key)) is not None:
            return self.value(node["a" if taken else "b"])
        values = []
        axes = {self.value(n).constant for comparison, n in self.facts.get(node.key, ()) if comparison == AXES}
        for operand, truth in (("a", True), ("b", False)):
            branch = node[operand]
            if (branch.op == CONST and branch.attrs["value"] is None) or branch.attrs.get("again"):
                # not set there; or what another call of the same function returns on another path
                continue
            if axes and (has := axes_of(branch)) is not None and has not in axes:
                # an array of so many axes does not come from there
                continue
            v = (self.under(cond, truth) if cond is not None else self).value(branch)
            # a literal 0 on one path is a placeholder for "not computed"; so is what is given back for no data at all
            if branch.op == CONST or (cond is not None and of_nothing(cond, truth)):
                v = weakened(v)
            elif branch.op == "tensor" and v.zero is CERTAIN and v.evidence("zero") is None:
                note = Evidence("is set to 0 on one branch", branch, origin=Origin.INTENT)
                v = replace(v, why={**v.why, "zero": note})
            values.append(v)
        if not values:
            return self.top
        return join(values[0], values[1]) if len(values) > 1 else values[0]

    def loop(self, node: Node) -> Value:
        """Join of the value before the loop and after a turn, for an invariant that one turn keeps.

        The variables of one loop are followed together: each starts from its strongest guess, and those that a turn
        breaks fall back to a weaker one until all hold. That a loop may run no turn at all is no evidence: reaches that
        only the value before it has are weakened. The loops around this one come first, so that it does not matter
        which of them is asked for.
        """
        before = self.value(node["pre"])
        if "back" not in node.args:
            return before
        if self._trials >= MAX_TRIALS:
            return join(weakened(before), self.top)
        group = carried(node)
        guesses = {n.index: invariants(before if n is node else self.value(n["pre"])) for n in group}
        for turn in range(MAX_TURNS):
            last = turn == MAX_TURNS - 1
            trial = self.trying({index: found[-1] if last else found[0] for index, found in guesses.items()})
            after = {n.index: trial.value(n["back"]) for n in group}
            broken = [i for i, v in after.items() if len(guesses[i]) > 1 and not contains(guesses[i][0], v)]
            if last or not broken:
                break
            for index in broken:
                guesses[index].pop(0)
        found = {n.index: join(weakened(self.value(n["pre"])), after[n.index]) for n in group}
        if self._outer is None and all(trial._memo[index] == v for index, v in found.items()):
            # what a turn computes is known with the loop; of another one it is worked out where it is asked for
            self._memo.update(trial._memo)
        self._memo.update(found)
        return self._memo[node.index]

    def trying(self, variables: Mapping[int, Value]) -> Evaluator:
        """The evaluator of a turn of a loop that begins with these variables."""
        trial = Evaluator(self.lowering, self.facts, tested=self.tested, level=self.level, fuel=self._fuel)
        trial._outer, trial._trials, trial.truths = self, self._trials + 1, self.truths
        trial.by_default = self.by_default
        trial._inside, trial._computed = min(variables), self._computed
        trial._memo.update(variables)
        return trial

    @cached_property
    def loops_around(self) -> dict[int, list[Node]]:
        """Variables of the loops that a node stands in, outermost first, by its index."""
        around: dict[int, list[Node]] = {}
        entered: list[tuple[int, Node]] = []
        for node in self.lowering.graph:
            if entered and entered[-1][0] < node.index:
                entered = [(end, n) for end, n in entered if end >= node.index]
                inside = [n for _, n in entered]
            if entered:
                around[node.index] = inside
            if node.op == LOOP and "back" in node.args:
                entered.append((node["back"].index, node))
                inside = [n for _, n in entered]
        return around

    def elements(self, node: Node) -> Value:
        values = [self.value(a) for a in node.args.values()]
        if not values:
            return self.top
        result = values[0]
        for v in values[1:]:
            result = join(result, v)
        why = result.why
        some = any(v.constant is None for v in values)
        ends = (("low", f"contains a {result.lo:g}"), ("high", f"contains a {result.hi:g}")) if some else ()
        for cls, held in (("zero", "contains a 0"), ("neg", "contains a negative number"), *ends):
            if result.reach(cls) is CERTAIN and result.evidence(cls) is None:
                why = {**why, cls: Evidence(held, node, origin=Origin.START)}
        return replace(result, peak=False, sum_one=False, why=why)

    # ── refinement ──────────────────────────────────────────────────────────────────────────────────────────────────

    def refine(self, v: Value, comparison: str, by: Value) -> Value:
        """``v`` where it compares so with ``by``."""
        c = by.constant
        if comparison == "eq" and c is not None:
            return replace(
                constant(c), kind=v.kind, format=v.format, low=UNKNOWN, high=UNKNOWN, zero=UNKNOWN if c == 0 else NEVER
            )
        if comparison == "ne" and c is not None:
            if c == 0:
                low = NEVER if v.lo == 0 else v.low
                high = NEVER if v.hi == 0 else v.high
                return replace(v, zero=NEVER, low=low, high=high)
            return replace(v, low=NEVER if v.lo == c else v.low, high=NEVER if v.hi == c else v.high)
        if comparison in ("gt", "ge") and c is None and v.lo == 0 and by.lo < 0:
            # above an unknown threshold: nobody means a negative one for what is never negative
            return replace(v, zero=UNKNOWN, low=UNKNOWN)
        if comparison == OUTSIDE:
            if v.lo >= by.lo:
                return meet_range(v, by.hi, INF)
            return meet_range(v, -INF, by.lo) if v.hi <= by.hi else v
        if comparison in ("gt", "ge"):
            if by.lo == 0:
                # 0 only where that is, too
                v = replace(v, zero=min(v.zero, by.zero), low=min(v.low, by.zero) if v.lo == 0 else v.low)
            return meet_range(v, by.lo, INF, open_lo=comparison == "gt")
        if comparison in ("lt", "le"):
            return meet_range(v, -INF, by.hi, open_hi=comparison == "lt")
        return v


def called(node: Node) -> str:
    """The name that a value from outside goes by, "" if none."""
    name = node.attrs.get("variable") or (node.name if node.op in (PARAM, ATTR) else "")
    return str(name)


def chosen_together(node: Node) -> tuple[Node, Node] | None:
    """The two values of a difference that one condition chooses, as far as that tells more than each by itself."""
    a, b = bare(node["a"]), bare(node["b"])
    conds = [n.get("cond") if n.op == PHI else None for n in (a, b)]
    if conds[0] is None or conds[1] is None or conds[0].key != conds[1].key:
        return None
    return a, b


def axes_of(node: Node) -> int | None:
    """How many axes an array has, where that is plain: an identity matrix, or a multiple of one, has two."""
    node = bare(node)
    if node.op in ("mul", "div") and CONST in (node["a"].op, node["b"].op):
        return axes_of(node["b"] if node["a"].op == CONST else node["a"])
    return 2 if node.op == "eye" else None


def tested_region(v: Value, comparison: str, by: Value, *, small: bool) -> Value:
    """``v`` in a region that the author tests for: what the test separates out is taken to occur.

    ``small``: what it is compared with is a small positive number by its name.
    """
    c = by.constant
    small = small or -SMALL <= by.lo <= by.hi <= SMALL
    reached: dict[str, Reach] = {}
    if comparison == "eq" and c == 0 and v.zero is not NEVER:
        reached["zero"] = LIKELY
    if comparison in ("le", "lt", "ge", "gt"):
        if small and v.zero is not NEVER and v.lo <= 0 <= v.hi:
            reached["zero"] = LIKELY
        if c is None and comparison in ("le", "lt") and v.lo == 0 and v.zero >= POSSIBLE:
            reached["zero"] = LIKELY
        if c is not None and comparison in ("le", "lt") and v.lo < 0:
            reached["neg"] = LIKELY
            if v.lo == -INF:
                reached["low"] = LIKELY
        if c is not None and comparison in ("ge", "gt") and v.hi > 0:
            reached["pos"] = LIKELY
            if v.hi == INF:
                reached["high"] = LIKELY
    if not reached:
        return v
    note = Evidence("can occur: the code tests for it", origin=Origin.OWN_TEST)
    classes = {name: max(level, v.reach(name)) for name, level in reached.items()}
    if v.lo == 0 and "zero" in classes:
        classes["low"] = max(classes["zero"], v.low)
    if v.hi == 0 and "zero" in classes:
        classes["high"] = max(classes["zero"], v.high)
    return replace(v, why={**v.why, **dict.fromkeys(classes, note)}, **classes)  # type: ignore[arg-type]


def carried(node: Node) -> list[Node]:
    """The variables of a loop that one of them depends on from turn to turn, itself first."""
    together = {n.index: n for n in node.attrs.get("together", (node,)) if "back" in n.args}
    first = min(together)
    found, pending, seen = [node], [node["back"]], {node.index}
    while pending:
        current = pending.pop()
        if current.index in seen:
            continue
        seen.add(current.index)
        if current.index in together:
            found.append(current)
            pending.append(current["back"])
        elif current.index > first:
            pending.extend(current.args.values())
    return found


def invariants(before: Value) -> list[Value]:
    """Guesses at what a loop keeps, strongest first: the sign of the start, then non-negativity."""
    common: dict[str, Any] = {"kind": before.kind, "format": before.format}
    found = []
    if before.lo > 0:
        found.append(value(before.lo, INF, zero=NEVER, **common))
        found.append(value(min(before.lo, FLOAT32.tiny), INF, zero=NEVER, **common))
    elif before.lo == 0:
        if before.hi == 1:
            found.append(value(0.0, 1.0, **common))
        found.append(value(0.0, INF, **common))
    elif before.hi <= 0:
        found.append(value(-INF, 0.0, **common))
    found.append(value(**common))
    return found


def weakened(v: Value) -> Value:
    """``v`` with its evidence withdrawn: possible, but nothing says that it happens."""
    classes = {
        name: UNKNOWN
        for name in ("ninf", "neg", "zero", "pos", "pinf", "nan", "low", "high")
        if v.reach(name) > UNKNOWN
    }
    return replace(v, why={}, **classes)  # type: ignore[arg-type]
