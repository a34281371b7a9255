"""The slice of the graph behind a finding: what is executed to show that it fails. Plain data.

Tensors are one row here: every array is a row of a few numbers, an axis is *the* axis, views change nothing, and a
reduction leaves a row of one. That keeps what becomes of each number, which is where programs break, and drops shapes.
"""

from __future__ import annotations

import ast
import math
from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from nanlint.analysis.names import without_gradient
from nanlint.analysis.structure import LONGEST, called
from nanlint.frontend.syntax import changed_in_place
from nanlint.graph.conditions import TRUE, TRUTHS
from nanlint.graph.node import CALL, CONST, LOOP, PARAM, PHI, REFINE, TUPLE, Node, reached, walk
from nanlint.hazards.record import Hazard
from nanlint.ops.floats import FORMATS
from nanlint.ops.op import OPS, shifted
from nanlint.ops.selection import CONDITIONS
from nanlint.ops.value import NEVER, Kind, Origin, Value
from nanlint.proof.entering import OBJECTS, Sort, bounds, driven, is_member, is_setting, sort_of
from nanlint.source.brief import brief

#: steps of a slice; one that needs more cannot be executed
MAX_STEPS = 300
#: how far forward, and among how many nodes, the end of a computation is looked for
MAX_FORWARD = 14
MAX_SEEN = 60

#: steps that compare
COMPARISONS = frozenset({"eq", "ne", "lt", "le", "gt", "ge", REFINE, "isclose"})
#: attributes of a node that its meaning depends on
MEANING = frozenset({"value", "cmp", "dtype", "python", "field", "scalar", "nonzero", "starred"})

CLASSES = ("ninf", "neg", "zero", "pos", "pinf", "nan")


@dataclass(frozen=True)
class Domain:
    """What a source may be: a finite number in [lo, hi], in none of the ``excluded`` classes (or ends).

    ``whole``: of an integer type; ``counted``: a whole number by its name. ``number``: the one it is by default.
    ``data``: nothing is differentiated with respect to it. ``driven``: training drives it to where functions saturate.
    """

    lo: float = -math.inf
    hi: float = math.inf
    excluded: frozenset[str] = frozenset()
    whole: bool = False
    scalar: bool = False
    format: str = "float32"
    number: float | None = None
    data: bool = False
    counted: bool = False
    driven: bool = False

    def admits(self, x: float) -> bool:
        """Whether the analysis lets a source be ``x``. Infinities and nan are never put in from outside."""
        whole = self.whole or self.counted
        if not math.isfinite(x) or not self.lo <= x <= self.hi or (whole and not x.is_integer()):
            return False
        if (x == self.lo and "low" in self.excluded) or (x == self.hi and "high" in self.excluded):
            return False
        return ("zero" if x == 0 else "neg" if x < 0 else "pos") not in self.excluded


@dataclass(frozen=True)
class Step:
    """One operation of a slice. ``args``: operand -> number of its step. ``spelling``: the function that was called.

    ``name``: what the source calls the result. ``sort``: how it comes in, None where it is computed here. ``domain``:
    what is known of it.
    """

    op: str
    args: Mapping[str, int]
    attrs: Mapping[str, Any]
    spelling: str | None
    name: str
    domain: Domain
    sort: Sort | None = None


@dataclass(frozen=True)
class Breaking:
    """Where a pole is met: the step whose number is in class ``cls``, once it is shifted, and the ends of its range.

    ``hidden``: a selection drops the bad value, only the gradient is hurt. ``also``: the same of other steps, by their
    number, shift and class.
    ``because``: the step that brings it about, which has to be on the way.
    """

    operand: int
    shift: float
    cls: str
    gives: str
    gradient: bool
    hidden: bool
    lo: float
    hi: float
    also: tuple[tuple[int, float, str], ...] = ()
    because: int | None = None

    @property
    def trap(self) -> bool:
        """Whether only the gradient goes wrong."""
        return self.gradient or self.hidden


@dataclass(frozen=True)
class Slice:
    """The steps behind a finding. ``at``: the op that breaks. ``ends``: where its result is observed, nearest first."""

    steps: tuple[Step, ...]
    at: int
    ends: tuple[int, ...]
    framework: str
    breaking: Breaking | None = None
    #: whether only a name says that the pole is met
    named: bool = False
    #: the steps that are told to be what makes it so
    told: frozenset[int] = frozenset()
    #: those of them that are told to overflow
    overflowing: frozenset[int] = frozenset()
    #: the conditions under which the op that breaks, or an end, is come to: their steps, and whether each holds
    guards: Mapping[int, tuple[tuple[int, bool], ...]] = field(default_factory=dict)
    #: (row, column, end row, end column) of the op that breaks and of those that use it, to find them again once fixed
    places: Mapping[int, tuple[int, int, int, int]] = field(default_factory=dict)

    def upstream(self, root: int) -> list[int]:
        """Steps that ``root`` is computed from, itself first; nothing behind a source."""
        return list(reached([root], lambda i: self.steps[i].args.values(), nearest=True))

    def is_source(self, i: int) -> bool:
        """Whether the numbers of a step come from outside, and a witness may choose them."""
        sort = self.steps[i].sort
        return sort is not None and sort.given

    def sources(self, root: int) -> list[int]:
        return [i for i in self.upstream(root) if self.is_source(i)]

    def before(self, root: int) -> list[int]:
        """A step, and the conditions under which it is come to that can be computed."""
        known: dict[int, bool] = {}
        return [root, *(cond for cond, _ in self.guards.get(root, ()) if self._computable(cond, known))]

    @cached_property
    def behind(self) -> frozenset[int]:
        """Steps that depend on the op that breaks, itself among them."""
        users: dict[int, list[int]] = {}
        for i, step in enumerate(self.steps):
            for used in step.args.values():
                users.setdefault(used, []).append(i)
        return frozenset(reached([self.at], lambda i: users.get(i, ())))

    @cached_property
    def thresholds(self) -> tuple[float, ...]:
        """The numbers that the program itself compares with: at them it takes another way."""
        found: dict[float, None] = {}
        for step in self.steps:
            for i in step.args.values() if step.op in COMPARISONS else ():
                number = self.steps[i].attrs.get("value")
                if isinstance(number, (int, float)) and not isinstance(number, bool):
                    found[float(number)] = None
        return tuple(found)

    @cached_property
    def executable(self) -> bool:
        """Whether the op that breaks, and what breaks it, can be computed from sources alone, on some way."""
        because = self.breaking.because if self.breaking is not None else None
        return all(self._computable(i, {}) for i in (self.at, because) if i is not None)

    def _computable(self, i: int, known: dict[int, bool]) -> bool:
        if i in known:
            return known[i]
        # the back edge of a loop asks for what is being asked
        known[i] = True
        step = self.steps[i]
        if step.sort is not None:
            known[i] = step.sort.given
        elif step.op == PHI:
            known[i] = any(self._computable(step.args[way], known) for way in ("a", "b") if way in step.args)
        elif step.op == LOOP:
            known[i] = self._computable(step.args["pre"], known)
        else:
            known[i] = all(self._computable(a, known) for a in step.args.values())
        return known[i]


class Names:
    """What the source of one file calls the values of its expressions."""

    def __init__(self, tree: ast.AST, *, named: bool) -> None:
        """``named``: whether an expression in it names one in itself."""
        self._assigned: dict[int, str] = {}
        pending: list[tuple[ast.AST, str]] = [(tree, "")]
        while pending:
            node, function = pending.pop()
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                function = node.name
            elif isinstance(node, ast.Assign):
                for target in node.targets:
                    if isinstance(target, (ast.Name, ast.Attribute)):
                        self._assigned[id(node.value)] = ast.unparse(target)
            elif isinstance(node, (ast.AnnAssign, ast.NamedExpr)) and node.value is not None:
                self._assigned[id(node.value)] = ast.unparse(node.target)
            elif isinstance(node, ast.Return) and node.value is not None and function:
                self._assigned.setdefault(id(node.value), f"{function}(...)")
            pending.extend(
                (child, function) for child in ast.iter_child_nodes(node) if named or not isinstance(child, ast.expr)
            )

    def assigned(self, node: Node) -> str:
        """The variable that a node's expression is bound to, or the function that returns it; "" if neither."""
        return self._assigned.get(id(node.site), "") if node.site is not None else ""


class Slicing:
    """Makes slices of the graph of one file. ``facts`` answers for it (see ``nanlint.hazards.facts``)."""

    def __init__(self, facts: Any) -> None:
        self.facts = facts
        #: by source and sort: each of many uses looks at the others
        self._driven: dict[tuple[int, Sort | None], bool] = {}

    @cached_property
    def names(self) -> Names:
        """What the file calls its values."""
        return Names(self.facts.source.tree, named=":=" in self.facts.source.text)

    def slice_of(self, node: Node, hazard: Hazard | None, causes: Iterable[Node] = ()) -> Slice | None:
        """The slice behind a finding at ``node``, with its ``causes``; None where nothing could be executed."""
        at = hazard.node if hazard is not None else node
        path = self.path(at, hazard.guard if hazard is not None else None)
        ends = self.ends(path, hazard.guard if hazard is not None else None)
        if not known(at) or at.op in MASKS:
            return None
        guards = {n.index: list(guards_of(n)) for n in (at, *ends)}
        steps, index = self.steps([at, *ends, *(cond for known in guards.values() for cond, _ in known)])
        causes = [cause for cause in causes if cause.index in index]
        places = {}
        for n in (at, *path):
            span = self.facts.span(n)
            if span is not None and n.index in index:
                places[index[n.index]] = (span.row, span.column, span.end_row, span.end_column)
        return Slice(
            steps,
            index[at.index],
            tuple(index[n.index] for n in (at, *ends)),
            RUNS_IN.get(self.facts.framework(at), self.facts.framework(at)),
            self.breaking(hazard, index) if hazard is not None else None,
            hazard is not None and hazard.evidence.named,
            frozenset(index[cause.index] for cause in causes),
            frozenset(index[cause.index] for cause in causes if self.overflows(cause)),
            {
                index[node]: tuple((index[cond.index], holds) for cond, holds in found if cond.index in index)
                for node, found in guards.items()
                if found
            },
            places,
        )

    def overflows(self, node: Node) -> bool:
        """Whether an operation is known to make an infinity of numbers that are too large for it."""
        evidence = self.facts.value(node).evidence("pinf")
        return evidence is not None and evidence.origin is Origin.OVERFLOW and evidence.node is node

    def at_place(self, node: Node) -> Slice | None:
        """The slice that computes ``node`` and goes no further."""
        if not known(node):
            return None
        steps, _ = self.steps([node])
        framework = self.facts.framework(node)
        return Slice(steps, 0, (0,), RUNS_IN.get(framework, framework))

    # ── which nodes ─────────────────────────────────────────────────────────────────────────────────────────────────

    def steps(self, roots: list[Node]) -> tuple[tuple[Step, ...], dict[int, int]]:
        """The steps that compute the roots, and the number of each node's step."""
        nodes: list[Node] = []
        index: dict[int, int] = {}
        same: dict[tuple[str, int], int] = {}
        for number, node in self.collect(roots).items():
            known = identity(node)
            if known is None or known not in same:
                nodes.append(node)
            index[number] = len(nodes) - 1 if known is None else same.setdefault(known, len(nodes) - 1)
        return tuple(self.step(node, index) for node in nodes), index

    def collect(self, roots: list[Node]) -> dict[int, Node]:
        """The roots and what they are computed from, nearest first."""
        found = {root.index: root for root in roots}
        pending = deque(roots)
        while pending and len(found) < MAX_STEPS:
            node = pending.popleft()
            for _, operand in operands(node):
                if operand.index not in found:
                    found[operand.index] = operand
                    pending.append(operand)
        return found

    def path(self, at: Node, guard: Node | None) -> list[Node]:
        """The uses of an op, one after the other, through the selection that hides it, as far as they go."""
        start = guard if guard is not None else at
        before: dict[int, Node | None] = {start.index: None}
        pending = deque([(start, 0)])
        last = start
        while pending and len(before) < MAX_SEEN:
            current, steps = pending.popleft()
            last = current
            for user in current.users if steps < MAX_FORWARD else ():
                if user.index not in before and carries(user, current):
                    before[user.index] = current
                    pending.append((user, steps + 1))
        path: list[Node] = []
        current_or_none: Node | None = last
        while current_or_none is not None and current_or_none is not start:
            path.append(current_or_none)
            current_or_none = before[current_or_none.index]
        if guard is not None:
            path.append(guard)
        return [n for n in reversed(path) if not isinstance(n.site, ast.stmt) and n.op != REFINE and self.name(n)]

    def ends(self, path: list[Node], guard: Node | None) -> list[Node]:
        """Where the result is observed: the selection that hides it, variables it flows into, the last use."""
        named = [n for n in path[:-1] if self.names.assigned(n)]
        chosen = [*([guard] if guard is not None else []), *named[:2], *path[-1:]]
        return [n for i, n in enumerate(chosen) if n not in chosen[:i]]

    # ── one step ────────────────────────────────────────────────────────────────────────────────────────────────────

    def step(self, node: Node, index: Mapping[int, int]) -> Step:
        needed = operands(node)
        args = {name: index[operand.index] for name, operand in needed if operand.index in index}
        sort = sort_of(node) if len(args) == len(needed) else Sort.COMPUTED
        op = "object" if node.op in OBJECTS else node.op if sort is None else "source"
        attrs = {k: v for k, v in node.attrs.items() if k in MEANING and plain(v)}
        spelling = node.spelling.name if node.spelling is not None else None
        if op in ("source", "object"):
            args = {}
        return Step(op, args, attrs, spelling, self.name(node, sort), self.domain(node, sort), sort)

    def name(self, node: Node, sort: Sort | None = None) -> str:
        """What the source calls a node: its variable, or its text; of a layer the weights that its result may be."""
        if node.op in (PARAM, LOOP):
            return node.name
        # what a derivative is taken with respect to is called what the function is given
        if node.op == "tensor" and node.spelling is None and "x" in node.args:
            return self.name(node["x"], sort)
        if sort is Sort.LAYER:
            return weights(node)
        if sort is Sort.ATTRIBUTE and (text := self.facts.text(node)):
            return str(text)
        if isinstance(node.site, ast.stmt):
            return target(node.site)
        variable = node.attrs.get("variable") if not node.attrs.get("held") else None
        function = node.name if node.op == CALL else ""
        if not variable and function.isidentifier() and not self.facts.text(node).startswith(function):
            return function
        return str(variable or self.names.assigned(node) or changed(node) or self.facts.text(node) or written(node))

    def domain(self, node: Node, sort: Sort | None = None) -> Domain:
        """What is known of a node as a source."""
        if node.op == CONST:
            return Domain()
        v: Value = self.facts.value(node)
        used = node
        while used.op in ("finfo_eps", "neg") and used.users:
            # the limits of an unknown format are those of what they bound
            used = used.users[0]
        fmt = self.facts.value(used).format.name if node.op == "finfo_eps" else v.format.name
        default = node.get("default") if node.op == PARAM else None
        number = default.attrs.get("value") if default is not None and default.op == CONST else None
        annotation = node.attrs.get("annotation")
        boolean = isinstance(number, bool) or annotation == "bool"
        excluded = frozenset(c for c in (*CLASSES, "low", "high") if v.reach(c) is NEVER)
        lo, hi, counted = (v.lo, v.hi, False) if sort is None else bounds(node, v.lo, v.hi)
        setting = sort is Sort.ATTRIBUTE and is_setting(node)
        return Domain(
            0.0 if boolean else 1.0 if sort is Sort.SIZE else lo,
            1.0 if boolean else hi,
            excluded,
            (v.whole and sort is not Sort.TRAINED) or boolean or annotation == "int" or sort is Sort.SIZE,
            v.kind is Kind.SCALAR or boolean or sort is Sort.SIZE or setting,
            fmt if fmt in FORMATS else "float32",
            float(number) if isinstance(number, (int, float)) and not boolean else None,
            without_gradient(called(node)) or not self.facts.gradient.learns(node, believed=True),
            counted,
            self.is_driven(node, sort),
        )

    def is_driven(self, node: Node, sort: Sort | None) -> bool:
        """Whether training drives a source to where functions saturate."""
        known = node.index, sort
        if known not in self._driven:
            self._driven[known] = driven(node, sort)
        return self._driven[known]

    def breaking(self, hazard: Hazard, index: Mapping[int, int]) -> Breaking | None:
        """Where the pole is met, by the number of its step."""
        pole = hazard.pole
        operand = index.get(hazard.operand.index)
        if operand is None:
            return None
        also = tuple(
            (index[hazard.node[name].index], shift, cls)
            for name, shift, cls in ((*shifted(other), cls) for other, cls in pole.also)
            if name in hazard.node.args and hazard.node[name].index in index
        )
        return Breaking(
            operand,
            pole.shift,
            pole.cls,
            pole.gives,
            pole.gradient,
            hazard.guard is not None,
            hazard.value.lo,
            hazard.value.hi,
            also,
            index.get(hazard.evidence.node.index) if hazard.evidence.node is not None else None,
        )


def guards_of(node: Node) -> Iterator[tuple[Node, bool]]:
    """The conditions of the path to a node that numbers decide, and whether each holds: early returns, raises, ifs."""
    for key, known in node.facts.items():
        for said, cond in known:
            if said in TRUTHS and cond.key == key and decidable(cond):
                yield cond, said == TRUE


def changed(node: Node) -> str:
    """The variable that a node's expression writes in place: what it holds from then on; "" if it writes none."""
    if node.spelling is None or not node.spelling.in_place or not isinstance(node.site, ast.Call):
        return ""
    if node.spelling.is_method:
        return ast.unparse(changed_in_place(node.site.func.value)) if isinstance(node.site.func, ast.Attribute) else ""
    return ast.unparse(node.site.args[0]) if node.site.args else ""


def written(node: Node) -> str:
    """A node of another file as it is written there."""
    return brief(ast.unparse(node.external_site), LONGEST) if isinstance(node.external_site, ast.expr) else node.op


def target(statement: ast.stmt) -> str:
    """The variable that a statement gives a value; "" if there is not one."""
    if isinstance(statement, ast.Assign) and len(statement.targets) == 1:
        return ast.unparse(statement.targets[0])
    return ast.unparse(statement.target) if isinstance(statement, (ast.AugAssign, ast.AnnAssign)) else ""


#: frameworks that run on the arrays of another
RUNS_IN = {"keras": "tensorflow", "scipy": "numpy", "math": "numpy", "builtins": "numpy", "": "numpy"}


def identity(node: Node) -> tuple[str, int] | None:
    """What a source is one of: the same parameter, attribute or layer has the same numbers wherever it is used."""
    sort = sort_of(node)
    if sort is Sort.LAYER:
        return sort.value, node["layer"].index
    return (sort.value, node.key) if sort in (Sort.PARAMETER, Sort.ATTRIBUTE) else None


def weights(node: Node) -> str:
    """The weights of a layer that its result is, where all others are 0: its bias, or the ones that it has."""
    layer = node.get("layer")
    site, made = node.site or node.external_site, layer.site or layer.external_site if layer is not None else None
    applied = site is not made and isinstance(site, ast.Call)
    text = ast.unparse(site.func if applied and isinstance(site, ast.Call) else site) if site is not None else "layer"
    keywords = made.keywords if isinstance(made, ast.Call) else []
    without = any((k.arg or "").endswith("bias") and getattr(k.value, "value", True) is False for k in keywords)
    return f"{text}.{node.attrs.get('weights') or ('weight' if without else 'bias')}"


def known(node: Node) -> bool:
    """Whether a node is an operation that can be executed."""
    return sort_of(node) is None and node.op not in OBJECTS and node.op != CONST


def operands(node: Node) -> list[tuple[str, Node]]:
    """What a node is computed from; nothing for a source, and not the axes, which are always the one of the row."""
    return [(name, a) for name, a in read(node) if not is_branching(node, name) or decidable(a)]


def read(node: Node) -> list[tuple[str, Node]]:
    """Operands of an operation whose numbers it reads, some of them to take one of two ways."""
    if sort_of(node) is not None or node.op in OBJECTS:
        return []
    unread = {"axis", "layer", "dtype", "index"} if node.op == "view" else {"axis", "layer", "dtype"}
    return [(name, a) for name, a in node.args.items() if name not in unread]


def is_branching(node: Node, operand: str) -> bool:
    """Whether an operand is the condition by which one of two ways is taken."""
    return node.op == PHI and operand == "cond"


def carries(user: Node, node: Node) -> bool:
    """Whether a user's result holds what the node holds, so that the node's fate can be seen in it."""
    op = OPS.get(user.op)
    if user.get("cond") is node or user.get("index") is node:
        return False
    if op is None:
        return user.op in (PHI, REFINE, LOOP)
    return not op.stops_gradient and sort_of(user) is None and user.op not in ("list", "append", "nan_to_num")


def plain(value: object) -> bool:
    """Whether an attribute can be written down."""
    return value is None or isinstance(value, (bool, int, float, str))


def exact(program: Slice, root: int) -> bool:
    """Whether rows tell all that the program's own arrays could: each element by itself, and along one axis once."""
    ops = [program.steps[i].op for i in program.upstream(root)]
    pointwise = [op in ELEMENTWISE or (op in OPS and OPS[op].pointwise) for op in ops]
    return pointwise.count(False) <= 1 and all(p or op in ALONG_AN_AXIS for op, p in zip(ops, pointwise, strict=True))


#: steps that give each element by itself, beside the ops that are said to
ELEMENTWISE = frozenset({"source", CONST, REFINE, "zeros", "ones", "full", "cast"})
#: ops that look at all elements along an axis
ALONG_AN_AXIS = frozenset(["softmax", "log_softmax", "logsumexp", "sum", "mean", "max", "min", "any", "all"])


def choices(program: Slice, root: int) -> Iterator[int]:
    """Steps where a way has to be chosen: branches no number decides, turns of loops, elements taken, a matrix."""
    for i in program.upstream(root):
        step = program.steps[i]
        branch = step.op == PHI and "cond" not in step.args
        if branch or step.op in (LOOP, "dot") or counts(step) or (step.op == "part" and unknown_place(program, step)):
            yield i


def counts(step: Step) -> bool:
    """Whether a step is the number of a loop's turn."""
    return step.op == "range" or (step.op == "arange" and bool(step.attrs.get("scalar")))


def decidable(cond: Node) -> bool:
    """Whether numbers decide a condition: it is no flag, and no string, object or test of identity is in it.

    Conditions of the branches behind it are left out: each is decidable or not by itself, or, in a loop, is this one.
    """
    for node in walk(cond, lambda n: [a for name, a in read(n) if not is_branching(n, name)], MAX_STEPS):
        if node.op == CONST and not isinstance(node.attrs.get("value"), (int, float)):
            return False
        sort = sort_of(node)
        if node.op in OBJECTS or sort is Sort.COMPUTED or (node is cond and sort is not None) or is_member(node):
            return False
    return True


#: ops whose result is a condition on elements
MASKS = CONDITIONS | {"isnan", "isinf", "isfinite", "isclose"}


def unknown_place(program: Slice, step: Step) -> bool:
    """Whether it is not known which elements an index takes."""
    index = step.args.get("index")
    if index is None:
        return False
    chosen = last_index(program, program.steps[index])
    if chosen.op in MASKS or is_mask(chosen):
        return False
    return not (chosen.op == "slice" or (chosen.op == CONST and chosen.attrs.get("value") is not None))


def is_mask(step: Step) -> bool:
    """Whether an index is a mask that was given."""
    return step.sort is not None and (step.domain.lo, step.domain.hi) == (0.0, 1.0)


def last_index(program: Slice, index: Step) -> Step:
    """Of a tuple of indices the one of the last axis; of a mask in another type or shape the mask."""
    while index.args and (index.op == TUPLE or (index.op in ("view", "cast") and given_mask(program, index))):
        index = program.steps[list(index.args.values())[-1]]
    return index


def given_mask(program: Slice, step: Step) -> bool:
    """Whether a view or cast is one of a mask that was given, or of a condition."""
    while step.op in ("view", "cast"):
        step = program.steps[step.args["x"]]
    return is_mask(step) or step.op in MASKS
