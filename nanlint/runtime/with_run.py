"""`nanlint check --with-run RUN`: findings after what a kept run said of them."""

from __future__ import annotations

import os
from collections.abc import Collection, Sequence
from dataclasses import replace

from nanlint.diagnostic import Confidence, Diagnostic
from nanlint.disk import real
from nanlint.hazards.observed import Word, with_run
from nanlint.runtime.health import Health
from nanlint.runtime.judging import verdicts_in
from nanlint.runtime.reporting import verdict_object
from nanlint.runtime.runfile import read_run
from nanlint.runtime.sites import GRADIENT_OF, ROUNDING
from nanlint.runtime.telling import KINDS, many
from nanlint.runtime.verdicts import State, Verdict
from nanlint.source.text import Source

#: what a test is missing after: nothing came by that says much
MISSING = (Word.FEW, Word.AWAY, Word.ONLY_EMPTY, Word.NOT_REACHED)


class ObservedRun:
    """Kept runs, asked for their word on findings. Raises RunError if one cannot be read."""

    def __init__(self, paths: Sequence[str]) -> None:
        found = verdicts_in(read_run(*paths))
        self._tests = any(one.seen is not None and one.seen.tests for one in found.findings)
        self._verdicts = {_key(one.diagnostic): one for one in found.findings}
        self._sources = {os.path.realpath(path): text for path, text in found.sources.items()}

    def judged(self, source: Source, found: Sequence[Diagnostic], least: Confidence) -> list[Diagnostic]:
        """Findings after the run, with what was seen of their operands: what happened or came near is more certain."""
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
        rounds = diagnostic.code.startswith(ROUNDING)
        level = with_run(diagnostic.confidence, verdict.word, tests=self._tests, rounds=rounds)
        text, missing = observed(verdict), ""
        if verdict.word in MISSING and diagnostic.witness is not None:
            missing = diagnostic.witness.text
            text += f"; a test that is missing: {missing}"
        saw = {**verdict_object(verdict), "word": str(verdict.word), "missing_test": missing or None}
        return replace(diagnostic, confidence=level, observed=text, saw=saw)


def observed(verdict: Verdict) -> str:
    """What a run saw at a finding, in one line."""
    seen, word = verdict.seen, verdict.word
    if word in (Word.NOT_WATCHED, Word.NOT_REACHED):
        return str(word)
    if verdict.state is State.CONFIRMED:
        what = verdict.alert or " and ".join(KINDS[kind] for kind in verdict.kinds)
        told = [f"{what} at step {verdict.step}" if not (seen and seen.happened) else f"{what}{_in(seen.happened)}"]
        told += ["the tests accept it"] if word is Word.ACCEPTED else []
    elif word is Word.NEAR:
        told = [f"near: {verdict.approach}"]
    elif word is Word.ONLY_EMPTY:
        return f"only empty, in {many(verdict.executions, 'execution')}{_in(seen.tests, seen.more) if seen else ''}"
    else:
        told = [str(verdict.state)] if verdict.state not in (State.CLEAN, State.NEAR) else []
    ranges = [
        f"{role} was in [{health.low:.6g}, {health.high:.6g}]{_bad(health)}"
        for role, health in verdict.roles.items()
        if health.low is not None and health.high is not None and not role.startswith(GRADIENT_OF)
    ]
    often = many(verdict.executions, "execution")
    if seen is not None and seen.elements > verdict.executions:
        often = f"{many(seen.elements, 'element')} of {often}"
    told += [", ".join(ranges)] if ranges else []
    tests = "" if seen is None or verdict.state is State.CONFIRMED else _in(seen.tests, seen.more)
    empty = f", {seen.empty:,} of them empty" if seen is not None and seen.empty else ""
    said = f"{'; '.join(told)} in {often}{tests}{empty}"
    return f"{word}: {said}" if word in (Word.FEW, Word.AWAY) else said


def _in(tests: Collection[str], more: int = 0) -> str:
    """In which tests, or in how many."""
    if not tests:
        return ""
    return f" in {next(iter(tests))}" if len(tests) + more == 1 else f" in {len(tests) + more:,} tests"


def _bad(health: Health) -> str:
    counts = [f"{getattr(health, kind)} {KINDS[kind]}" for kind in ("ninf", "pinf", "nan") if kind in health.bad]
    zero = [f"{health.zero} zero"] if health.zero else []
    return f" ({', '.join([*zero, *counts])})" if zero or counts else ""


def _key(diagnostic: Diagnostic) -> tuple[str, str, object]:
    return (real(diagnostic.path), diagnostic.code, diagnostic.span)
