"""``--output-format rdjson``: reviewdog's Diagnostic Format, from which it writes review comments and suggestions."""

from __future__ import annotations

import json

from nanlint.diagnostic import Applicability, Diagnostic, Excerpt, Severity, Span
from nanlint.output.address import DOCUMENTATION, has_page, rule_page
from nanlint.output.view import View, portable

_SEVERITIES = {Severity.ERROR: "ERROR", Severity.WARNING: "WARNING", Severity.INFO: "INFO"}


def render(view: View) -> str:
    """One JSON object that holds all findings, and a newline."""
    found = [_diagnostic(one, file.excerpt) for file in view.report.files for one in file.diagnostics]
    result = {"source": {"name": "nanlint", "url": DOCUMENTATION}, "severity": "ERROR", "diagnostics": found}
    return json.dumps(result, indent=2, ensure_ascii=False) + "\n"


def _diagnostic(diagnostic: Diagnostic, excerpt: Excerpt) -> dict[str, object]:
    where = "" if diagnostic.cell is None else f"{diagnostic.span.start}: "
    found: dict[str, object] = {
        "message": f"{where}{diagnostic.message} ({diagnostic.confidence})",
        "location": {"path": portable(diagnostic.path), "range": _range(diagnostic.span, excerpt)},
        "severity": _SEVERITIES[diagnostic.severity],
        "code": {"value": diagnostic.code, **_url(diagnostic)},
    }
    related = [
        {
            "message": cause.message if cause.span.cell is None else f"{cause.span.start}: {cause.message}",
            "location": {
                "path": portable(cause.path or diagnostic.path),
                "range": _range(cause.span, cause.excerpt(excerpt)),
            },
        }
        for cause in diagnostic.causes
    ]
    if related:
        found["related_locations"] = related
    fix = diagnostic.fix
    # A suggestion is taken alone, so only a fix that is one edit can be suggested.
    if (
        fix is not None
        and diagnostic.cell is None
        and len(fix.edits) == len(fix.edits_here) == 1
        and fix.applicability is not Applicability.DISPLAY
    ):
        (edit,) = fix.edits
        found["suggestions"] = [{"range": _range(edit.span, excerpt), "text": edit.content}]
    return found


def _range(span: Span, excerpt: Excerpt) -> dict[str, object]:
    span = span.in_file
    return {
        "start": _position(span.row, span.column, excerpt),
        "end": _position(span.end_row, span.end_column, excerpt),
    }


def _position(row: int, column: int, excerpt: Excerpt) -> dict[str, int]:
    """Columns count bytes of UTF-8 here, from 1."""
    before = excerpt.get((None, row), "")[: column - 1]
    return {"line": row, "column": column + len(before.encode("utf-8", "surrogatepass")) - len(before)}


def _url(diagnostic: Diagnostic) -> dict[str, str]:
    return {"url": rule_page(diagnostic.name)} if has_page(diagnostic.code) else {}
