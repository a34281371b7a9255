"""``--output-format junit``: the XML of JUnit and Ant, which nearly every CI shows as tests that failed."""

from __future__ import annotations

from xml.etree import ElementTree

from nanlint.diagnostic import Diagnostic
from nanlint.lint.report import FileReport
from nanlint.output.full import render_full
from nanlint.output.view import View, portable
from nanlint.version import __version__

_LEGAL = (("\x20", "\ud7ff"), ("\ue000", "\ufffd"), ("\U00010000", "\U0010ffff"))


def render(view: View) -> str:
    """A suite for each file, with a test that failed for each finding; a file without findings is one that passed."""
    suites = ElementTree.Element("testsuites")
    for file in view.report.files:
        _suite(suites, view, file)
    if view.report.failures:
        _failed_paths(suites, view)
    ElementTree.indent(suites)
    return '<?xml version="1.0" encoding="utf-8"?>\n' + ElementTree.tostring(suites, encoding="unicode") + "\n"


def _suite(suites: ElementTree.Element, view: View, file: FileReport) -> None:
    path = portable(file.path)
    unread = int(file.failure is not None)
    suite = _begun(suites, view, path, max(len(file.diagnostics) + unread, 1), len(file.diagnostics), unread)
    for diagnostic in file.diagnostics:
        case = _case(suite, f"{diagnostic.code} {diagnostic.name} at {diagnostic.span.start}", path)
        message = f"{diagnostic.message} ({diagnostic.confidence})"
        failure = ElementTree.SubElement(
            case, "failure", {"type": str(diagnostic.severity), "message": _legal(message)}
        )
        failure.text = _legal(_told(diagnostic, file))
    if file.failure is not None:
        _error(_case(suite, "can be read", path), file.failure)
    elif not file.diagnostics:
        _case(suite, "no findings", path)
    _ended(suite)


def _failed_paths(suites: ElementTree.Element, view: View) -> None:
    failures = view.report.failures
    suite = _begun(suites, view, "nanlint", len(failures), 0, len(failures))
    for number, failure in enumerate(failures, 1):
        _error(_case(suite, f"path {number} can be visited", "nanlint"), failure)
    _ended(suite)


def _begun(
    suites: ElementTree.Element, view: View, name: str, tests: int, failures: int, errors: int
) -> ElementTree.Element:
    suite = ElementTree.SubElement(
        suites,
        "testsuite",
        {
            "name": _legal(name),
            "package": "nanlint",
            "id": str(len(suites)),
            "timestamp": view.began.strftime("%Y-%m-%dT%H:%M:%S"),
            "hostname": "localhost",
            "tests": str(tests),
            "failures": str(failures),
            "errors": str(errors),
            "time": "0",
        },
    )
    properties = ElementTree.SubElement(suite, "properties")
    ElementTree.SubElement(properties, "property", {"name": "nanlint", "value": __version__})
    return suite


def _ended(suite: ElementTree.Element) -> None:
    ElementTree.SubElement(suite, "system-out")
    ElementTree.SubElement(suite, "system-err")


def _case(suite: ElementTree.Element, name: str, path: str) -> ElementTree.Element:
    return ElementTree.SubElement(suite, "testcase", {"name": _legal(name), "classname": _legal(path), "time": "0"})


def _error(case: ElementTree.Element, text: str) -> None:
    ElementTree.SubElement(case, "error", {"type": "error", "message": _legal(text)}).text = _legal(text)


def _told(diagnostic: Diagnostic, file: FileReport) -> str:
    return render_full([diagnostic], file.excerpt).rstrip()


def _legal(text: str) -> str:
    """What XML 1.0 has no way to say is replaced: control characters, lone surrogates, the two noncharacters."""
    return "".join(character if _is_legal(character) else "\N{REPLACEMENT CHARACTER}" for character in text)


def _is_legal(character: str) -> bool:
    return character in "\t\n\r" or any(first <= character <= last for first, last in _LEGAL)
