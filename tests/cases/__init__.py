"""What nanlint thinks of snippets that nothing executes: rows of text files, and what is found in them, as a snapshot.

A file has cases, each under a title: the text of a program, in which ``#> NL101 likely`` ends the line of each finding.
A case of several files begins each with ``--- path``. ``python -m tests.cases --write`` writes what is found now.
"""

from __future__ import annotations

import difflib
import os
import re
import tempfile
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path

import nanlint

FOLDER = Path(__file__).parent
FILES = sorted(FOLDER.glob("*.txt"))
TITLE = re.compile(r"^## (.+)\n", re.MULTILINE)
FILE = re.compile(r"^--- (.+)\n", re.MULTILINE)
FOUND = re.compile(r"  #> .*$", re.MULTILINE)

Findings = Sequence[nanlint.Diagnostic]


def cases(text: str) -> list[tuple[str, str]]:
    """The title and the text of each case of a file."""
    _, *parts = TITLE.split(text)
    return list(zip(parts[::2], parts[1::2], strict=True))


def found_now(case: str) -> str:
    """The text of a case with what is found in it now."""
    first, *parts = FILE.split(FOUND.sub("", case))
    if not parts:
        return _with_findings(first, nanlint.check_source(first, confidence="possible"))
    files = dict(zip(parts[::2], parts[1::2], strict=True))
    found = _in_project(files)
    return first + "".join(f"--- {path}\n{_with_findings(text, found[path])}" for path, text in files.items())


def difference(title: str, old: str, new: str) -> str:
    """What has become of a case, line by line."""
    lines = difflib.unified_diff(old.splitlines(), new.splitlines(), "is expected", "is found", n=100, lineterm="")
    return "\n".join([f"## {title}", *lines])


def _in_project(files: dict[str, str]) -> dict[str, list[nanlint.Diagnostic]]:
    """What is found in each file of a project of them."""
    found = defaultdict(list)
    with tempfile.TemporaryDirectory() as folder:
        for path, text in {"pyproject.toml": '[tool.nanlint]\nconfidence = "possible"\n', **files}.items():
            place = Path(folder, path)
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(text, encoding="utf-8")
        report = nanlint.check_paths([folder])
    assert not report.messages, report.messages
    for one in report.diagnostics:
        found[Path(os.path.relpath(one.path, folder)).as_posix()].append(one)
    return found


def _with_findings(text: str, found: Findings) -> str:
    """A program in which what is found ends its line."""
    lines = text.split("\n")
    for one in sorted(found, key=lambda one: (one.span.column, one.code)):
        line = lines[one.span.row - 1]
        lines[one.span.row - 1] = f"{line}{', ' if '  #> ' in line else '  #> '}{one.code} {one.confidence}"
    return "\n".join(lines)
