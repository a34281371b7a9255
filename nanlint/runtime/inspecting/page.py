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
from nanlint.runtime.events import Step
from nanlint.runtime.inspecting.model import Finding, Incident, Member, Run, Seen, told_of
from nanlint.runtime.runfile import RunError
from nanlint.runtime.telling import FRAME, fields_of
from nanlint.source.writing import write_whole

#: of the page, in the directory of the run
PAGE = "inspect.html"

#: what the script is given as it is of each thing, under the same names
FIELDS = {
    "node": ("name", "framework", "op", "path", "line", "backward", "inputs"),
    "tensor": ("name", "label", "role", "typed", "bad", "step", "values", "node", "source", "filter"),
    "health": ("low", "high", "shape"),
    "incident": (
        *("kind", "title", "process", "step", "framework", "backward", "compiled", "count", "node", "inputs"),
        *("outputs", "note", "details", "finding"),
    ),
    "finding": ("path", "fix", "diff", "verdict"),
    "diagnostic": ("code", "name", "message"),
    "run": ("origin", "command", "verdict"),
    "started": ("directory", "watch", "nanlint"),
    "steps": ("number", "time", "seconds"),
}


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
        **fields_of(run, FIELDS["run"]),
        **fields_of(first, FIELDS["started"]),
        "name": _name(run),
        "notes": [*run.notes, *_damage(run.members)],
        "paths": list(paths),
        "shown": {path: run.shown(path) for path in paths},
        "files": files,
        "members": [{**_member(member), "who": run.who(i)} for i, member in enumerate(run.members)],
        "nodes": [fields_of(node, FIELDS["node"]) for node in run.nodes],
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
            **{name: [getattr(step, name) for step in member.steps] for name in FIELDS["steps"]},
            "trace": [-1 if step.trace is None else traces.get(step.trace, -1) for step in member.steps],
            "numbers": _series(member.steps),
        },
    }


def _series(steps: Iterable[Step]) -> dict[str, list[str | None]]:
    """The numbers that steps told, by name, None where a step told none."""
    told = [step.numbers for step in steps]
    names = dict.fromkeys(name for numbers in told for name in numbers)
    return {name: [numbers.get(name) for numbers in told] for name in names}


def _tensor(tensor: Seen) -> dict[str, object]:
    health = tensor.health
    told = {"counts": [*health.counts, tensor.finite], "told": tensor.breakdown}
    return fields_of(tensor, FIELDS["tensor"]) | fields_of(health, FIELDS["health"]) | told


def _incident(incident: Incident) -> dict[str, object]:
    blamed = None if incident.blamed is None else fields_of(incident.blamed, FRAME)
    frames = {name: [fields_of(one, FRAME) for one in getattr(incident, name)] for name in ("frames", "forward")}
    return {**fields_of(incident, FIELDS["incident"]), **frames, "lastStep": incident.last_step, "blamed": blamed}


def _finding(finding: Finding) -> dict[str, object]:
    said = finding.diagnostic
    span, fix, witness = said.span, said.fix, said.witness
    return {
        **fields_of(finding, FIELDS["finding"]),
        **fields_of(said, FIELDS["diagnostic"]),
        "row": span.row,
        "column": span.column,
        "endRow": span.end_row,
        "endColumn": span.end_column,
        "confidence": str(said.confidence),
        "causes": [{"row": cause.span.row, "message": cause.message} for cause in said.causes_here],
        "witness": witness.text if witness else "",
        "applicability": str(fix.applicability) if fix else "",
        "told": told_of(finding.of),
    }
