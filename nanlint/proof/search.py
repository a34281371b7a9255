"""The search for a witness: inputs within the evidence that make a finding real, in one framework."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import Any

from nanlint.graph.node import LOOP, PHI
from nanlint.proof.backend import Backend
from nanlint.proof.candidates import Row, assignments, drawn
from nanlint.proof.interpret import Cannot, Execution, Infeasible
from nanlint.proof.slice import Breaking, Slice, choices, exact

#: assignments tried for one width of rows, and random ones after them
MAX_TRIED = 240
MAX_DRAWN = 60
#: numbers tried for what an end needs beside the op that breaks
MAX_BESIDE = 12
#: assignments that fail at one and the same step before it is taken as it comes
MAX_FAILED = 6
MAX_CUTS = 8
#: a search that tried this much and computed every step has looked everywhere it can
THOROUGH = 120


@dataclass(frozen=True)
class Found:
    """Inputs that fail. ``end``: the step shown. ``gradients``: by source, of the sum of ``output``."""

    inputs: Mapping[int, Row]
    width: int
    end: int
    output: Row
    gradients: Mapping[int, Row] | None = None
    cuts: frozenset[int] = frozenset()


@dataclass
class Outcome:
    """What a search came to.

    ``tried``: how many inputs got through. ``complete``: nothing had to be taken as it comes.
    """

    found: Found | None = None
    tried: int = 0
    complete: bool = True

    @property
    def refuted(self) -> bool:
        """Whether it looked everywhere it can and nothing fails."""
        return self.found is None and self.complete and self.tried >= THOROUGH


@dataclass
class Search:
    """One search. ``deadline``: when to stop, on the clock of ``time.monotonic``; None for a count only."""

    program: Slice
    backend: Backend
    deadline: float | None = None
    cuts: set[int] = field(default_factory=set)
    outcome: Outcome = field(default_factory=Outcome)
    #: whether a gradient alone counts
    slopes: bool = True

    def run(self, hints: Sequence[Found] = ()) -> Outcome:
        """Look for a witness; ``hints``: what failed elsewhere is tried first."""
        for hint in hints:
            self.cuts = set(hint.cuts)
            found = self.judge(dict(hint.inputs), hint.width)
            if found is not None:
                self.outcome.found = found
                return self.outcome
        # where no pole says what fails, a value that does says more than a gradient
        for slopes in (True,) if self.program.breaking is not None else (False, True):
            self.slopes = slopes
            for width in self.widths():
                self.cuts = set()
                self.outcome.found = self.at_width(width)
                if self.outcome.found is not None:
                    return self.outcome
        told = exact(self.program, self.program.at)
        self.outcome.complete = self.outcome.complete and not self.cuts and told and self.program.breaking is not None
        return self.outcome

    def others(self, first: Found, limit: int) -> Iterator[Found]:
        """More inputs that fail, up to a ``limit`` of each width, with the same steps taken as they come."""
        self.cuts, self.slopes = set(first.cuts), True
        for width in self.widths():
            failing = 0
            for inputs in self.inputs(width):
                if failing >= limit or (self.deadline is not None and time.monotonic() > self.deadline):
                    break
                try:
                    found = self.judge(inputs, width)
                except (Infeasible, Cannot):
                    continue
                if found is not None and found.inputs != first.inputs:
                    failing += 1
                    yield found

    def widths(self) -> tuple[int, ...]:
        """Lengths of rows to try: single numbers first, but not where a spread is taken."""
        ops = {self.program.steps[i].op for i in self.program.upstream(self.program.at)}
        return (2, 1) if ops & {"std", "var", "corrcoef", "diff", "softmax", "argmax"} else (1, 2)

    def at_width(self, width: int) -> Found | None:
        """The first inputs of that width that fail."""
        while True:
            failed: dict[int, int] = {}
            passed = False
            for inputs in self.inputs(width):
                if self.deadline is not None and time.monotonic() > self.deadline:
                    self.outcome.complete = False
                    return None
                try:
                    found = self.judge(inputs, width)
                except Infeasible:
                    continue
                except Cannot as cannot:
                    failed[cannot.step] = failed.get(cannot.step, 0) + (MAX_FAILED if cannot.ever else 1)
                    if failed[cannot.step] >= MAX_FAILED and not passed:
                        break
                    continue
                passed = True
                self.outcome.tried += 1
                if found is not None:
                    return found
            else:
                return None
            worst = max(failed, key=lambda step: failed[step])
            if worst == self.program.at or len(self.cuts) >= MAX_CUTS:
                self.outcome.complete = False
                return None
            self.cuts.add(worst)

    def inputs(self, width: int) -> Iterator[dict[int, Row]]:
        """Everything that is tried at one width."""
        cuts = frozenset(self.cuts)
        options = self.options([self.program.at], cuts)
        sources = [*self.program.sources(self.program.at, cuts), *options]
        operand = self.program.breaking.operand if self.program.breaking else self.program.at
        critical = frozenset(self.program.sources(operand, cuts))
        yield from islice(assignments(self.program, sources, critical, options, width), MAX_TRIED)
        for seed in range(MAX_DRAWN if sources else 0):
            yield drawn(self.program, sources, options, width, seed)

    def options(self, roots: list[int], cuts: frozenset[int]) -> dict[int, list[Row]]:
        """The ways at each choice: either branch, turns of a loop, elements taken."""
        ways: dict[str, list[Row]] = {
            PHI: [(0.0,), (1.0,)],
            "dot": [(0.0,), (1.0,)],
            LOOP: [(1.0,), (0.0,), (2.0,)],
        }
        places: list[Row] = [(0.0,), (1.0,), (2.0,)]
        return {i: ways.get(self.program.steps[i].op, places) for i in choices(self.program, roots, cuts)}

    # ── judging one assignment ──────────────────────────────────────────────────────────────────────────────────────

    def judge(self, inputs: dict[int, Row], width: int) -> Found | None:
        """What fails with these inputs, if anything does.

        Raises:
            Infeasible, Cannot: if the op that breaks is not reached, or not computed.
        """
        run = self.execution(inputs, width)
        at = self.program.at
        output = run.numbers(at)
        breaking = self.program.breaking
        if breaking is not None and not met(breaking, run):
            return None
        bad = not all(map(math.isfinite, output))
        if breaking is not None and not breaking.trap and not bad:
            return None
        if breaking is None and not bad and not (self.slopes and self.backend.differentiates):
            return None
        used = {i: row for i, row in inputs.items() if run.reached(i)}
        first = Found(used, width, at, output, None, frozenset(self.cuts))
        if bad and (breaking is None or not breaking.hidden):
            return self.with_gradients(self.farthest(first))
        if not self.backend.differentiates:
            # the pole is met; what its slope does is for a framework to say
            return self.farthest(first, bad=False)
        for end in [*reversed(self.program.ends[1:]), at]:
            reached = self.at_end(first, end)
            shown = self.with_gradients(reached) if reached is not None else None
            if shown is not None and any(not math.isfinite(g) for row in (shown.gradients or {}).values() for g in row):
                return shown
        return None

    def farthest(self, found: Found, *, bad: bool = True) -> Found:
        """The failure seen as far forward as it shows."""
        for end in reversed(self.program.ends[1:]):
            reached = self.at_end(found, end, bad=bad)
            if reached is not None:
                return reached
        return found

    def at_end(self, found: Found, end: int, *, bad: bool = False) -> Found | None:
        """What an end gives, with plain numbers for what it needs beside.

        With ``bad`` only if that is not finite, and rather nan than inf: of ``0 * -inf`` a loss does not recover.
        """
        if end == found.end:
            return found
        cuts = frozenset(self.cuts)
        options = self.options([end], cuts)
        needed = [i for i in (*self.program.sources(end, cuts), *options) if i not in found.inputs]
        infinite: Found | None = None
        for beside in islice(assignments(self.program, needed, frozenset(), options, found.width), MAX_BESIDE):
            inputs = {**found.inputs, **beside}
            try:
                run = self.execution(inputs, found.width)
                output = run.numbers(end)
                again = run.numbers(found.end)
            except (Infeasible, Cannot):
                continue
            if [*map(math.isfinite, again)] != [*map(math.isfinite, found.output)]:
                continue
            used = {i: row for i, row in inputs.items() if run.reached(i)}
            reached = replace(found, inputs=used, end=end, output=output)
            if not bad or any(map(math.isnan, output)):
                return reached
            if infinite is None and not all(map(math.isfinite, output)):
                infinite = reached
        return infinite

    def with_gradients(self, found: Found) -> Found:
        """The gradient of what is found with respect to all that is trained; as it was where none can be taken."""
        trained = [
            i
            for i in self.program.sources(found.end, found.cuts)
            if not (d := self.program.steps[i].domain).scalar and not d.data and not d.whole and i in found.inputs
        ]
        if not self.backend.differentiates or not trained:
            return found
        seen: dict[tuple[int, int], Any] = {}
        try:
            Execution(self.program, self.backend, found.inputs, width=found.width, cuts=found.cuts, seen=seen).value(
                found.end
            )

            def forward(rows: list[Any]) -> Any:
                run = Execution(
                    self.program, self.backend, found.inputs, width=found.width, cuts=found.cuts, seen=dict(seen)
                )
                run.rows = dict(zip(trained, rows, strict=True))
                return run.joined(run.value(found.end))

            steps = [self.program.steps[i] for i in trained]
            leaves = [
                self.backend.row(found.inputs[i], step.domain.format) for i, step in zip(trained, steps, strict=True)
            ]
            gradients = self.backend.gradients(forward, leaves)
        except Exception:  # whatever a framework does not differentiate
            return found
        known = {i: row for i, row in zip(trained, gradients, strict=True) if row is not None}
        return replace(found, gradients=known or None)

    def execution(self, inputs: Mapping[int, Row], width: int) -> Execution:
        return Execution(self.program, self.backend, inputs, width=width, cuts=frozenset(self.cuts))


def met(breaking: Breaking, run: Execution) -> bool:
    """Whether some element is at the pole, for the reason that is told."""
    numbers = run.numbers(breaking.operand)
    because = breaking.because
    if because is not None and not run.reached(because) and because in run.program.upstream(breaking.operand, run.cuts):
        return False
    return any(_in_class(x + breaking.shift, breaking.cls, breaking) for x in numbers) and all(
        any(_in_class(x, cls, breaking) for x in run.numbers(step)) for step, cls in breaking.also
    )


def _in_class(x: float, cls: str, breaking: Breaking) -> bool:
    if cls == "nan":
        return math.isnan(x)
    if cls in ("pinf", "ninf"):
        return math.isinf(x) and (x > 0) == (cls == "pinf")
    if cls in ("low", "high"):
        return x == (breaking.lo if cls == "low" else breaking.hi)
    return x == 0 if cls == "zero" else x < 0 if cls == "neg" else x > 0
