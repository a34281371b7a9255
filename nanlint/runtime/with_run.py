"""`nanlint check --with-run RUN`: findings after what a kept run said of them."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import replace

from nanlint.diagnostic import Confidence, Diagnostic
from nanlint.linter import FileReport, Report
from nanlint.runtime.health import Health
from nanlint.runtime.runfile import read_run
from nanlint.runtime.telling import KINDS
from nanlint.runtime.verdicts import State, Verdict, verdicts_of
from nanlint.source.decoding import SourceError
from nanlint.source.text import Source


class ObservedRun:
    """A kept run, asked for its word on findings. Raises RunError if it cannot be read."""

    def __init__(self, path: str) -> None:
        run = read_run(path)
        found = verdicts_of(run, Confidence.POSSIBLE)
        self._verdicts = {_key(one.diagnostic): one for one in found.findings}
        self._sources = {os.path.realpath(path): source.text for path, source in found.sources.items()}

    def report(self, report: Report, least: Callable[[str], Confidence]) -> Report:
        """A report of all that is possible, with what was observed and without what then is not sure enough.

        ``least`` says of a path how sure a finding must be to be shown. Notes name files that have changed since.
        """
        return replace(report, files=tuple(self._shown(self._file(file), least(file.path)) for file in report.files))

    def _shown(self, file: FileReport, least: Confidence) -> FileReport:
        kept = tuple(one for one in file.diagnostics if one.confidence >= least)
        return replace(file, diagnostics=kept)

    def _file(self, file: FileReport) -> FileReport:
        kept = self._sources.get(os.path.realpath(file.path))
        if kept is None or not file.diagnostics:
            return file
        if not _same(kept, file.path):
            note = f"{file.path}: has changed since the run, which is not asked about it"
            return replace(file, notes=(*file.notes, note))
        return replace(file, diagnostics=tuple(map(self.judged, file.diagnostics)))

    def judged(self, diagnostic: Diagnostic) -> Diagnostic:
        """A finding after the run: certain where it was confirmed, with what was seen of its operands."""
        verdict = self._verdicts.get(_key(diagnostic))
        if verdict is None:
            return diagnostic
        sure = Confidence.CERTAIN if verdict.state is State.CONFIRMED else diagnostic.confidence
        return replace(diagnostic, confidence=sure, observed=observed(verdict))


def observed(verdict: Verdict) -> str:
    """What a run saw at a finding, in one line."""
    if verdict.state is State.NOT_REACHED:
        return "not reached"
    ranges = "; ".join(
        f"{role} in [{health.low:.6g}, {health.high:.6g}]{_bad(health)}"
        for role, health in verdict.roles.items()
        if health.low is not None and health.high is not None
    )
    if verdict.state is State.CONFIRMED:
        what = " and ".join(KINDS[kind] for kind in verdict.kinds)
        return f"{what} at step {verdict.step}{': ' if ranges else ''}{ranges}"
    return f"{verdict.state} in {verdict.executions} executions{': ' if ranges else ''}{ranges}"


def _bad(health: Health) -> str:
    counts = [f"{getattr(health, kind)} {KINDS[kind]}" for kind in ("ninf", "pinf", "nan") if kind in health.bad]
    zero = [f"{health.zero} zero"] if health.zero else []
    return f" ({', '.join([*zero, *counts])})" if zero or counts else ""


def _key(diagnostic: Diagnostic) -> tuple[str, str, object]:
    return (os.path.realpath(diagnostic.path), diagnostic.code, diagnostic.span)


def _same(kept: str, path: str) -> bool:
    try:
        with open(path, "rb") as file:
            return Source.from_bytes(file.read(), path).text == kept
    except (OSError, SourceError):
        return False
