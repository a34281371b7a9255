"""A function as a picture: its steps as boxes, who feeds whom as arrows, findings marked. It is drawn elsewhere."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from nanlint.analysis.selections import NOT_DATA
from nanlint.diagnostic import Diagnostic
from nanlint.graph.node import CONST, DICT, LOOP, PARAM, REFINE, TUPLE, Node, walk_all
from nanlint.hazards.facts import Facts
from nanlint.hazards.record import Hazard
from nanlint.hazards.story import Step, is_step, step_of
from nanlint.ops.op import OPS
from nanlint.ops.value import Reach
from nanlint.source.syntax import definitions

FunctionAst = ast.FunctionDef | ast.AsyncFunctionDef

#: operands that are drawn beside the data
CONTROL = frozenset({"cond"})


@dataclass(frozen=True, eq=False)
class Box:
    """A step with what is to be marked on it: the hazards met there, the findings told of it, how bad what it gives is.

    ``worst`` is the reach of the worst of nan and the infinities; ``cause`` whether a finding elsewhere names it.
    ``callers``: the rows of the calls behind which it stands, outermost first; none in the function drawn.
    """

    name: str
    step: Step
    worst: Reach
    hazards: tuple[Hazard, ...]
    findings: tuple[Diagnostic, ...]
    cause: bool
    callers: tuple[int, ...]
    returned: bool


@dataclass(frozen=True)
class Arrow:
    """From a box to one that it feeds, as which operand; of a loop's variable from one turn to the next (``back``)."""

    tail: str
    head: str
    operand: str
    back: bool = False


@dataclass(frozen=True, eq=False)
class Picture:
    """The boxes of a function in order of evaluation, and the arrows between them."""

    title: str
    boxes: tuple[Box, ...]
    arrows: tuple[Arrow, ...]


def functions(tree: ast.Module) -> dict[str, FunctionAst]:
    """Every function by its qualified name: ``function``, ``Class.method``, ``outer.inner``."""
    return {name: d for name, d in definitions(tree) if not isinstance(d, ast.ClassDef)}


def draw(facts: Facts, function: FunctionAst | None, title: str, shown: Sequence[Diagnostic]) -> Picture:
    """The picture of a function, or of the module level; ``shown`` are the findings of the file."""
    inside, alone = nodes_inside(facts, function)
    results = list(returns(facts, function, alone))
    returned = {n.index for n in results}
    ends = [*results, *(n for n in inside if breaks(n))]
    roots = ends if returned else [*ends, *(n for n in inside if is_end(n))]
    wanted = list(walk_all(roots, lambda n: (a for name, a in n.args.items() if drawn(name))))
    kept = {n.index for n in wanted if is_step(facts, n) and (n.op != CONST)}
    hazards: dict[int, list[Hazard]] = {}
    for hazard in facts.all_hazards():
        hazards.setdefault(hazard.node.index, []).append(hazard)
    names: dict[int, str] = {}
    boxes: dict[str, Box] = {}
    for node in sorted(wanted, key=lambda n: n.index):
        step = step_of(facts, node) if node.index in kept else None
        if step is None:
            continue
        name = names[node.index] = identity(node)
        if name in boxes:
            continue
        boxes[name] = Box(
            name=name,
            step=step,
            worst=max(step.value.reach(cls) for cls in ("ninf", "pinf", "nan")),
            hazards=tuple(hazards.get(node.index, ())),
            findings=tuple(d for d in shown if d.span == step.span or (d.probe and d.probe.span == step.span)),
            cause=any(c.span == step.span for d in shown for c in d.causes_here),
            callers=tuple(span.row for span in step.called[len(alone) :]),
            returned=node.index in returned,
        )
    arrows = dict.fromkeys(arrow for node in wanted for arrow in arrows_into(node, names))
    return Picture(title, tuple(boxes.values()), tuple(a for a in arrows if a.tail != a.head))


def rows_of(function: FunctionAst | None, facts: Facts) -> range:
    """The rows of a function, or of the whole file."""
    if function is None:
        return range(1, len(facts.source.lines) + 1)
    return range(function.lineno, (function.end_lineno or function.lineno) + 1)


def nodes_inside(facts: Facts, function: FunctionAst | None) -> tuple[list[Node], tuple[ast.AST, ...]]:
    """The nodes of one activation of a function, and its calls: none, unless it is only ever seen called."""
    rows = rows_of(function, facts)
    inner = [] if function is not None else [rows_of(f, facts) for f in functions(facts.source.tree).values()]
    found = [
        n
        for n in facts.lowering.graph
        if (row := getattr(n.site, "lineno", 0)) in rows and not any(row in other for other in inner)
    ]
    alone = min((n.calls for n in found if n.op in OPS), key=len, default=())
    return [n for n in found if n.calls == alone], alone


def returns(facts: Facts, function: FunctionAst | None, calls: tuple[ast.AST, ...]) -> Iterator[Node]:
    """What a function returns, in the activation behind some calls."""
    pending: list[ast.AST] = list(function.body) if function is not None else []
    while pending:
        s = pending.pop()
        if isinstance(s, ast.Return) and s.value is not None:
            for behind, node in facts.lowering.readings.get(s.value, ()):
                if behind == calls:
                    yield from leaves(node)
        elif not isinstance(s, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.expr):
            pending.extend(ast.iter_child_nodes(s))


def leaves(node: Node) -> Iterator[Node]:
    """A node, or the elements of a tuple or dict that it is."""
    if node.op in (TUPLE, DICT):
        for inner in node.args.values():
            yield from leaves(inner)
    else:
        yield node


def is_end(node: Node) -> bool:
    """Whether a node is an op that nothing uses, and more than a look at another."""
    op = OPS.get(node.op)
    return op is not None and not node.users and not op.stops_gradient


def breaks(node: Node) -> bool:
    """Whether a node's op has poles."""
    op = OPS.get(node.op)
    return op is not None and op.breaks


def drawn(operand: str) -> bool:
    """Whether arrows are drawn for an operand: data and conditions, no axes, no defaults."""
    return operand in CONTROL or operand not in (*NOT_DATA, "by", "default", "base", "layer")


def identity(node: Node) -> str:
    """The name of a node's box: conditions that say the same of the same are one."""
    if node.op == REFINE:
        return f"r{node['x'].index}_{node.attrs['cmp']}_{node['by'].key}"
    return f"n{node.index}"


def arrows_into(node: Node, names: dict[int, str]) -> Iterator[Arrow]:
    """The arrows to a box, from the nearest boxes behind what is not drawn."""
    head = names.get(node.index)
    if head is None:
        return
    data = [name for name, operand in node.args.items() if drawn(name) and list(sources(operand, names))]
    for name in data:
        label = name if len(data) > 1 and node.op not in (PARAM, LOOP) and not name.startswith("arg") else ""
        for tail in sources(node.args[name], names):
            yield Arrow(tail, head, label, back=name == "back")


def sources(node: Node, names: dict[int, str], depth: int = 6) -> Iterator[str]:
    """The boxes that stand for a node: its own, or those of what it holds."""
    if node.index in names:
        yield names[node.index]
    elif depth and node.op != CONST:
        for name, operand in node.args.items():
            if drawn(name):
                yield from sources(operand, names, depth - 1)
