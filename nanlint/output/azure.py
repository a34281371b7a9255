"""``--output-format azure``: logging commands, which Azure Pipelines shows among the issues of a build."""

from __future__ import annotations

from nanlint.diagnostic import Diagnostic, Severity
from nanlint.output.view import View, portable


def render(view: View) -> str:
    """``##vso[task.logissue …]message`` and a newline for each finding, and for what was not checked."""
    failures = (f"##vso[task.logissue type=error;]{_message(text)}\n" for text in view.report.messages)
    return "".join((*failures, *map(_command, view.report.diagnostics)))


def _command(diagnostic: Diagnostic) -> str:
    span = diagnostic.span.in_file
    where = "" if diagnostic.cell is None else f"{diagnostic.span.start}: "
    properties = {
        # There are errors and warnings, and nothing below.
        "type": "error" if diagnostic.severity is Severity.ERROR else "warning",
        "sourcepath": portable(diagnostic.path),
        "linenumber": str(span.row),
        "columnnumber": str(span.column),
        "code": diagnostic.code,
    }
    listed = "".join(f"{key}={_property(value)};" for key, value in properties.items())
    return f"##vso[task.logissue {listed}]{_message(f'{where}{diagnostic.message} ({diagnostic.confidence})')}\n"


def _message(text: str) -> str:
    return text.replace("%", "%AZP25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _message(text).replace("]", "%5D").replace(";", "%3B")
