"""`nanlint check --with-run RUN`: findings after what a kept run said of them."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace

from nanlint.diagnostic import Confidence, Diagnostic
from nanlint.disk import real
from nanlint.runtime.health import Health
from nanlint.runtime.judging import verdicts_in
from nanlint.runtime.runfile import read_run
from nanlint.runtime.telling import KINDS
from nanlint.runtime.verdicts import State, Verdict
from nanlint.source.text import Source


class ObservedRun:
    """A kept run, asked for its word on findings. Raises RunError if it cannot be read."""

    def __init__(self, path: str) -> None:
        found = verdicts_in(read_run(path))
        self._verdicts = {_key(one.diagnostic): one for one in found.findings}
        self._sources = {os.path.realpath(path): text for path, text in found.sources.items()}

    def judged(self, source: Source, found: Sequence[Diagnostic], least: Confidence) -> list[Diagnostic]:
        """Findings after the run: certain where it confirmed them, with what was seen of their operands."""
        if self._kept(source) == source.text:
            found = [self._observed(diagnostic) for diagnostic in found]
        return [diagnostic for diagnostic in found if diagnostic.confidence >= least]

    def note(self, source: Source) -> str | None:
        """That a file has changed since, and is not what the run saw."""
        kept = self._kept(source)
        if kept is None or kept == source.text:
            return None
        return f"{source.path}: has changed since the run, so the run is not used for it"

    def _kept(self, source: Source) -> str | None:
        return self._sources.get(real(source.path))

    def _observed(self, diagnostic: Diagnostic) -> Diagnostic:
        verdict = self._verdicts.get(_key(diagnostic))
        if verdict is None:
            return diagnostic
        if verdict.state is State.CONFIRMED:
            return replace(diagnostic, confidence=Confidence.CERTAIN, observed=observed(verdict))
        return replace(diagnostic, observed=observed(verdict))


def observed(verdict: Verdict) -> str:
    """What a run saw at a finding, in one line."""
    if verdict.state in (State.NOT_WATCHED, State.NOT_REACHED):
        return str(verdict.state)
    if verdict.alert and verdict.state is State.CONFIRMED:
        return f"{verdict.alert}, at step {verdict.step}"
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
    return (real(diagnostic.path), diagnostic.code, diagnostic.span)
