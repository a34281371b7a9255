"""The story of an expression: the steps from the inputs to it, what is believed of each, and what comes of its poles.

Pure answers for those who show them: the command line, the editor, the picture of a function. Nothing is judged here.
"""

from __future__ import annotations

import ast
import math
from collections import deque
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from nanlint.analysis.gradient import Flow
from nanlint.analysis.selections import NOT_DATA
from nanlint.diagnostic import Span
from nanlint.graph.conditions import OUTSIDE
from nanlint.graph.node import (
    ATTR,
    CALL,
    CLASS,
    CONST,
    DICT,
    FUNCTION,
    LOOP,
    MODULE,
    PARAM,
    PHI,
    REFINE,
    TUPLE,
    Node,
)
from nanlint.graph.written import written_operands
from nanlint.hazards.facts import Facts
from nanlint.hazards.record import Cleared, Hazard
from nanlint.ops.op import OPS
from nanlint.ops.value import NEVER, POSSIBLE, Evidence, Reach, Value

#: the classes of health, in the order of the number line
CLASSES = ("ninf", "neg", "zero", "pos", "pinf", "nan")
#: how they are written
SIGNS = {"ninf": "-inf", "neg": "< 0", "zero": "0", "pos": "> 0", "pinf": "+inf", "nan": "nan"}
#: steps that are told of one expression
MAX_STEPS = 12
#: nodes that are sources or turns of the graph, and no ops of the catalogue
SOURCES = {
    PARAM: "parameter",
    ATTR: "attribute",
    CALL: "call of an unknown function",
    CONST: "number",
    PHI: "branches meet",
    LOOP: "loop variable",
    REFINE: "condition",
}
#: nodes that hold others and are no step themselves
HOLDERS = frozenset({TUPLE, DICT, "list"})
#: ops by which authors keep numbers away from where an op breaks
GUARDS = frozenset({"add", "clamp", "maximum", "minimum", "where", "nan_to_num", "without_nan", "abs", PHI, REFINE})
COMPARED = {"eq": "==", "ne": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">="}


@dataclass(frozen=True, eq=False)
class Belief:
    """Why a class of numbers is reached: how sure, the evidence, and the place that it speaks of."""

    cls: str
    reach: Reach
    evidence: Evidence | None
    span: Span | None

    @property
    def basis(self) -> str:
        """What the belief rests on: "derived" from what ops do, "named" by a name, or "none"."""
        return "none" if self.evidence is None else "named" if self.evidence.named else "derived"


@dataclass(frozen=True, eq=False)
class Step:
    """One step of the chain: where it stands, what op it is, how it is spelled, what is believed of its result.

    ``sort`` is the op, or what else it is (a parameter, a call of an unknown function). ``spelling`` is the dotted name
    of the function, empty for an operator. ``guards``: the classes that it rules out, which what it is made from may be
    in. ``condition``: what holds here, of a step that is a condition. ``obstacle``: what keeps gradients from flowing
    through it, None where they may; ``doubt``: why it is believed that none does. ``called``: the places of the calls
    through which it is reached.
    """

    node: Node
    span: Span
    text: str
    sort: str
    spelling: str
    framework: str
    value: Value
    beliefs: tuple[Belief, ...]
    guards: tuple[str, ...]
    condition: str
    obstacle: str | None
    doubt: str | None
    called: tuple[Span, ...]

    @property
    def is_op(self) -> bool:
        """Whether the step is an op of the catalogue."""
        return self.node.op in OPS

    @property
    def gradient(self) -> str:
        """Whether a gradient flows through it, as a phrase."""
        if self.obstacle is not None:
            return f"no gradient: {self.obstacle}"
        return "gradient flows" if self.doubt is None else f"gradient uncertain: {self.doubt}"


@dataclass(frozen=True, eq=False)
class Story:
    """All that is known of an expression: the steps from the inputs, itself last; ``left_out`` others are farther off.

    ``poles``: what comes of each place where the op breaks. ``operands``: the source of the op's operands, by name.
    ``void``: guards that do not guard, with why.
    """

    steps: tuple[Step, ...]
    left_out: int
    poles: tuple[Hazard | Cleared, ...]
    operands: Mapping[str, str]
    void: tuple[tuple[Step, str], ...]

    @property
    def step(self) -> Step:
        """The expression itself."""
        return self.steps[-1]


# Places


def nodes_at(facts: Facts, row: int, column: int) -> list[Node]:
    """The nodes of the smallest expression around a position; several where it was lowered in several calls.

    The name of a module, class or function has no story: at ``torch`` in ``torch.log(p)`` it is that of the call.
    """
    found = [
        (span, nodes)
        for span, nodes in places(facts)
        if encloses(span, row, column) and not all(node.op in (MODULE, CLASS, FUNCTION) for node in nodes)
    ]
    if not found:
        return []
    smallest = min((extent(span) for span, _ in found))
    return [node for span, nodes in found if extent(span) == smallest for node in nodes]


def nodes_of_line(facts: Facts, row: int) -> list[list[Node]]:
    """The numeric expressions of a line, in order; those that can break, if any can. Each may have several nodes."""
    numeric: dict[Span, list[Node]] = {}
    for span, nodes in places(facts):
        ops = [node for node in nodes if is_numeric(node)]
        own = [node for node in ops if facts.span(node) == span]
        if own and span.row == row:
            numeric.setdefault(span, []).extend(own)
    breaking = {span: nodes for span, nodes in numeric.items() if any(OPS[n.op].breaks for n in nodes)}
    return [breaking[span] for span in sorted(breaking)] or [numeric[span] for span in sorted(numeric)]


def is_numeric(node: Node) -> bool:
    """Whether a node is an operation on numbers."""
    return node.op in OPS and node.op not in HOLDERS and node.framework != "builtins"


def places(facts: Facts) -> Iterator[tuple[Span, list[Node]]]:
    """Expressions with their nodes: those that were asked to be remembered, and those of ops."""
    for e, readings in facts.lowering.readings.items():
        span = facts.span_of(e)
        if span is not None:
            yield span, [node for _, node in readings]
    for node in facts.lowering.graph:
        span = facts.span(node)
        if span is not None and node.op != REFINE and isinstance(node.site, (ast.expr, ast.AugAssign, ast.arg)):
            yield span, [node]


def encloses(span: Span, row: int, column: int) -> bool:
    """Whether a position is in a span, or right behind it."""
    return (span.row, span.column) <= (row, column) <= (span.end_row, span.end_column)


def extent(span: Span) -> tuple[int, int]:
    """A size by which spans around one position compare."""
    rows = span.end_row - span.row
    return rows, span.end_column - span.column if not rows else span.end_column


# The story


def tell(facts: Facts, node: Node) -> Story:
    """The story of one node."""
    chain, left_out = behind(facts, node)
    poles = (*facts.hazards.weighed(node), *facts.hazards.traps_of(node))
    steps = {(n.key, n.op, facts.span(n)): step for n in chain if (step := step_of(facts, n)) is not None}
    void = ((step, one.why) for one in facts.epsilons(node) if (step := step_of(facts, one.number)) is not None)
    return Story(tuple(steps.values()), left_out, poles, dict(operands(facts, node)), tuple(void))


def operands(facts: Facts, node: Node) -> Iterator[tuple[str, str]]:
    """The operands of an op as its expression writes them."""
    for name, e in written_operands(node):
        span = facts.span_of(e)
        if span is not None:
            yield name, " ".join(facts.source.segment(span).split())


def behind(facts: Facts, node: Node) -> tuple[list[Node], int]:
    """What a node is computed from, in order of evaluation, the nearest and what brings its evidence about.

    And how many steps are farther off.
    """
    found: list[Node] = []
    pending, seen = deque([node]), {node.index}
    while pending:
        current = pending.popleft()
        if is_step(facts, current) or current is node:
            found.append(current)
        for name, operand in current.args.items():
            if name not in (*NOT_DATA, "by", "default", "base") and operand.index not in seen:
                seen.add(operand.index)
                pending.append(operand)
    telling = {
        e.node.index for n in (node, *node.args.values()) for e in facts.value(n).why.values() if e.node is not None
    }
    nearest = [*found[:MAX_STEPS], *(n for n in found[MAX_STEPS:] if n.index in telling)]
    in_order = sorted((n for n in nearest if n is not node), key=lambda n: n.index)
    return [*in_order, node], len(found) - len(nearest)


def is_step(facts: Facts, node: Node) -> bool:
    """Whether a node is worth a line: an op, a source, a condition; no literal, and nothing that only holds others."""
    if node.op in HOLDERS or node.op == CONST or facts.span(node) is None:
        return False
    return node.op in OPS or node.op in SOURCES


def step_of(facts: Facts, node: Node) -> Step | None:
    """One step; None for what has no place in the source."""
    span = facts.span(node)
    if span is None:
        return None
    v, judged = facts.value(node), facts.gradient.judge(node)
    spelling = node.spelling.name if node.spelling is not None else ""
    return Step(
        node=node,
        span=span,
        text=written(facts, node, span),
        sort=node.op if node.op in OPS else SOURCES.get(node.op, node.op),
        spelling=spelling,
        framework=facts.framework(node),
        value=v,
        beliefs=tuple(beliefs(facts, v)),
        guards=tuple(ruled_out(facts, node, v)),
        condition=condition(facts, node),
        obstacle=judged.why if judged.flow is Flow.NO else None,
        doubt=judged.why if judged.flow is Flow.DOUBTFUL else None,
        called=tuple(place for call in node.calls if (place := facts.span_of(call)) is not None),
    )


def written(facts: Facts, node: Node, span: Span) -> str:
    """A node's source on one line."""
    if isinstance(node.site, ast.arg):
        return node.site.arg
    if isinstance(node.site, ast.AnnAssign) and node.site.value is None:
        return ast.unparse(node.site.target)
    if node.op == LOOP and node.name:
        return node.name
    if isinstance(node.site, ast.If):
        return f"if {ast.unparse(node.site.test)}"
    text = facts.source.segment(span)
    if isinstance(node.site, ast.expr) and "#" in text and "\n" in text:
        # without the comments between its lines
        return ast.unparse(node.site)
    return " ".join(text.split())


def beliefs(facts: Facts, v: Value) -> Iterator[Belief]:
    """Of each class that is believed to be reached how sure and why."""
    for cls in CLASSES:
        if v.reach(cls) >= POSSIBLE:
            evidence = v.evidence(cls)
            place = facts.span(evidence.node) if evidence is not None and evidence.node is not None else None
            yield Belief(cls, v.reach(cls), evidence, place)


def ruled_out(facts: Facts, node: Node, v: Value) -> Iterator[str]:
    """The classes that a guard rules out, of those that what it guards may be in."""
    if node.op not in GUARDS:
        return
    guarded = [
        w
        for name, a in node.args.items()
        if name in ("x", "a", "b") and (w := facts.value(a)).constant is None and w != v
    ]
    for cls in CLASSES:
        if v.reach(cls) is NEVER and any(w.reach(cls) is not NEVER for w in guarded):
            yield cls


def condition(facts: Facts, node: Node) -> str:
    """What a condition says: "n > 0"."""
    if node.op != REFINE:
        return ""
    x, by = facts.bare(node["x"]), node["by"]
    number = facts.value(by).constant
    sign = COMPARED.get(node.attrs["cmp"], node.attrs["cmp"])
    what = x.name if x.op in (PARAM, LOOP) else facts.text(x)
    if node.attrs["cmp"] == OUTSIDE:
        lo, hi = (facts.value(end).constant for end in by.args.values())
        return f"{what} is not between {lo:g} and {hi:g}"
    other = shown(number) if number is not None else by.name if by.op in (PARAM, LOOP) else facts.text(by)
    return f"{what} {sign} {other}".strip()


def shown(number: float) -> str:
    """A number as one writes it."""
    return (
        str(int(number)) if math.isfinite(number) and number == int(number) and abs(number) < 1e6 else f"{number:.3g}"
    )


def interval(v: Value) -> str:
    """The range as one writes it: an end that is not attained has a round bracket."""
    if v.constant is not None:
        return shown(v.constant)
    opening = "(" if (v.ninf if v.lo == -math.inf else v.low) is NEVER else "["
    closing = ")" if (v.pinf if v.hi == math.inf else v.high) is NEVER else "]"
    return f"{opening}{shown(v.lo)}, {shown(v.hi)}{closing}"


def one_of(facts: Facts, nodes: list[Node]) -> Node:
    """Of the nodes of one expression the one to tell of: with the surest hazard, then reached through fewest calls."""

    def rank(node: Node) -> tuple[int, int, int]:
        met = [one.reach for one in facts.hazards.weighed(node) if isinstance(one, Hazard)]
        return -max(met, default=NEVER), len(node.calls), node.index

    return min(nodes, key=rank)
