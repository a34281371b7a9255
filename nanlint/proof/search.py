"""The search for a witness: inputs within the evidence that make a finding real, in one framework."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import Any

from nanlint.graph.node import CONST, LOOP, PHI
from nanlint.proof.backend import Backend
from nanlint.proof.candidates import assignments, drawn
from nanlint.proof.entering import Sort
from nanlint.proof.interpret import Cannot, Execution, Infeasible
from nanlint.proof.plausible import Plausibility, Row, of_all, plain
from nanlint.proof.slice import Breaking, Slice, choices, exact

#: assignments tried for one width of rows, and random ones after them
MAX_TRIED = 240
MAX_DRAWN = 60
#: the longest row that is tried, where a condition asks for sizes
LONGEST_ROW = 4
#: numbers tried for what an end needs beside the op that breaks
MAX_BESIDE = 12
#: assignments in a row that need a step which cannot be computed before a width is given up
MAX_FAILED = 24
#: inputs at least as plausible as this end a search
ENOUGH = Plausibility.SATURATING
#: classes of what is not finite: something made it so
INFINITE = frozenset({"pinf", "ninf", "nan"})
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
    plausibility: Plausibility = Plausibility.ORDINARY


@dataclass
class Outcome:
    """What a search came to.

    ``tried``: how many inputs got through. ``complete``: every step could be computed.
    """

    found: Found | None = None
    tried: int = 0
    complete: bool = True

    @property
    def searched(self) -> bool:
        """Whether much got through, so that it says something if nothing fails."""
        return self.tried >= THOROUGH

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
    outcome: Outcome = field(default_factory=Outcome)
    #: whether a gradient alone counts
    slopes: bool = True
    #: whether what is not finite has to begin at the op that breaks
    begins: bool = False

    def run(self, hints: Sequence[Found] = ()) -> Outcome:
        """Look for a witness; ``hints``: what failed elsewhere is tried first."""
        best: Found | None = None
        for hint in hints:
            with suppress(Infeasible, Cannot):
                best = better(best, self.judge(dict(hint.inputs), hint.width))
        # where no pole says what fails, a value that does says more than a gradient, and most where it does so first
        ways = ((True, False),) if self.program.breaking is not None else ((False, True), (False, False), (True, False))
        # without gradients the last way is the one before it
        for slopes, begins in ways if self.backend.differentiates else ways[:2]:
            self.slopes, self.begins = slopes, begins
            for width in self.widths():
                if best is None or best.plausibility < ENOUGH:
                    best = better(best, self.at_width(width))
            if best is not None:
                break
        self.outcome.found = best
        told = exact(self.program, self.program.at)
        self.outcome.complete = self.outcome.complete and told and self.program.breaking is not None
        return self.outcome

    def widths(self) -> tuple[int, ...]:
        """Lengths of rows to try: single numbers first, but not where a spread is taken."""
        ops = {self.program.steps[i].op for i in self.program.upstream(self.program.at)}
        longer = (3, LONGEST_ROW) if self.counted(self.program.at) else ()
        return *(
            (2, 1) if ops & {"std", "var", "corrcoef", "diff", "softmax", "argmax", "argsort"} else (1, 2)
        ), *longer

    def at_width(self, width: int) -> Found | None:
        """The most plausible inputs of that width that fail: the first that are plausible enough."""
        best: Found | None = None
        failed = passed = 0
        for inputs in self.inputs(width):
            if self.deadline is not None and time.monotonic() > self.deadline:
                self.outcome.complete = False
                break
            try:
                found = self.judge(inputs, width)
            except Infeasible:
                continue
            except Cannot:
                self.outcome.complete = False
                failed += 1
                if failed >= MAX_FAILED and not passed:
                    break
                continue
            passed += 1
            self.outcome.tried += 1
            best = better(best, found)
            if best is not None and best.plausibility >= ENOUGH:
                break
        return best

    def inputs(self, width: int) -> Iterator[dict[int, Row]]:
        """Everything that is tried at one width."""
        roots = self.program.before(self.program.at)
        options = {i: rows for root in roots for i, rows in self.options(root).items()}
        options |= {i: [(float(width),)] for i in self.counted(self.program.at)}
        sources = list(dict.fromkeys([*(i for root in roots for i in self.program.sources(root)), *options]))
        operand = self.program.breaking.operand if self.program.breaking else self.program.at
        critical = frozenset(self.program.sources(operand))
        yield from islice(assignments(self.program, sources, critical, options, width), MAX_TRIED)
        for seed in range(MAX_DRAWN if sources else 0):
            yield drawn(self.program, sources, options, width, seed)

    def counted(self, root: int) -> list[int]:
        """The sizes that a condition on the way asks for: a row has as many numbers."""
        asked = (i for cond, _ in self.program.guards.get(root, ()) for i in self.program.sources(cond))
        return [i for i in asked if self.program.steps[i].sort is Sort.SIZE]

    def options(self, root: int) -> dict[int, list[Row]]:
        """The ways at each choice: either branch, turns of a loop, elements taken."""
        ways: dict[str, list[Row]] = {
            PHI: [(0.0,), (1.0,)],
            "dot": [(0.0,), (1.0,)],
            LOOP: [(1.0,), (0.0,), (2.0,)],
        }
        places: list[Row] = [(0.0,), (1.0,), (2.0,)]
        found = {i: ways.get(self.program.steps[i].op, places) for i in choices(self.program, root)}
        return {i: self.leading(i) if self.program.steps[i].op == PHI else found[i] for i in found}

    def leading(self, phi: int) -> list[Row]:
        """The ways at a branch: the one that what is told leads through, if only one of them does; else both."""
        because = self.program.breaking.because if self.program.breaking is not None else None
        args = self.program.steps[phi].args
        through = [rank for rank, way in ((0.0, "a"), (1.0, "b")) if because in self.program.upstream(args[way])]
        return [(rank,) for rank in through] or [(0.0,), (1.0,)]

    # ── judging one assignment ──────────────────────────────────────────────────────────────────────────────────────

    def judge(self, inputs: dict[int, Row], width: int) -> Found | None:
        """What fails with these inputs, if anything does.

        Raises:
            Infeasible, Cannot: if the op that breaks is not reached, or not computed.
        """
        run = self.execution(inputs, width)
        at = self.program.at
        output = run.numbers(at)
        admitted(run, at)
        breaking = self.program.breaking
        if breaking is not None and not met(breaking, run):
            return None
        bad = not all(map(math.isfinite, output))
        if breaking is not None and not breaking.gradient and not bad:
            return None
        if breaking is None and not bad and not (self.slopes and self.backend.differentiates):
            return None
        if (breaking is None or breaking.cls in INFINITE) and breaks_elsewhere(run):
            return None
        if breaking is None and bad and (not overflows(run) or (self.begins and not begins_there(run))):
            return None
        first = self.failure(inputs, width, at, output, run)
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

    def failure(self, inputs: Mapping[int, Row], width: int, end: int, output: Row, run: Execution) -> Found:
        """Inputs that fail, without those that nothing asked for."""
        used = {i: row for i, row in inputs.items() if run.reached(i)}
        given = [(self.program.steps[i], row) for i, row in used.items() if self.program.is_source(i)]
        return Found(used, width, end, output, None, of_all(given))

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
        roots = self.program.before(end)
        options = {i: rows for root in roots for i, rows in self.options(root).items()}
        sources = [*(i for root in roots for i in self.program.sources(root)), *options]
        needed = [i for i in dict.fromkeys(sources) if i not in found.inputs]
        infinite: Found | None = None
        for beside in islice(assignments(self.program, needed, frozenset(), options, found.width), MAX_BESIDE):
            inputs = {**found.inputs, **beside}
            try:
                run = self.execution(inputs, found.width)
                output = run.numbers(end)
                again = run.numbers(found.end)
                admitted(run, end)
            except (Infeasible, Cannot):
                continue
            if [*map(math.isfinite, again)] != [*map(math.isfinite, found.output)]:
                continue
            if breaks_beside(run, end):
                continue
            reached = self.failure(inputs, found.width, end, output, run)
            if not bad or any(map(math.isnan, output)):
                return reached
            if infinite is None and not all(map(math.isfinite, output)):
                infinite = reached
        return infinite

    def plainer(self, found: Found) -> Found:
        """The same failure with plain numbers in place of random ones, or with fewer digits, as far as it is one."""
        for i, row in found.inputs.items():
            if not self.program.is_source(i) or all(map(plain, row)):
                continue
            shorter = [tuple(float(f"{x:.{digits}g}") for x in row) for digits in (1, 2, 3)]
            for other in (*((x,) * len(row) for x in (1.0, 0.0)), *shorter):
                inputs = {**found.inputs, i: other}
                if not all(map(self.program.steps[i].domain.admits, other)):
                    continue
                with suppress(Infeasible, Cannot):
                    again = self.judge(inputs, found.width)
                    if again is not None:
                        found = again
                        break
        return found

    def with_gradients(self, found: Found) -> Found:
        """The gradient of what is found with respect to all that is trained; as it was where none can be taken."""
        trained = [
            i
            for i in self.program.sources(found.end)
            if not (d := self.program.steps[i].domain).scalar and not d.data and not d.whole and i in found.inputs
        ]
        if not self.backend.differentiates or not trained:
            return found
        seen: dict[tuple[int, int], Any] = {}
        try:
            Execution(self.program, self.backend, found.inputs, width=found.width, seen=seen).value(found.end)

            def forward(rows: list[Any]) -> Any:
                run = Execution(self.program, self.backend, found.inputs, width=found.width, seen=dict(seen))
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
        return Execution(self.program, self.backend, inputs, width=width)


def admitted(run: Execution, step: int) -> None:
    """Raise Infeasible for numbers that the program does not come to a step with, or that nothing can be given.

    That is a condition on the way that does not hold; two rows by one name; a number for what is called, or holds what
    is given by its own name: ``f`` beside ``f(x)``, ``data`` beside ``data["w"]``. Of sizes nothing is asked where rows
    are as long as they are tried: an image is larger.
    """
    for cond, holds in run.program.guards.get(step, ()):
        if run.width == LONGEST_ROW and any(run.program.steps[i].sort is Sort.SIZE for i in run.program.sources(cond)):
            continue
        with suppress(Cannot):
            numbers = run.numbers(cond)
            if numbers and not (all(numbers) if holds else not any(numbers)):
                raise Infeasible
    given = [i for i in run.inputs if run.program.is_source(i) and run.reached(i)]
    given = [i for i in given if run.program.steps[i].sort is not Sort.SIZE]
    named: dict[str, Row] = {}
    for i in given:
        if named.setdefault(run.program.steps[i].name, run.inputs[i]) != run.inputs[i]:
            raise Infeasible
    if any(other.startswith((f"{name}(", f"{name}[", f"{name}.")) for name in named for other in named):
        raise Infeasible


def breaks_elsewhere(run: Execution) -> bool:
    """Whether what is not finite begins at another step than the one told and the kind of those that make it so.

    So 0 / 0 in an exponent shows nothing of the exponential that is told to overflow.
    """
    program, steps = run.program, run.program.steps
    told = {steps[i].op for i in program.told}
    for i in program.upstream(program.at):
        if i == program.at or steps[i].op == CONST or not run.reached(i) or finite(run, i):
            continue
        begins = all(finite(run, a) for a in steps[i].args.values() if run.reached(a))
        if begins and told.isdisjoint(steps[j].op for j in program.upstream(i)):
            return True
    return False


def overflows(run: Execution) -> bool:
    """Whether what is told to overflow, if anything is on the way to the op that breaks, does."""
    before = [i for i in run.program.overflowing if run.reached(i)]
    return not before or not all(finite(run, i) for i in before)


def begins_there(run: Execution) -> bool:
    """Whether no operand of the op that breaks is nan before it is."""
    operands = run.program.steps[run.program.at].args.values()
    return not any(run.reached(i) and any(map(math.isnan, run.numbers(i))) for i in operands)


def breaks_beside(run: Execution, end: int) -> bool:
    """Whether what an end needs beside the op that breaks is not finite: then it shows another failure."""
    program = run.program
    before = program.behind.union(program.upstream(program.at))
    return any(
        run.reached(i) and not finite(run, i)
        for i in program.upstream(end)
        if i not in before and program.steps[i].op != CONST
    )


def finite(run: Execution, step: int) -> bool:
    """Whether all that a step gives is finite; what is no row of numbers is."""
    with suppress(Infeasible, Cannot):
        return all(map(math.isfinite, run.numbers(step)))
    return True


def better(known: Found | None, other: Found | None) -> Found | None:
    """The more plausible of two; the one known before where they are alike."""
    if known is None or other is None:
        return known or other
    return other if other.plausibility > known.plausibility else known


def met(breaking: Breaking, run: Execution) -> bool:
    """Whether some element is at the pole, for the reason that is told."""
    numbers = run.numbers(breaking.operand)
    because = breaking.because
    if because is not None and not run.reached(because) and because in run.program.upstream(breaking.operand):
        return False
    return any(_in_class(x + breaking.shift, breaking.cls, breaking) for x in numbers) and all(
        any(_in_class(x + shift, cls, breaking) for x in run.numbers(step)) for step, shift, cls in breaking.also
    )


def _in_class(x: float, cls: str, breaking: Breaking) -> bool:
    if cls == "nan":
        return math.isnan(x)
    if cls in ("pinf", "ninf"):
        return math.isinf(x) and (x > 0) == (cls == "pinf")
    if cls in ("low", "high"):
        return x == (breaking.lo if cls == "low" else breaking.hi)
    return x == 0 if cls == "zero" else x < 0 if cls == "neg" else x > 0
