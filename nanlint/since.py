"""A report without the findings that were there at a git revision already, by their fingerprints."""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping
from dataclasses import replace

from nanlint.config import Configs
from nanlint.disk import read_regular
from nanlint.lint.one_file import examine_source
from nanlint.lint.report import FileReport, Report
from nanlint.source.decoding import SourceError
from nanlint.source.git import contents_at, merge_base, top_level
from nanlint.source.project import in_project
from nanlint.source.reading import read_source


def without_earlier(report: Report, revision: str, configs: Configs, whole: Collection[str] = ()) -> Report:
    """``report`` with what was found already at the merge base of ``revision`` and HEAD among what is suppressed.

    ``whole``: real paths of files of which all is reported unless they have changed. What a baseline has said of a
    finding holds. Files with findings are checked as they were, among the other files as these were. Raises GitError.
    """
    if not report.diagnostics:
        return report
    top = top_level(os.getcwd())
    before = dict(contents_at(top, merge_base(top, revision)))
    texts = {path: text for path, content in before.items() if (text := _decoded(content, path)) is not None}

    def split(file: FileReport) -> FileReport:
        real = os.path.realpath(file.path)
        outside = not real.startswith(os.path.join(os.path.realpath(top), ""))
        if not file.diagnostics or outside or (real in whole and real not in before):
            return file
        known = _fingerprints(file.path, before, texts, configs)
        return file.without(known, f"there before {revision}")

    return replace(report, files=tuple(map(split, report.files)))


def _fingerprints(
    path: str, before: Mapping[str, bytes | None], texts: Mapping[str, str], configs: Configs
) -> frozenset[str]:
    """Those of the findings that a file had."""
    real, absolute = os.path.realpath(path), os.path.abspath(path)
    try:
        content = before[real] if real in before else read_regular(absolute)
        if content is None:
            return frozenset()
        source = in_project(read_source(content, path), texts)
    except (OSError, SourceError):
        return frozenset()
    config = configs.for_directory(os.path.dirname(absolute)).for_file(absolute)
    examined = examine_source(source, config, readback=False, witnesses=False)
    return frozenset(
        one.fingerprint for one in (*examined.shown, *(silenced.diagnostic for silenced in examined.suppressed))
    )


def _decoded(content: bytes | None, path: str) -> str | None:
    try:
        return None if content is None else read_source(content, path).text
    except SourceError:
        return None
