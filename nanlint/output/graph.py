"""``nanlint graph``: the picture of a function as DOT, which Graphviz lays out."""

from __future__ import annotations

import html
import textwrap
from collections.abc import Iterable
from typing import TYPE_CHECKING

from nanlint.graph.node import LOOP, PHI, REFINE
from nanlint.hazards.picture import Box, Picture
from nanlint.hazards.story import CLASSES, SIGNS, Step, interval
from nanlint.ops.op import OPS
from nanlint.ops.value import Kind, Reach, Value

if TYPE_CHECKING:
    from graphviz import Digraph

#: fill and border of what becomes nan or infinite: never, not known, possibly, likely, certainly
HEALTH = {
    Reach.NEVER: ("#e3f4e1", "#5b9a57"),
    Reach.UNKNOWN: ("#f6f7f9", "#9aa3ad"),
    Reach.POSSIBLE: ("#fff3c9", "#c9a227"),
    Reach.LIKELY: ("#ffd9a8", "#d9822b"),
    Reach.CERTAIN: ("#ffc2bd", "#cf3a2f"),
}
WORDS = {
    Reach.NEVER: "always finite",
    Reach.UNKNOWN: "nothing known",
    Reach.POSSIBLE: "nan or inf: possible",
    Reach.LIKELY: "nan or inf: likely",
    Reach.CERTAIN: "nan or inf: certain",
}
INPUT = "#dfeaf7"
FLAGGED = "#c00000"
CAUSE = "#d9822b"
FONT = "Helvetica,Arial,sans-serif"
MONO = "Menlo,Consolas,DejaVu Sans Mono,monospace"
_WIDTH = 44  # characters of source on one line of a box
_LINES = 3


def sheet(name: str, title: str, *, rankdir: str) -> Digraph:
    """A directed graph of the graphviz package with nothing on it but its title, as HTML."""
    from graphviz import Digraph

    graph = Digraph(name=name)
    graph.attr(
        rankdir=rankdir, bgcolor="white", fontname=FONT, fontsize="16", labelloc="t", nodesep="0.35", ranksep="0.45"
    )
    graph.attr(label=title, tooltip=name)
    graph.attr("node", shape="box", style="filled,rounded", fontname=FONT, fontsize="11", margin="0.12,0.06")
    graph.attr("edge", color="#6b7480", arrowsize="0.7", fontname=FONT, fontsize="9", fontcolor="#6b7480")
    return graph


def render_graph(picture: Picture) -> Digraph:
    """The picture as a directed graph of the graphviz package, from the inputs at the top to what is returned."""
    graph = sheet(picture.title, _title(picture), rankdir="TB")
    _place(graph, picture.boxes, ())
    for arrow in picture.arrows:
        attributes = {"label": arrow.operand if arrow.operand not in ("a", "b") else ""}
        if arrow.operand == "cond":
            attributes |= {"style": "dashed"}
        if arrow.back:
            attributes |= {"style": "dotted", "constraint": "false", "label": "next iteration"}
        graph.edge(arrow.tail, arrow.head, tooltip=arrow.operand or "operand", **attributes)
    for box in picture.boxes:
        if box.returned:
            graph.node(f"{box.name}_out", "returned", shape="plaintext", style="", tooltip="returned")
            graph.edge(box.name, f"{box.name}_out", arrowhead="normal", tooltip="returned")
    return graph


def _place(graph: Digraph, boxes: Iterable[Box], behind: tuple[int, ...]) -> None:
    """The boxes that stand behind some calls; those behind further calls in frames of their own."""
    deeper: dict[int, list[Box]] = {}
    for box in boxes:
        if box.callers == behind:
            _add(graph, box)
        else:
            deeper.setdefault(box.callers[len(behind)], []).append(box)
    for row, others in deeper.items():
        calls = (*behind, row)
        with graph.subgraph(name="cluster_" + "_".join(map(str, calls))) as inner:
            inner.attr(label=f"in the call on line {row}", labeljust="l", style="rounded,dashed", color="#9aa3ad")
            inner.attr(fontsize="10", tooltip=f"in the call on line {row}")
            _place(inner, others, calls)


def _add(graph: Digraph, box: Box) -> None:
    fill, border = HEALTH[box.worst]
    attributes = {"fillcolor": fill, "color": border}
    if not box.step.is_op and box.step.node.op not in (PHI, LOOP, REFINE):
        attributes = {"fillcolor": INPUT if box.worst <= Reach.UNKNOWN else fill, "color": "#6b8fb5"}
    if box.step.node.op in (PHI, LOOP, REFINE):
        attributes |= {"style": "filled,rounded,dashed"}
    if box.cause:
        attributes |= {"color": CAUSE, "penwidth": "2.2"}
    if box.findings or box.hazards:
        attributes |= {"color": FLAGGED, "penwidth": "2.8" if box.findings else "1.8"}
    graph.node(box.name, f"<{_label(box)}>", tooltip=_tooltip(box), **attributes)


def _label(box: Box) -> str:
    """The source, with the line before it; below it the op and its range, what is known to be met, what is found."""
    step = box.step
    text = f"where {step.condition}" if step.condition else step.text
    lines = textwrap.wrap(text, _WIDTH) or [""]
    if len(lines) > _LINES:
        lines = [*lines[: _LINES - 1], lines[_LINES - 1][: _WIDTH - 1] + "…"]
    source = "".join(f'<font face="{MONO}">{html.escape(line)}</font><br align="left"/>' for line in lines)
    number = f'<td align="right" valign="top"><font color="#6b7480" point-size="9">{step.span.row}&#160;</font></td>'
    rows = [f'<tr>{number}<td align="left">{source}</td></tr>']
    below = [known for known in (_sort(step), _range(step.value)) if known]
    rows.append(_row(" · ".join(below), "#3d4650"))
    if met := _met(step):
        rows.append(_row(met, "#7a4a00"))
    for finding in box.findings:
        rows.append(_row(f"{finding.code} {finding.name} ({finding.confidence})", FLAGGED, bold=True))
    if box.hazards and not box.findings:
        worst = max(box.hazards, key=lambda hazard: hazard.reach)
        rows.append(_row(f"hazard: {worst.pole.gives} ({worst.reach.name.lower()})", FLAGGED))
    return f'<table border="0" cellborder="0" cellspacing="0" cellpadding="1">{"".join(rows)}</table>'


def _row(text: str, colour: str, *, bold: bool = False) -> str:
    escaped = html.escape(text)
    inner = f"<b>{escaped}</b>" if bold else escaped
    return f'<tr><td></td><td align="left"><font color="{colour}" point-size="9.5">{inner}</font></td></tr>'


def _sort(step: Step) -> str:
    return "" if step.condition else step.sort


def _range(v: Value) -> str:
    known = interval(v)
    return "" if known == "[-inf, inf]" else f"in {known}" if "," in known else f"= {known}"


def _met(step: Step) -> str:
    """The classes that there is evidence for, but for plain positive and negative numbers."""
    known = [b for b in step.beliefs if b.cls not in ("neg", "pos") and b.evidence is not None]
    return ", ".join(f"{SIGNS[b.cls]} {b.reach.name.lower()}" for b in known)


def _tooltip(box: Box) -> str:
    step = box.step
    carrier = "" if step.value.kind is Kind.SCALAR else f", {step.value.format.name}"
    known = [
        f"line {step.span.row}: {step.text}",
        f"{step.spelling or step.sort}{carrier}, range {interval(step.value)}",
        ", ".join(f"{SIGNS[cls]} {_word(step.value.reach(cls))}" for cls in CLASSES),
        *(
            f"{SIGNS[b.cls]} is {b.reach.name.lower()}: {b.evidence.text}"
            for b in step.beliefs
            if b.evidence is not None
        ),
        *([f"guard: rules out {', '.join(SIGNS[cls] for cls in step.guards)}"] if step.guards else []),
        "a gradient flows" if step.obstacle is step.doubt is None else step.gradient,
        *(f"{d.code} {d.name}: {d.message}" for d in box.findings),
    ]
    return "\n".join(known)


def _word(reach: Reach) -> str:
    return "?" if reach is Reach.UNKNOWN else reach.name.lower()


def _title(picture: Picture) -> str:
    """The title, and below it what the colours mean, of those that are used."""
    used = {box.worst for box in picture.boxes if box.step.node.op in OPS}
    cells = [
        f'<td bgcolor="{HEALTH[reach][0]}" border="1" color="{HEALTH[reach][1]}">{WORDS[reach]}</td>'
        for reach in HEALTH
        if reach in used
    ]
    if any(not box.step.is_op for box in picture.boxes):
        cells.insert(0, f'<td bgcolor="{INPUT}" border="1" color="#6b8fb5">input</td>')
    if any(box.cause for box in picture.boxes):
        cells.append(f'<td border="2" color="{CAUSE}">cause</td>')
    if any(box.findings or box.hazards for box in picture.boxes):
        cells.append(f'<td border="2" color="{FLAGGED}">hazard, finding</td>')
    legend = f'<table border="0" cellborder="0" cellspacing="6" cellpadding="4"><tr>{"".join(cells)}</tr></table>'
    return (
        f'<<table border="0" cellborder="0"><tr><td><b>{html.escape(picture.title)}</b></td></tr>'
        f'<tr><td><font point-size="10">{legend}</font></td></tr></table>>'
    )
