"""``--add-ignore``: the findings that remain -> comments that silence them, checked to do so.

How such a comment is written and where it goes is said in ``source.ignoring``; here is that it works.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace

from nanlint.config import Config, Configs
from nanlint.diagnostic import Diagnostic
from nanlint.disk import read_regular
from nanlint.disk import reason as why
from nanlint.housekeeping import HOUSEKEEPING
from nanlint.lint.known_rules import rule_names
from nanlint.lint.one_file import examine_source, excerpt_of
from nanlint.lint.report import FileReport, Report
from nanlint.source.decoding import SourceError
from nanlint.source.edits import edited
from nanlint.source.ignoring import ignore_lines
from nanlint.source.project import in_project
from nanlint.source.reading import read_source
from nanlint.source.text import Source
from nanlint.source.writing import write_atomically

# A comment that is heard by another finding than was meant takes a second round.
_ROUNDS = 3


def silence(
    report: Report, configs: Configs, reason: str, *, write: bool = True, content: bytes | None = None
) -> Report:
    """``report`` once the findings that remain are silenced in their files; what could not be silenced remains.

    Without ``write`` the files are left alone, and hold what would become of them. ``content`` is what standard input
    brought, if that was checked.
    """
    files = (_silenced(file, configs, reason, write, content) for file in report.files)
    return replace(report, files=tuple(files))


def _silenced(file: FileReport, configs: Configs, reason: str, write: bool, content: bytes | None) -> FileReport:
    if not _numeric(file.diagnostics):
        return file
    absolute = os.path.abspath(file.path)
    config = configs.for_directory(os.path.dirname(absolute)).for_file(absolute)
    try:
        if content is None:
            content = read_regular(file.path)
        source = file.after or in_project(read_source(content, file.path))
        silenced = silence_text(file, source, config, reason)
        if not write or silenced.after is None:
            return silenced
        write_atomically(file.path, content, silenced.after.to_bytes())
        return replace(silenced, before=None, after=None)
    except OSError as error:
        return replace(file, failure=f"{file.path}: could not be read: {why(error)}")
    except SourceError as error:
        return replace(file, failure=str(error))


def silence_text(file: FileReport, source: Source, config: Config, reason: str) -> FileReport:
    """The report of a file whose text is ``source``, as it is once comments silence its findings; nothing is written.

    Raises SourceError if the comments cannot be written in the file's encoding.
    """
    wanted = {one.fingerprint for one in _numeric(file.diagnostics)}
    text, examined = source, examine_source(source, config)
    for _ in range(_ROUNDS):
        left = [one for one in _numeric(examined.shown) if one.fingerprint in wanted]
        mended = edited(text, ignore_lines(text, left, rule_names(), reason))
        if not left or len(mended.failures) > len(text.failures):
            break
        text, examined = mended, examine_source(mended, config)
    text.to_bytes()
    now = {one.fingerprint: one for one in examined.shown}
    silenced = {one.diagnostic.fingerprint for one in examined.suppressed}
    ignored = tuple(one for one in _numeric(file.diagnostics) if one.fingerprint in silenced)
    if not ignored:
        return file
    # What a run, a proof or a baseline has judged stays as it was judged; only its lines may have moved.
    remaining = [_moved(one, now) for one in file.diagnostics if one.fingerprint not in silenced]
    external = (replace(one, diagnostic=_moved(one.diagnostic, now)) for one in file.suppressed if one.external)
    suppressed = (*examined.suppressed, *external)
    return replace(
        file,
        diagnostics=tuple(map(text.in_cells, remaining)),
        suppressed=tuple(replace(one, diagnostic=text.in_cells(one.diagnostic)) for one in suppressed),
        ignored=ignored,
        before=file.before or source,
        after=text,
        excerpt=excerpt_of(text, [one for one in remaining if one.fingerprint in now]),
    )


def _numeric(findings: Sequence[Diagnostic]) -> list[Diagnostic]:
    """Those that are about the code: what is to be said of comments is not silenced by another one."""
    return [one for one in findings if one.code not in HOUSEKEEPING]


def _moved(finding: Diagnostic, now: Mapping[str, Diagnostic]) -> Diagnostic:
    same = now.get(finding.fingerprint, finding)
    return replace(finding, span=same.span, causes=same.causes, fix=same.fix)
