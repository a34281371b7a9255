"""``--output-format sarif``: SARIF 2.1.0, which code scanning services, editors and archives of findings read.

Columns count characters (columnKind unicodeCodePoints), so that spans and edits are as they are everywhere else here.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import PurePath
from typing import Any

from nanlint.diagnostic import Annotation, Applicability, Diagnostic, Edit, Excerpt, Fix, Severity, Span, Suppressed
from nanlint.housekeeping import RulePage
from nanlint.lint.known_rules import all_rules
from nanlint.lint.report import FileReport
from nanlint.output.address import DOCUMENTATION, has_page, rule_page
from nanlint.output.view import View, is_file, portable
from nanlint.version import __version__

Object = dict[str, Any]

_SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
_LEVELS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "note"}
_FINGERPRINT = "nanlint/v1"
_UNREAD = "unread-file"
_EXITS = {0: "no findings", 1: "findings, or not all could be checked", 2: "nothing could be checked"}


def render(view: View) -> str:
    """A log with one run, and a newline."""
    log = {"$schema": _SCHEMA, "version": "2.1.0", "runs": [_run(view)]}
    return json.dumps(log, indent=2, ensure_ascii=False) + "\n"


def _run(view: View) -> Object:
    told = list(_told(view.report.files))
    levels = {one.code: one.severity for _, one, _ in told}
    codes = sorted(levels)
    pages = all_rules()
    paths = [file.path for file in view.report.files if is_file(file.path)]
    return {
        "tool": {
            "driver": {
                "name": "nanlint",
                "version": __version__,
                "semanticVersion": __version__,
                "informationUri": DOCUMENTATION,
                "rules": [_rule(pages[code], levels[code]) for code in codes],
                "notifications": [
                    {"id": _UNREAD, "shortDescription": {"text": "A file or a path that could not be checked."}}
                ],
            }
        },
        "automationDetails": {"id": "nanlint/"},
        "columnKind": "unicodeCodePoints",
        "originalUriBaseIds": {"SRCROOT": {"uri": _directory_uri(view.root)}},
        "invocations": [_invocation(view)],
        "artifacts": [
            {"location": _artifact(path, view.root), "sourceLanguage": "python", "roles": ["analysisTarget"]}
            for path in paths
        ],
        "results": [_result(one, suppressed, file, view.root, codes, paths) for file, one, suppressed in told],
    }


def _told(files: Iterable[FileReport]) -> Iterator[tuple[FileReport, Diagnostic, Suppressed | None]]:
    """What is shown of each file and what is suppressed, in order of place."""
    for file in files:
        found: list[tuple[Diagnostic, Suppressed | None]] = [(one, None) for one in file.diagnostics]
        found += [(one.diagnostic, one) for one in file.suppressed]
        for diagnostic, suppressed in sorted(found, key=lambda pair: pair[0].sort_key()):
            yield file, diagnostic, suppressed


# The tool


def _rule(page: RulePage, severity: Severity) -> Object:
    text = page.page.strip()
    return {
        "id": page.code,
        "name": "".join(word.capitalize() for word in page.name.split("-")),
        "shortDescription": {"text": page.summary},
        "fullDescription": {"text": _first_paragraph(text)},
        **({"helpUri": rule_page(page.name)} if has_page(page.code) else {}),
        "help": {"text": text, "markdown": f"# {page.name} ({page.code})\n\n{text}"},
        "defaultConfiguration": {"enabled": True, "level": _LEVELS[severity]},
        "properties": {"tags": ["numerical-stability", "nan"], "problem.severity": _PROBLEMS[severity]},
    }


_PROBLEMS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "recommendation"}


def _first_paragraph(text: str) -> str:
    return " ".join(text.split("\n\n", 1)[0].split())


def _invocation(view: View) -> Object:
    files = [(file.failure, file) for file in view.report.files if file.failure is not None]
    return {
        "executionSuccessful": view.exit_code in (0, 1),
        "exitCode": view.exit_code,
        "exitCodeDescription": _EXITS.get(view.exit_code, "an error"),
        "startTimeUtc": view.began.strftime("%Y-%m-%dT%H:%M:%SZ"),
        "workingDirectory": {"uri": _directory_uri(view.root)},
        "toolExecutionNotifications": [
            *(_notification(text) for text in view.report.failures),
            *(_notification(text, _artifact(file.path, view.root)) for text, file in files),
        ],
    }


def _notification(text: str, artifact: Object | None = None) -> Object:
    notification: Object = {"level": "error", "message": {"text": text}, "descriptor": {"id": _UNREAD, "index": 0}}
    if artifact is not None:
        notification["locations"] = [{"physicalLocation": {"artifactLocation": artifact}}]
    return notification


# A finding


def _result(
    diagnostic: Diagnostic,
    suppression: Suppressed | None,
    file: FileReport,
    root: str,
    codes: Sequence[str],
    paths: Sequence[str],
) -> Object:
    artifact = _indexed(file.path, root, paths)

    def location(one: Annotation) -> Object:
        where = _indexed(one.path, root, paths) if one.path else artifact
        return _location(one, where, one.excerpt(file.excerpt))

    result: Object = {
        "ruleId": diagnostic.code,
        "ruleIndex": codes.index(diagnostic.code),
        "kind": "fail",
        "level": _LEVELS[diagnostic.severity],
        "message": {"text": _message(diagnostic)},
        "locations": [location(Annotation(diagnostic.span, diagnostic.effect))],
        "partialFingerprints": {_FINGERPRINT: diagnostic.fingerprint},
        # All results have the property, or none may: those without suppressions have none.
        "suppressions": [] if suppression is None else [_suppression(suppression)],
        "properties": {
            "confidence": str(diagnostic.confidence),
            **({"sink": diagnostic.sink} if diagnostic.sink else {}),
        },
    }
    if diagnostic.sink:
        result["properties"] |= {"sink": diagnostic.sink}
    if diagnostic.causes:
        result["relatedLocations"] = [
            {"id": number, **location(cause)} for number, cause in enumerate(diagnostic.causes, 1)
        ]
    steps = _steps(diagnostic)
    if len(steps) > 1:
        flow = [{"location": location(step), "importance": "essential"} for step in steps]
        result["codeFlows"] = [{"threadFlows": [{"locations": flow}]}]
    if diagnostic.fix is not None and diagnostic.cell is None and _is_edit(diagnostic.fix):
        others = {path: _indexed(path, root, paths) for path in diagnostic.fix.elsewhere}
        result["fixes"] = [_fix(diagnostic.fix, artifact, others)]
    if diagnostic.new is not None:
        result["baselineState"] = "new" if diagnostic.new else "unchanged"
    if diagnostic.witness is not None:
        result["properties"]["witness"] = diagnostic.witness.text
    return result


def _message(diagnostic: Diagnostic) -> str:
    """The message and, as links to the related locations, what brings it about."""
    causes = [
        f"[{_link_text(cause.path or diagnostic.path)}:{_line(cause.span)}]({number}) {cause.message}"
        for number, cause in enumerate(diagnostic.causes, 1)
        if cause.message
    ]
    where = "" if diagnostic.cell is None else f"{diagnostic.span.start}: "
    return "\n".join([where + diagnostic.message, *causes])


def _line(span: Span) -> str:
    return str(span.row) if span.cell is None else f"cell {span.cell}:{span.row}"


def _link_text(text: str) -> str:
    return text.replace("\\", "\\\\").replace("[", "\\[").replace("]", "\\]")


def _steps(diagnostic: Diagnostic) -> list[Annotation]:
    """How the bad value travels: from the farthest cause to the op that breaks, and on through what uses its result."""
    steps = [*reversed(diagnostic.causes), Annotation(diagnostic.span, diagnostic.effect or diagnostic.message)]
    for step in diagnostic.reaches if diagnostic.cell is None else ():
        if step.span not in [step.span for step in steps if not step.path]:
            steps.append(step)
    return steps


def _suppression(suppressed: Suppressed) -> Object:
    suppression: Object = {"kind": "external" if suppressed.external else "inSource", "status": "accepted"}
    if suppressed.justification:
        suppression["justification"] = suppressed.justification
    return suppression


def _is_edit(fix: Fix) -> bool:
    return bool(fix.edits) and fix.applicability is not Applicability.DISPLAY


def _fix(fix: Fix, artifact: Object, others: Mapping[str, Object]) -> Object:
    changes = [(artifact, fix.edits_here), *((where, fix.edits_in(path)) for path, where in others.items())]
    return {
        "description": {"text": f"{fix.message} ({fix.applicability})"},
        "artifactChanges": [
            {"artifactLocation": where, "replacements": [_replacement(edit) for edit in edits]}
            for where, edits in changes
            if edits
        ],
        "properties": {"applicability": str(fix.applicability)},
    }


def _replacement(edit: Edit) -> Object:
    return {"deletedRegion": _region(edit.span), "insertedContent": {"text": edit.content}}


# Places


def _location(marked: Annotation, artifact: Object, excerpt: Excerpt) -> Object:
    span = marked.span
    region = _region(span)
    if span.row == span.end_row and (span.cell, span.row) in excerpt:
        region["snippet"] = {"text": excerpt[span.cell, span.row][span.column - 1 : span.end_column - 1]}
    location: Object = {"physicalLocation": {"artifactLocation": artifact, "region": region}}
    if marked.message:
        location["message"] = {"text": marked.message}
    return location


def _region(span: Span) -> Object:
    span = span.in_file
    return {
        "startLine": span.row,
        "startColumn": span.column,
        "endLine": span.end_row,
        "endColumn": span.end_column,
    }


def _indexed(path: str, root: str, paths: Sequence[str]) -> Object:
    """Where a file is, and which of the files that were checked it is."""
    artifact = _artifact(path, root)
    return {**artifact, "index": paths.index(path)} if path in paths else artifact


def _artifact(path: str, root: str) -> Object:
    """Where a file is: below the root if it can be, so that the log means the same on another machine."""
    if not is_file(path):
        return {"uri": "stdin", "description": {"text": f"standard input, named {path}"}}
    relative = os.path.relpath(os.path.join(root, path), root)
    if relative.startswith(os.pardir) or os.path.isabs(relative):
        return {"uri": PurePath(os.path.normpath(os.path.join(root, path))).as_uri()}
    from urllib.parse import quote

    return {"uri": quote(portable(relative), errors="surrogateescape"), "uriBaseId": "SRCROOT"}


def _directory_uri(directory: str) -> str:
    return PurePath(directory).as_uri().rstrip("/") + "/"
