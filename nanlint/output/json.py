"""``--output-format json``: Ruff's keys for those who read Ruff's JSON, and ours beside them."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Iterable

from nanlint.diagnostic import Annotation, Diagnostic, Edit, Fix, Span, Witness
from nanlint.output.address import has_page, rule_page
from nanlint.output.view import View, is_file


def render(view: View) -> str:
    return render_json(one for _, one in view.findings())


def render_json(diagnostics: Iterable[Diagnostic]) -> str:
    """A JSON list with one object a finding, and a newline. Rows and columns are 1-based, ends exclusive."""
    return json.dumps([as_object(diagnostic) for diagnostic in diagnostics], indent=2, ensure_ascii=False) + "\n"


def as_object(diagnostic: Diagnostic) -> dict[str, object]:
    """One finding in Ruff's shape; ``filename`` is absolute."""
    span = diagnostic.span
    return {
        "cell": diagnostic.cell,
        "code": diagnostic.code,
        "name": diagnostic.name,
        "message": diagnostic.message,
        "confidence": str(diagnostic.confidence),
        "level_row": diagnostic.row or None,
        "sink": diagnostic.sink or None,
        "severity": str(diagnostic.severity),
        "filename": _absolute(diagnostic.path),
        **_range(span),
        "noqa_row": span.row,
        "url": rule_page(diagnostic.name) if has_page(diagnostic.code) else None,
        "effect": diagnostic.effect,
        "causes": [_cause(cause) for cause in diagnostic.causes],
        "witness": None if diagnostic.witness is None else _witness(diagnostic.witness),
        "observed": {"text": diagnostic.observed, **diagnostic.saw} if diagnostic.observed else None,
        "fingerprint": diagnostic.fingerprint,
        "fix": None if diagnostic.fix is None else _fix(diagnostic.fix),
    }


def _cause(cause: Annotation) -> dict[str, object]:
    """A place that makes it so, with the absolute name of the file if it is another one."""
    return {**_elsewhere(cause.path), **_cell(cause.span), **_range(cause.span), "message": cause.message}


def _elsewhere(path: str) -> dict[str, object]:
    return {"filename": _absolute(path)} if path else {}


def _absolute(path: str) -> str:
    return os.path.abspath(path) if is_file(path) else path


def _witness(witness: Witness) -> dict[str, object]:
    """Numbers as JSON has them; nan and the infinities, which it has not, as strings."""
    gradient = None if witness.gradient is None else {name: _numbers(row) for name, row in witness.gradient}
    return {
        "inputs": {name: _numbers(row) for name, row in witness.inputs},
        "output": {witness.output[0]: _numbers(witness.output[1])},
        "gradient": gradient,
        "framework": witness.framework,
        "executed": witness.executed,
        "text": witness.text,
    }


def _numbers(row: Iterable[float]) -> list[float | str]:
    return [number if math.isfinite(number) else str(number) for number in row]


def _fix(fix: Fix) -> dict[str, object]:
    return {
        "applicability": str(fix.applicability),
        "message": fix.message,
        "display": fix.display,
        "edits": [_edit(edit) for edit in fix.edits],
    }


def _edit(edit: Edit) -> dict[str, object]:
    """An edit, with the absolute name of the file if it is another one than that of the finding."""
    return {**_elsewhere(edit.path), **_cell(edit.span), **_range(edit.span), "content": edit.content}


def _cell(span: Span) -> dict[str, object]:
    """In a notebook, the number of the cell: a cause or an edit may be in another than the finding."""
    return {} if span.cell is None else {"cell": span.cell}


def _range(span: Span) -> dict[str, object]:
    return {
        "location": {"row": span.row, "column": span.column},
        "end_location": {"row": span.end_row, "column": span.end_column},
    }
