"""The expressions of a file by their place, and how they are written: for those who tell of them."""

from __future__ import annotations

import ast
import math
from collections.abc import Iterator
from typing import cast

from nanlint.diagnostic import Annotation, Span
from nanlint.graph.conditions import OUTSIDE
from nanlint.graph.node import ATTR, CALL, DICT, LOOP, PARAM, PHI, REFINE, TUPLE, Node
from nanlint.hazards.facts import Facts
from nanlint.ops.op import OPS
from nanlint.ops.value import NEVER, Value
from nanlint.source.brief import brief
from nanlint.source.discovery import shown_path
from nanlint.source.text import Located

#: nodes that are sources or turns of the graph, and no ops of the catalogue
SOURCES = {
    PARAM: "parameter",
    ATTR: "attribute",
    CALL: "call of an unknown function",
    PHI: "branches meet",
    LOOP: "loop variable",
    REFINE: "condition",
}
#: nodes that hold others
HOLDERS = frozenset({TUPLE, DICT, "list"})
COMPARED = {"eq": "==", "ne": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">="}


def is_told(node: Node) -> bool:
    """Whether there is something to tell of a node: an op, a source, a condition; nothing that only holds others."""
    return node.op not in HOLDERS and (node.op in OPS or node.op in SOURCES)


def is_numeric(node: Node) -> bool:
    """Whether a node is an operation on numbers."""
    return node.op in OPS and node.op not in HOLDERS and node.framework != "builtins"


def nodes_at(facts: Facts, row: int, column: int) -> list[Node]:
    """The nodes of the smallest expression around a position; several where it was lowered in several calls.

    Of a name that is bound there, those of its value.
    """
    bound = bound_at(facts, row, column)
    around: dict[Span, list[Node]] = {}
    for span, nodes in places(facts):
        if span == bound or (bound is None and encloses(span, row, column)):
            around.setdefault(span, []).extend(filter(is_told, nodes))
    found = [span for span, nodes in around.items() if nodes]
    return around[min(found, key=lambda span: extent(facts, span))] if found else []


def bound_at(facts: Facts, row: int, column: int) -> Span | None:
    """The value that the name at a place is bound to, if an assignment binds it there."""
    for node in ast.walk(facts.source.tree):
        if isinstance(node, ast.Assign | ast.AnnAssign | ast.NamedExpr) and node.value is not None:
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            names = (facts.span_of(one) for one in targets if isinstance(one, ast.Name))
            if any(span is not None and encloses(span, row, column) for span in names):
                return facts.span_of(node.value)
    return None


def nodes_of_line(facts: Facts, row: int) -> list[list[Node]]:
    """The numeric expressions of a line, in order; those that can break, if any can. Each may have several nodes."""
    numeric: dict[Span, list[Node]] = {}
    for span, nodes in places(facts):
        if span.row == row and (own := [n for n in nodes if is_numeric(n) and facts.span(n) == span]):
            numeric.setdefault(span, []).extend(own)
    breaking = {span: nodes for span, nodes in numeric.items() if any(OPS[n.op].breaks for n in nodes)}
    return [nodes for _, nodes in sorted((breaking or numeric).items())]


def places(facts: Facts) -> Iterator[tuple[Span, list[Node]]]:
    """Expressions with their nodes: those that were asked to be remembered, and those of ops."""
    for e, readings in facts.lowering.readings.items():
        if (span := facts.span_of(e)) is not None:
            yield span, [node for _, node in readings]
    for node in facts.lowering.graph:
        span = facts.span(node)
        if span is not None and node.op != REFINE and isinstance(node.site, (ast.expr, ast.AugAssign, ast.arg)):
            yield span, [node]


def encloses(span: Span, row: int, column: int) -> bool:
    """Whether a position is in a span, or right behind it."""
    return (span.row, span.column) <= (row, column) <= (span.end_row, span.end_column)


def extent(facts: Facts, span: Span) -> int:
    return len(facts.source.segment(span))


def written(facts: Facts, node: Node) -> str:
    """A node as it is written, on one line and short; of a condition what holds."""
    span, site = facts.span(node), node.site
    if node.op == REFINE:
        return condition(facts, node)
    if span is None or isinstance(site, ast.arg) or node.op == LOOP:
        return node.name
    text = facts.source.segment(span)
    if isinstance(site, ast.AnnAssign) and site.value is None:
        text = ast.unparse(site.target)
    elif isinstance(site, ast.FunctionDef | ast.AsyncFunctionDef):
        # what it returns
        text = f"{site.name}(...)"
    elif isinstance(site, ast.If):
        text = f"if {ast.unparse(site.test)}"
    elif isinstance(site, ast.expr) and "#" in text:
        # without the comments between its lines
        text = ast.unparse(site)
    return brief(text)


def elsewhere(facts: Facts, node: Node, text: str) -> Annotation | None:
    """The place of a node in another file of the project, with its lines; None if it has none."""
    site, view = node.external_site, facts.lowering.view
    home = facts.lowering.graph.file_of(site)
    source = view.sources.get(home) if view is not None and home is not None else None
    if source is None or not hasattr(site, "lineno"):
        return None
    span = source.span(cast(Located, site))
    lines = tuple((row, source.lines[row - 1]) for row in span.shown_rows)
    return Annotation(span, text, shown_path(source.path), lines)


def condition(facts: Facts, node: Node) -> str:
    """What a condition says: "n > 0"."""
    x, by = facts.bare(node["x"]), node["by"]
    if node.attrs["cmp"] == OUTSIDE:
        lo, hi = (facts.value(end).constant for end in by.args.values())
        return f"{written(facts, x)} is not between {lo:g} and {hi:g}"
    number = facts.value(by).constant
    other = shown(number) if number is not None else written(facts, by)
    return f"{written(facts, x)} {COMPARED.get(node.attrs['cmp'], node.attrs['cmp'])} {other}".strip()


def shown(number: float) -> str:
    """A number as one writes it."""
    whole = math.isfinite(number) and number == int(number) and abs(number) < 1e6
    return str(int(number)) if whole else f"{number:.3g}"


def interval(v: Value) -> str:
    """The range as one writes it: an end that is not attained has a round bracket."""
    if v.constant is not None:
        return shown(v.constant)
    opening = "(" if (v.ninf if v.lo == -math.inf else v.low) is NEVER else "["
    closing = ")" if (v.pinf if v.hi == math.inf else v.high) is NEVER else "]"
    return f"{opening}{shown(v.lo)}, {shown(v.hi)}{closing}"
