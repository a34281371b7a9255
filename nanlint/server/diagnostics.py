"""Diagnostic -> what an editor underlines. Pure."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Mapping, Sequence

from lsprotocol import types
from pygls.uris import from_fs_path

from nanlint.diagnostic import Annotation, Diagnostic, Severity
from nanlint.output.address import rule_page
from nanlint.server.client import Client
from nanlint.server.positions import units
from nanlint.server.sheet import Sheet
from nanlint.source.suppression import UNUSED

SOURCE = "nanlint"

SEVERITIES: Mapping[Severity, types.DiagnosticSeverity] = {
    Severity.ERROR: types.DiagnosticSeverity.Error,
    Severity.WARNING: types.DiagnosticSeverity.Warning,
    Severity.INFO: types.DiagnosticSeverity.Information,
}


def lsp_diagnostic(diagnostic: Diagnostic, sheet: Sheet, client: Client) -> types.Diagnostic:
    """One finding: the effect underlined, with its causes as related places where the client shows them.

    What the baseline knows is a hint, whatever its severity.
    """
    related = [types.DiagnosticRelatedInformation(place_of(cause, sheet), cause.message) for cause in diagnostic.causes]
    unnecessary = client.tags and diagnostic.code == UNUSED
    return types.Diagnostic(
        range=sheet.range(diagnostic.span),
        message=message_of(diagnostic),
        severity=types.DiagnosticSeverity.Hint if diagnostic.new is False else SEVERITIES[diagnostic.severity],
        code=diagnostic.code,
        code_description=types.CodeDescription(rule_page(diagnostic.name)) if client.describes else None,
        source=SOURCE,
        tags=[types.DiagnosticTag.Unnecessary] if unnecessary else None,
        related_information=related if client.related and related else None,
        data={"name": diagnostic.name, "confidence": str(diagnostic.confidence)} if client.keeps_data else None,
    )


def place_of(cause: Annotation, sheet: Sheet) -> types.Location:
    """The document that a cause is in, which may be another file's, and where."""
    if not cause.path:
        return sheet.location(cause.span)
    span, lines, path = cause.span, dict(cause.lines), os.path.abspath(cause.path)
    start = units(lines[span.row][: span.column - 1], sheet.encoding)
    end = units(lines[span.end_row][: span.end_column - 1], sheet.encoding)
    range = types.Range(types.Position(span.row - 1, start), types.Position(span.end_row - 1, end))
    return types.Location(from_fs_path(path) or path, range)


def message_of(diagnostic: Diagnostic) -> str:
    """What is wrong, then what happens there, then an input that makes it happen, then whether it is known."""
    lines = [diagnostic.sentence]
    if diagnostic.effect:
        lines.append(diagnostic.effect)
    if diagnostic.witness is not None:
        lines.append(f"witness: {diagnostic.witness.text}")
    if diagnostic.new is False:
        lines.append("known: the baseline hides it from `nanlint check`")
    return "\n".join(lines)


def plain_diagnostic(message: str, range: types.Range) -> types.Diagnostic:
    """Something wrong that is no finding: with a configuration file."""
    return types.Diagnostic(range=range, message=message, severity=types.DiagnosticSeverity.Error, source=SOURCE)


def result_id(diagnostics: Iterable[types.Diagnostic]) -> str:
    """A name of what is said: the same for the same, whatever the version of the text."""
    return hashlib.blake2b(repr(tuple(diagnostics)).encode("utf-8", "surrogatepass"), digest_size=12).hexdigest()


def document_report(
    diagnostics: Sequence[types.Diagnostic], previous: str | None
) -> types.RelatedFullDocumentDiagnosticReport | types.RelatedUnchangedDocumentDiagnosticReport:
    """The answer to a pull: everything, or that it is what the client already has."""
    name = result_id(diagnostics)
    if name == previous:
        return types.RelatedUnchangedDocumentDiagnosticReport(result_id=name)
    return types.RelatedFullDocumentDiagnosticReport(items=list(diagnostics), result_id=name)


def workspace_report(
    uri: str, diagnostics: Sequence[types.Diagnostic], previous: str | None
) -> types.WorkspaceFullDocumentDiagnosticReport | types.WorkspaceUnchangedDocumentDiagnosticReport:
    """One file's part of the answer to a pull of the workspace; the text is that on disk, so it has no version."""
    name = result_id(diagnostics)
    if name == previous:
        return types.WorkspaceUnchangedDocumentDiagnosticReport(uri, name)
    return types.WorkspaceFullDocumentDiagnosticReport(uri, list(diagnostics), result_id=name)
