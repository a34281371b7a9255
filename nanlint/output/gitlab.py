"""``--output-format gitlab``: a Code Quality report, which GitLab compares and shows in merge requests."""

from __future__ import annotations

import hashlib
import json

from nanlint.diagnostic import Confidence, Diagnostic, Severity
from nanlint.output.view import View, portable

_SEVERITIES = {
    Severity.ERROR: {Confidence.CERTAIN: "critical", Confidence.LIKELY: "major", Confidence.POSSIBLE: "minor"},
    Severity.WARNING: dict.fromkeys(Confidence, "minor"),
    Severity.INFO: dict.fromkeys(Confidence, "info"),
}


def render(view: View) -> str:
    """A JSON list with one object a finding, and a newline."""
    return json.dumps([_issue(one) for one in view.report.diagnostics], indent=2, ensure_ascii=False) + "\n"


def _issue(diagnostic: Diagnostic) -> dict[str, object]:
    span = diagnostic.span.in_file
    where = "" if diagnostic.cell is None else f"{diagnostic.span.start}: "
    path = portable(diagnostic.path)
    # A fingerprint is that of one finding in all of the report, so the file is part of it.
    fingerprint = hashlib.sha256(f"{path}\0{diagnostic.fingerprint}".encode("utf-8", "surrogateescape")).hexdigest()
    return {
        "type": "issue",
        "check_name": f"{diagnostic.code} {diagnostic.name}",
        "description": f"{where}{diagnostic.code} {diagnostic.message} ({diagnostic.confidence})",
        "categories": ["Bug Risk"],
        "severity": _SEVERITIES[diagnostic.severity][diagnostic.confidence],
        "fingerprint": fingerprint,
        "location": {"path": path, "lines": {"begin": span.row, "end": span.end_row}},
    }
