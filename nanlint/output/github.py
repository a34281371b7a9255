"""``--output-format github``: workflow commands, which GitHub shows as annotations of the lines of a pull request."""

from __future__ import annotations

import os

from nanlint.diagnostic import Diagnostic, Severity
from nanlint.output.view import View, is_file

_LEVELS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "notice"}


def render(view: View) -> str:
    """``::error title=…,file=…,line=…::message`` and a newline for each finding, and for what was not checked."""
    failures = (f"::error title={_property('nanlint')}::{_message(text)}\n" for text in view.report.messages)
    return "".join((*failures, *(_command(one, view) for one in view.report.diagnostics)))


def _command(diagnostic: Diagnostic, view: View) -> str:
    span = diagnostic.span.in_file
    properties = {"title": f"nanlint ({diagnostic.code} {diagnostic.name})"}
    if is_file(diagnostic.path):
        # The runner makes absolute paths relative to the repository, and would take relative ones to start there.
        properties["file"] = os.path.join(view.root, diagnostic.path)
    properties |= {"line": str(span.row), "endLine": str(span.end_row)}
    if span.row == span.end_row:  # columns are refused for several lines
        properties |= {"col": str(span.column), "endColumn": str(span.end_column)}
    listed = ",".join(f"{key}={_property(value)}" for key, value in properties.items())
    text = f"{diagnostic.place}: {diagnostic.code} {diagnostic.message}"
    because = [f"{cause.place}: {cause.message}" for cause in diagnostic.causes if cause.message]
    lines = [f"{text} ({diagnostic.confidence})", *because]
    if diagnostic.witness is not None:
        lines.append(f"witness: {diagnostic.witness.text}")
    level = (
        "warning"
        if diagnostic.severity is Severity.ERROR and not view.fails(diagnostic)
        else _LEVELS[diagnostic.severity]
    )
    return f"::{level} {listed}::{_message(chr(10).join(lines))}\n"


def _message(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _message(text).replace(":", "%3A").replace(",", "%2C")
