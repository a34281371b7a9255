"""``nanlint graph --modules``: the files of a project and their imports as DOT, which Graphviz lays out."""

from __future__ import annotations

import html
import os
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from nanlint.output.graph import FLAGGED, INPUT, sheet
from nanlint.source.discovery import shown_path
from nanlint.source.roots import ROOTS

if TYPE_CHECKING:
    from graphviz import Digraph

    from nanlint.frontend.imports import Import, ModuleGraph

#: files that are drawn
MAX_MODULES = 60
_MISSING = 30  # modules that are not found, and are drawn
_NAMES = 3  # names on an arrow
_LABELLED = 60  # arrows among which names can be read
_LINES = 20  # lines of a tooltip
_BORDER = "#6b8fb5"
_OUTSIDE = "#f6f7f9"
_DASHED = {"style": "dashed", "color": FLAGGED, "fontcolor": FLAGGED}
_DASHED_BOX = {**_DASHED, "style": "filled,rounded,dashed"}


def render_modules(graph: ModuleGraph) -> Digraph:
    """The files as boxes, framed by directory, and arrows to what they import; what is not resolved is dashed."""
    missing: dict[tuple[str, str], list[Import]] = {}
    for one in graph.imports:
        if one.problem and not one.target:
            missing.setdefault((one.name, one.problem), []).append(one)
    drawn = sheet("modules", _title(graph, len(missing) - _MISSING), rankdir="LR")
    names = {path: f"m{number}" for number, path in enumerate(graph.files)}
    _add_files(drawn, graph, names)
    edges = graph.edges
    for (importer, imported, problem), imports in edges.items():
        reason = problem if imported not in graph.unreadable else ""
        symbols = _listed(imports) if reason or len(edges) <= _LABELLED else ""
        label = "\n".join(filter(None, [symbols, reason]))
        dashed = _DASHED if problem else {}
        drawn.edge(names[importer], names[imported], label=label, tooltip=_tooltip(imports), **dashed)
    most = sorted(missing.items(), key=lambda item: (-len(item[1]), item[0]))[:_MISSING]
    for number, ((name, problem), importing) in enumerate(most):
        label = _html([f"<b>{html.escape(name)}</b>", html.escape(problem)])
        drawn.node(f"u{number}", label, tooltip=_tooltip(importing), fillcolor="white", **_DASHED_BOX)
        for importer in dict.fromkeys(one.path for one in importing):
            own = [one for one in importing if one.path == importer]
            drawn.edge(names[importer], f"u{number}", tooltip=_tooltip(own), **_DASHED)
    return drawn


def _add_files(drawn: Digraph, graph: ModuleGraph, names: dict[str, str]) -> None:
    """A box for each file, in the frame of its directory, with the numeric packages that it imports."""
    frameworks: dict[str, set[str]] = {}
    for one in graph.imports:
        if not one.target and not one.problem:
            frameworks.setdefault(one.path, set()).add(one.root)
    directories: dict[str, list[str]] = {}
    for path in graph.files:
        directories.setdefault(os.path.dirname(path), []).append(path)
    for number, (directory, paths) in enumerate(directories.items()):
        with drawn.subgraph(name=f"cluster_{number}") as inner:
            shown = shown_path(directory)
            inner.attr(label=shown, tooltip=shown, labeljust="l", fontsize="10", style="rounded", color="#c3c9d0")
            for path in paths:
                lines = [f"<b>{html.escape(os.path.basename(path))}</b>"]
                if used := [root for root in ROOTS if root in frameworks.get(path, ())]:
                    lines.append(f'<font color="#3d4650" point-size="9">{", ".join(used)}</font>')
                attributes = {"color": _BORDER}
                if path in graph.unreadable:
                    lines.append(html.escape(graph.unreadable[path]))
                    attributes = _DASHED_BOX
                fill = INPUT if path in graph.named else _OUTSIDE
                inner.node(names[path], _html(lines), tooltip=shown_path(path), fillcolor=fill, **attributes)


def _listed(imports: Iterable[Import]) -> str:
    """The names that are imported, where they are few."""
    symbols = list(dict.fromkeys(one.symbol for one in imports if one.symbol))
    return ", ".join(symbols) if len(symbols) <= _NAMES else f"{len(symbols)} names"


def _tooltip(imports: Sequence[Import]) -> str:
    lines = [f"{one.place}: {one.name}" + (f": {one.problem}" if one.problem else "") for one in imports[:_LINES]]
    return "\n".join([*lines, *([f"and {len(imports) - _LINES} more"] if len(imports) > _LINES else [])])


def _html(lines: Iterable[str]) -> str:
    """Lines below each other, as a label."""
    return f"<{'<br/>'.join(lines)}>"


def _title(graph: ModuleGraph, hidden: int) -> str:
    """What is drawn, what is left out, and what the looks mean."""
    resolved = sum(bool(one.target) and not one.problem for one in graph.imports)
    failed = sum(bool(one.problem) for one in graph.imports)
    lines = [f"<b>modules: {len(graph.files)}, imports between them: {resolved}, not resolved: {failed}</b>"]
    notes = []
    if graph.left_out:
        notes.append(f"modules left out, those with the fewest imports: {graph.left_out}")
    if hidden > 0:
        notes.append(f"unresolved imports left out: {hidden}")
    if not graph.named.issuperset(graph.files):
        notes.append("grey: imported from outside the paths given")
    if failed:
        notes.append("dashed: not resolved")
    return _html([*lines, *(f'<font point-size="10">{note}</font>' for note in notes)])
