"""``nanlint graph``: the dataflow of a function as DOT, which Graphviz lays out; findings are marked."""

from __future__ import annotations

from collections.abc import Iterator

import graphviz

from nanlint.analysis.selections import NOT_DATA
from nanlint.explaining import Drawn
from nanlint.graph.node import CONST, LOOP, PHI, REFINE, Node, reached
from nanlint.hazards.expressions import SOURCES, interval, is_told, written
from nanlint.hazards.telling import Telling
from nanlint.ops.op import OPS
from nanlint.ops.value import Reach

#: fill and border of what becomes nan or infinite: never, not known, possibly, likely, certainly
HEALTH = {
    Reach.NEVER: ("#e3f4e1", "#5b9a57"),
    Reach.UNKNOWN: ("#f6f7f9", "#9aa3ad"),
    Reach.POSSIBLE: ("#fff3c9", "#c9a227"),
    Reach.LIKELY: ("#ffd9a8", "#d9822b"),
    Reach.CERTAIN: ("#ffc2bd", "#cf3a2f"),
}
INPUT = "#dfeaf7"
FLAGGED = "#c00000"
CAUSE = "#d9822b"
FONT = "Helvetica,Arial,sans-serif"
#: operands to which no arrows are drawn: no data, and no conditions
NOT_DRAWN = frozenset({*NOT_DATA, "by", "default", "base", "layer"}) - {"cond"}


def sheet(name: str, title: str, *, rankdir: str) -> graphviz.Digraph:
    """A directed graph with nothing on it but its title."""
    graph = graphviz.Digraph(name=name)
    graph.attr(rankdir=rankdir, bgcolor="white", fontname=FONT, fontsize="16", labelloc="t", nodesep="0.35")
    graph.attr(label=title, tooltip=name, ranksep="0.45")
    graph.attr("node", shape="box", style="filled,rounded", fontname=FONT, fontsize="11", margin="0.12,0.06")
    graph.attr("edge", color="#6b7480", arrowsize="0.7", fontname=FONT, fontsize="9", fontcolor="#6b7480")
    return graph


def render_graph(drawn: Drawn) -> graphviz.Digraph:
    """The steps of a function as boxes, those of each call in a frame, and arrows from what each is computed from."""
    graph = sheet(drawn.title, graphviz.escape(drawn.title), rankdir="TB")
    steps = sorted(reached(drawn.inside, lambda n: operands(n).values()), key=lambda n: n.index)
    boxes = {n.index: box(n) for n in steps if is_told(n) and drawn.facts.span(n) is not None}
    frames: dict[str, list[Node]] = {}
    for node in steps:
        lines = ", ".join(str(getattr(call, "lineno", "?")) for call in node.calls[len(drawn.calls) :])
        frames.setdefault(f"in the call on line {lines}" if lines else "", []).append(node)
    for number, (title, inside) in enumerate(frames.items()):
        with graph.subgraph(name=f"cluster_{number}" if title else None) as frame:
            if title:
                frame.attr(
                    label=title, labeljust="l", style="rounded,dashed", color="#9aa3ad", fontsize="10", tooltip=title
                )
            for name, node in {boxes[n.index]: n for n in inside if n.index in boxes}.items():
                frame.node(name, label(drawn, node), tooltip=tooltip(drawn, node), **look(drawn, node))
    arrows = {
        (tail, boxes[node.index], name)
        for node in steps
        if node.index in boxes
        for name, operand in operands(node).items()
        for tail in tails(operand, boxes)
    }
    for tail, head, name in sorted(arrows):
        style = {"cond": {"style": "dashed"}, "back": {"style": "dotted", "constraint": "false"}}.get(name, {})
        if tail != head:
            graph.edge(tail, head, tooltip=name, **style)
    return graph


def operands(node: Node) -> dict[str, Node]:
    """What a node is drawn to be computed from: data and conditions."""
    return {name: operand for name, operand in node.args.items() if name not in NOT_DRAWN and operand.op != CONST}


def box(node: Node) -> str:
    """The name of a node's box: conditions that say the same of the same are one."""
    same = f"r{node['x'].index}_{node.attrs['cmp']}_{node['by'].key}" if node.op == REFINE else ""
    return same or f"n{node.index}"


def tails(node: Node, boxes: dict[int, str]) -> Iterator[str]:
    """The boxes that stand for a node: its own, or the nearest behind it."""
    onward = reached([node], lambda n: () if n.index in boxes else operands(n).values(), 60)
    return (boxes[n.index] for n in onward if n.index in boxes)


def label(drawn: Drawn, node: Node) -> str:
    """The source with its line, the op and its range, and what is found."""
    row, known = row_of(drawn, node), interval(drawn.facts.value(node))
    where = "" if known == "[-inf, inf]" else f" in {known}" if "," in known else f" = {known}"
    found = (f"{d.code} {d.name} ({d.confidence})" for d in drawn.found.get(drawn.facts.span(node), ()))
    lines = [f"{row}  {written(drawn.facts, node)}", SOURCES.get(node.op, node.op) + where, *found]
    return "".join(f"{graphviz.escape(line)}\\l" for line in lines)


def row_of(drawn: Drawn, node: Node) -> int:
    return drawn.facts.source.row_in_cell(getattr(node.site, "lineno", 1))[1]


def tooltip(drawn: Drawn, node: Node) -> str:
    """The record of a step."""
    record = Telling(drawn.facts, node, numbered=True).record()
    told = dict.fromkeys(f"{line.part}: {line.text}" for line in record)
    row = row_of(drawn, node)
    return str(graphviz.escape("\n".join([f"line {row}: {written(drawn.facts, node)}", *told])))


def look(drawn: Drawn, node: Node) -> dict[str, str]:
    """The colors of a box by how surely it is nan or infinite, its frame by what is found, dashed where paths join."""
    v = drawn.facts.value(node)
    worst = max(v.reach(cls) for cls in ("ninf", "pinf", "nan"))
    fill, border = HEALTH[worst]
    style = {"fillcolor": INPUT if node.op not in OPS and worst <= Reach.UNKNOWN else fill, "color": border}
    if node.op in (PHI, LOOP, REFINE):
        style["style"] = "filled,rounded,dashed"
    span = drawn.facts.span(node)
    if span in drawn.found:
        style |= {"color": FLAGGED, "penwidth": "2.8"}
    elif span in drawn.causes:
        style |= {"color": CAUSE, "penwidth": "2.2"}
    return style | ({"peripheries": "2"} if node in drawn.returned else {})
