"""A run as one self-contained page: a template with its own style and script, and the run in it as JSON.

It needs no network, and its content security policy lets it have none.
"""

from __future__ import annotations

import html
import json
import os
from collections.abc import Iterable

from nanlint.disk import reason
from nanlint.output.page import page
from nanlint.runtime.events import Frame, Step
from nanlint.runtime.inspecting.model import Incident, Member, Node, Run, Seen
from nanlint.runtime.inspecting.sources import Finding
from nanlint.runtime.runfile import RunError
from nanlint.source.writing import write_whole

#: of the page, in the directory of the run
PAGE = "inspect.html"


def write_page(run: Run, output: str | None = None) -> str:
    """Write the page of a run, by default beside its events; where it is. Raises RunError."""
    path = output or os.path.join(run.origin, PAGE)
    try:
        write_whole(path, render_page(run).encode("utf-8", "backslashreplace"))
    except OSError as error:
        raise RunError(
            f"{path}: could not be written: {reason(error)}; choose another file with --output-file"
        ) from None
    return path


def render_page(run: Run) -> str:
    """The page."""
    return page(__package__, "page", TITLE=html.escape(_name(run)), RUN=embedded(as_data(run)))


def embedded(data: object) -> str:
    """JSON that can stand in a script element: nothing in it closes the element or opens a comment."""
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def as_data(run: Run) -> dict[str, object]:
    """What the page shows, as data; the keys are those of the script."""
    first = run.members[0].started
    paths = dict.fromkeys(run.files)
    paths |= dict.fromkeys(frame.path for one in run.incidents for frame in (*one.frames, *one.forward))
    paths |= dict.fromkeys(node.path for node in run.nodes if node.path)
    files = {
        path: {"shown": run.shown(path), "text": file.text, "current": file.current} for path, file in run.files.items()
    }
    return {
        "name": _name(run),
        "origin": run.origin,
        "command": run.command,
        "directory": first.directory,
        "watch": first.watch,
        "verdict": run.verdict,
        "nanlint": first.nanlint,
        "notes": [*run.notes, *_damage(run.members)],
        "paths": list(paths),
        "shown": {path: run.shown(path) for path in paths},
        "files": files,
        "members": [{**_member(member), "who": run.who(i)} for i, member in enumerate(run.members)],
        "nodes": [_node(node) for node in run.nodes],
        "tensors": [_tensor(tensor) for tensor in run.tensors],
        "incidents": [_incident(incident) for incident in run.incidents],
        "findings": [_finding(finding) for finding in run.findings],
    }


def _name(run: Run) -> str:
    return os.path.basename(os.path.normpath(run.origin)) or run.origin


def _damage(members: Iterable[Member]) -> list[str]:
    return [
        f"{member.label}: {member.damaged} damaged event{'' if member.damaged == 1 else 's'} left out"
        for member in members
        if member.damaged
    ]


def _member(member: Member) -> dict[str, object]:
    started = member.started
    traces = {number: position for position, number in enumerate(member.traces)}
    return {
        "label": member.label,
        "python": started.python,
        "frameworks": [f"{one.name} {one.version}" for one in member.frameworks],
        "ended": member.last_words,
        "traces": [[member.nodes.get(op, -1) for op in ops] for ops in member.traces.values()],
        "steps": {
            "number": [step.number for step in member.steps],
            "time": [step.time for step in member.steps],
            "seconds": [step.seconds for step in member.steps],
            "trace": [-1 if step.trace is None else traces.get(step.trace, -1) for step in member.steps],
            "numbers": _series(member.steps),
        },
    }


def _series(steps: Iterable[Step]) -> dict[str, list[str | None]]:
    """The numbers that steps told, by name, None where a step told none."""
    told = [step.numbers for step in steps]
    names = dict.fromkeys(name for numbers in told for name in numbers)
    return {name: [numbers.get(name) for numbers in told] for name in names}


def _node(node: Node) -> dict[str, object]:
    return {
        "name": node.name,
        "framework": node.framework,
        "op": node.op,
        "path": node.path,
        "line": node.line,
        "backward": node.backward,
        "inputs": node.inputs,
    }


def _tensor(tensor: Seen) -> dict[str, object]:
    return {
        "name": tensor.name,
        "label": tensor.label,
        "role": tensor.role,
        "counts": [*tensor.health.counts, tensor.finite],
        "low": tensor.health.low,
        "high": tensor.health.high,
        "shape": tensor.health.shape,
        "typed": tensor.typed,
        "told": tensor.breakdown,
        "bad": tensor.bad,
        "step": tensor.step,
        "values": tensor.values,
        "node": tensor.node,
        "source": tensor.source,
        "filter": tensor.filter,
    }


def _frame(frame: Frame) -> dict[str, object]:
    return {"path": frame.path, "line": frame.line, "function": frame.function, "text": frame.text}


def _incident(incident: Incident) -> dict[str, object]:
    return {
        "kind": incident.kind,
        "title": incident.title,
        "process": incident.process,
        "step": incident.step,
        "framework": incident.framework,
        "backward": incident.backward,
        "compiled": incident.compiled,
        "count": incident.count,
        "lastStep": incident.last_step,
        "node": incident.node,
        "inputs": incident.inputs,
        "outputs": incident.outputs,
        "blamed": None if incident.blamed is None else _frame(incident.blamed),
        "frames": [_frame(frame) for frame in incident.frames],
        "forward": [_frame(frame) for frame in incident.forward],
        "note": incident.note,
        "details": incident.details,
        "finding": incident.finding,
    }


def _finding(finding: Finding) -> dict[str, object]:
    span = finding.span
    return {
        "path": finding.path,
        "row": span.row,
        "column": span.column,
        "endRow": span.end_row,
        "endColumn": span.end_column,
        "code": finding.code,
        "name": finding.name,
        "message": finding.message,
        "confidence": finding.confidence,
        "causes": [{"row": cause.row, "message": cause.message} for cause in finding.causes],
        "witness": finding.witness,
        "fix": finding.fix,
        "applicability": finding.applicability,
        "diff": finding.diff,
        "verdict": finding.verdict,
        "told": finding.told,
    }
