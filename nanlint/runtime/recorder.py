"""What adapters and probes report to, in the watched process: it judges what is new, keeps it, may stop the program.

Bounded by what a run can say and not by how long it goes: a birth is written once, then counted; a step whose ops are
those of an earlier one refers to its trace; what came by at a site is one record that is replaced.
"""

from __future__ import annotations

import functools
import sys
import time
import traceback
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import msgspec

from nanlint.runtime.adapter import Adapter, Tensor
from nanlint.runtime.arrival_record import MANY, ArrivalRecord
from nanlint.runtime.events import (
    NOT_REPEATED,
    Again,
    Birth,
    Death,
    Deaths,
    Ended,
    Filtered,
    Frame,
    Layer,
    Numbers,
    Op,
    Retained,
    Sampled,
    Stack,
    Step,
    Trace,
)
from nanlint.runtime.filters import Filter, filter_of
from nanlint.runtime.flight import Flight
from nanlint.runtime.frames import Line, place, stack_of
from nanlint.runtime.health import Health, Kinds
from nanlint.runtime.hooks import NonFinite as NonFinite
from nanlint.runtime.hooks import safely
from nanlint.runtime.options import Options
from nanlint.runtime.process_record import MOST
from nanlint.runtime.replaying import PYTHON, RandomStates, Repeated, Source, repeatable
from nanlint.runtime.site_record import FEW, STALE
from nanlint.runtime.sites import code_of
from nanlint.runtime.telling import KINDS, listed, told

#: elements of a tensor that are kept, after the first few births, of which there are more
KEPT = 64
#: ops in a trace; a longer step is kept without
LONGEST = 200_000
#: bits of the number of steps up to which each is written down
MANY_STEPS = 12
#: argument of the processes that ``multiprocessing`` spawns
SPAWNED = "--multiprocessing-fork"


class Recorder(ArrivalRecord):
    """The watch of one process. Safe to call from any thread; a failure of its own never reaches the program."""

    def __init__(self, options: Options, rank: int = 0) -> None:
        self._filters: list[Filter] = [filter_of(name) for name in options.filters]
        self._resumed = False
        super().__init__(options, rank)
        self._random = self._random_states()

    def _open(self) -> None:
        super()._open()
        self._births: dict[Any, int] = {}
        self._probed: dict[int, str] = {}
        self._counts: dict[int, int] = {}
        self._numbers: dict[Any, int] = {}
        self._traces: dict[tuple[int, ...], int] = {}
        self._ops: list[int] = []
        self._measured: dict[str, float] = {}
        self._flight = Flight(self._warn)
        self._awaited: Callable[[], Mapping[str, float]] | None = None
        self._dead = False
        self._retained = 0
        self._unsettled: list[tuple[Step, Callable[[], Mapping[str, float]] | None]] = []
        self._step_began = time.time()
        self._step_written = 0.0
        #: the last step, where it is not written down
        self._passed: Step | None = None
        self._ended = False
        self._error = "", ""

    # ── what is watched ─────────────────────────────────────────────────────────────────────────────────────────────

    def woken(self, adapter: Adapter) -> None:
        """An adapter was started: where its framework's random numbers begin is kept, or put back for a repetition."""
        if self._random is not None:
            self._random.add("python", PYTHON)
            self._random.add(adapter.name, Source(adapter.snapshot, adapter.restore))

    def _random_states(self) -> RandomStates | None:
        """Of a process whose steps may be repeated, or are."""
        if self._repeated is None and self.mode != "sentinel":
            return None
        argv = tuple(sys.argv)
        repeats = None if self._repeated is None else lambda: repeatable(self.options, self._rank, argv)
        states = RandomStates(repeats)
        if SPAWNED not in argv:  # which does not know its name yet, by which it is found in the run
            states.add("python", PYTHON)
        return states

    @property
    def directory(self) -> str:
        """Where the run is stored."""
        return self.options.directory

    def kept_step(self) -> str:
        """See ``Watch.kept_step``."""
        return "" if self._random is None or self.options.from_start else self._random.repeated.kept

    def resume(self, step: int) -> None:
        """See ``Watch.resume``."""
        self._resumed, self._repeated = True, (step, step)
        self._go_on_from(step)

    def begin_at(self, step: int) -> None:
        """So many steps were done before the program began, as after a restart."""
        if not self._resumed:
            self._go_on_from(step)

    def _go_on_from(self, step: int) -> None:
        self.steps = step
        if self._repeated is not None:
            self._repeat(*self._repeated)

    # ── what is reported ────────────────────────────────────────────────────────────────────────────────────────────

    def born(
        self,
        *,
        framework: str,
        op: str,
        kinds: Kinds,
        inputs: Sequence[Tensor],
        outputs: Sequence[Tensor],
        frames: Stack,
        backward: bool = False,
        forward: Stack = (),
        compiled: str = "",
        note: str = "",
        site: str = "",
        module: str = "",
    ) -> None:
        """See ``Watch.born``. The first of its kind at a place is kept whole; then it is counted."""
        first = (frames or forward or (Frame("", 0),))[0]
        blamed = (forward or frames)[:1]
        identity = (framework, op, first.path, first.line, tuple(f.line for f in blamed), backward, kinds)
        probed = bool(site)  # then it is followed as what the site gave
        site = site or (self._site_of(op, blamed[0]) if blamed else "")
        with self._lock:
            self._born_in(site, kinds, backward)
            number = self._births.get(identity)
            known = number is not None
            if number is None:
                number = self._births[identity] = len(self._births)
            if probed:
                self._probed[number] = site
            else:
                words = " and ".join(KINDS[kind] for kind in sorted(kinds))
                said = f"{code_of(site)} confirmed: {words} in {op}" if site else f"{words} first appeared in {op}"
                self._hear(blamed, said, number)
                bad = [one.value for one in outputs if one.health.bad]
                self.fates.begin(number, functools.partial(self._ends, bad))
            if known:
                self._counts[number] += 1
                count = self._counts[number]
                if count & (count - 1) == 0:
                    self._write(Again(number, count, self.steps))
                return
            self._counts[number] = 1
            if number >= MOST:
                return
        birth = Birth(
            number=number,
            step=self.steps,
            time=time.time(),
            framework=framework,
            op=op,
            kinds=tuple(sorted(kinds)),
            inputs=tuple(self._kept(one, number < FEW) for one in inputs),
            outputs=tuple(self._kept(one, number < FEW) for one in outputs),
            frames=tuple(frames),
            backward=backward,
            forward=tuple(forward),
            compiled=compiled,
            note=note,
            site=site,
            where=msgspec.structs.replace(self.where, module=module) if module else self.where,
        )
        self._write(birth)
        self._went_bad()
        if self.options.on_nan != "continue":
            self.act(told(birth), [*inputs, *outputs])

    def retained(self, framework: str, tensors: Sequence[Tensor]) -> None:
        """See ``Watch.retained``."""
        with self._lock:
            if self._retained >= FEW or self._size > self.options.limit // 4:
                return
            self._retained += 1
        self._write(Retained(self.steps, framework, tuple(map(self._kept, tensors))))

    def wants(self, name: str, framework: str, value: Any, frames: Stack = (), health: Health | None = None) -> None:
        """Hand a tensor, or its breakdown, to the user's filters."""
        adapter = self.adapter_of(value) if self._filters and health is None else None
        if health is None and (adapter is None or not adapter.concrete(value)):
            return
        for one in self._filters:
            if health is not None and one.wants_tensor:
                self.alert(
                    "unwatched",
                    f"the filter {one.name} is a Python function, which XLA cannot call: it is not applied in "
                    "functions that XLA compiles",
                )
                continue
            found = adapter.health(value) if adapter is not None else health
            if found is not None and self._holds(one, found, value):
                line = (frames[0].path, frames[0].line, frames[0].function) if frames else self.user_line()
                if self._first((one.name, framework, name, line)):
                    tensor = self._kept(Tensor(name, found, value))
                    self._write(Filtered(one.name, self.steps, framework, tensor, tuple(frames) or self.frames(1)))

    def _holds(self, one: Filter, health: Health, value: Any) -> bool:
        """Whether a filter holds; one of the user's may fail, which is told, and the others are asked all the same."""
        try:
            return one.holds(health, value)
        except Exception as error:
            self.alert("filter-failed", f"the filter {one.name} failed: {type(error).__name__}: {error}")
            return False

    @property
    def filtering(self) -> bool:
        """Whether the user gave filters: only then need tensors be handed to ``wants``."""
        return bool(self._filters)

    # ── steps ───────────────────────────────────────────────────────────────────────────────────────────────────────

    def executed(self, *ops: int) -> None:
        """Ops ran, for the timeline."""
        if len(self._ops) <= LONGEST:
            self._ops.extend(ops)

    def numbered(
        self, framework: str, op: str, path: str, line: int, backward: bool = False, inputs: Sequence[int] = ()
    ) -> int:
        """The number of an op at a place."""
        key = (framework, op, path, line, backward, tuple(inputs))
        number = self._numbers.get(key)
        if number is None:
            with self._lock:
                number = self._numbers.setdefault(key, len(self._numbers))
                if number < MOST * 10:
                    self._write(Op(number, framework, op, path, line, backward, tuple(inputs)))
        return number

    def measured(self, **numbers: float) -> None:
        """Numbers of the step that goes on."""
        self._measured.update(numbers)

    def awaits(self, numbers: Callable[[], Mapping[str, float]]) -> None:
        """Numbers of the step that goes on, that are asked for later."""
        self._awaited = numbers

    def settled(self, skipped: bool) -> None:
        """See ``Watch.settled``."""
        super().settled(skipped)
        self._flight.settled(self.steps, skipped)

    def sampled(self, layers: Mapping[str, Layer]) -> None:
        """See ``Watch.sampled``."""
        safely(self, "layers", self._flight.sampled, self.steps, layers)

    def _warn(self, kind: str, message: str, *, line: Line | None = None, **details: Any) -> None:
        frames = self.frames(1) if line is None else (place(*line),)
        found = sorted({site.code for site in self.sites_on(*line[:2])}) if line is not None else []
        message += f"; the linter reports {listed(found)} on this line" if found else ""
        self.alert(kind, message, frames=frames, **details)
        if self.warned is not None:
            self.warned(message)

    def _settle(self) -> None:
        """Write down the steps that waited for some of their numbers."""
        unsettled, self._unsettled = self._unsettled, []
        for step, awaited in unsettled:
            found = awaited() if awaited is not None else {}
            safely(self, "trends", self._flight.stepped, step.number, found)
            numbers = {name: str(x) for name, x in found.items()}
            self._write(msgspec.structs.replace(step, numbers=step.numbers | numbers) if numbers else step)

    def _worth_writing(self, step: int) -> bool:
        """All of the first steps; then ever fewer, so that their number grows with the logarithm of the run's."""
        thinned = min(self._size // max(self.options.limit, 1) * 4, 30)
        return step % (1 << max(thinned, step.bit_length() - MANY_STEPS)) == 0

    def step(self, number: int | None = None, **numbers: float) -> None:
        """A training step is done."""
        self._read()
        self._stepped = stack_of(sys._getframe(1))
        asked = [skipped for skipped in self._scalers if skipped is not None]
        if asked:
            skipped = True in [one() for one in asked]
            self.settled(skipped)
            if skipped:
                self.fates.die("in a step that the loss scaler skipped")
        self.fates.stepped()
        now = time.time()
        with self._lock:
            ops, self._ops = tuple(self._ops), []
            trace = None
            if 0 < len(ops) <= LONGEST:
                trace = self._traces.get(ops)
                if trace is None and len(self._traces) < MOST and self._size < self.options.limit:
                    trace = self._traces[ops] = len(self._traces)
                    self._write(Trace(trace, ops))
            awaited, self._awaited = self._awaited, None
            if awaited is not None and self._repeated is not None:  # the numbers are compared
                self._measured.update(awaited())
                awaited = None
            numbers = self._measured | numbers
            safely(self, "trends", self._flight.stepped, self.steps, numbers)
            told = {name: str(x) for name, x in numbers.items()}
            self._passed = None
            if not self._worth_writing(self.steps) and now - self._step_written < STALE:
                self._passed = Step(self.steps, self._step_began, now - self._step_began, trace, told)
            else:
                self._step_written = now
                step = Step(self.steps, self._step_began, now - self._step_began, trace, told)
                if awaited is None and not self._unsettled:
                    self._write(step)
                else:
                    self._unsettled.append((step, awaited))
            if self._unsettled and (len(self._unsettled) >= MANY or now - self._unsettled[0][0].time > STALE):
                self._settle()
            if self._random is not None and self.mode != "all":
                self._compare(self._random.difference(self.steps, told))
            safely(self, "the random states", self._keep_states)
            self.steps = self.steps + 1 if number is None else number + 1
            self._step_began = now
            self._measured = {}
        if self._random is not None and number is None:  # else what is told of now is over for a while
            self._random.stepped(self.steps)
        if self._repeated is not None:
            self._repeat(*self._repeated)

    def _compare(self, difference: str) -> None:
        if difference:
            self.alert(
                NOT_REPEATED,
                f"{difference}: from here on, this run differs from the original (possible causes: unseeded random "
                "numbers that are not from Python, NumPy or the frameworks; threads; clocks)",
            )

    def _repeat(self, first: int, last: int) -> None:
        """The steps that are to be repeated begin, or are over."""
        if self.steps > last:
            if not self._bad and self._random is not None and self._random.alone:
                again = (
                    f"; from its start: nanlint replay {self.options.replayed} --from-start" if self._resumed else ""
                )
                self.alert(NOT_REPEATED, f"no problem appeared in step {last:,} this time, which says nothing{again}")
            raise Repeated(0)
        if self.steps >= first and self.mode != "all":
            for adapter in self.adapters:
                adapter.stop()
            self.mode, self._bad = "all", False
            for adapter in self.adapters:
                adapter.start()

    def flush(self) -> None:
        """Write down what is only kept in memory: what came by at the sites, how often births were seen."""
        self._read()
        with self._lock:
            if self._ended:
                return
            self._settle()
            passed, self._passed = self._passed, None
            if passed is not None:
                self._write(passed)
            for seen in self._seen.values():
                self._write(seen.told)
            for number, count in self._counts.items():
                if count > 1 and number < MOST:
                    self._write(Again(number, count, self.steps))
            deaths = self.fates.deaths()
            self._tell_followed(deaths)
            deaths |= {number: deaths[site] for number, site in self._probed.items() if site in deaths}
            if deaths or self._dead:
                self._dead = True
                self._write(Deaths(tuple(Death(one.how, one.frames, origin) for origin, one in deaths.items())))

    def failed(self, error: BaseException) -> None:
        """This exception is about to end the process; threads and exit hooks of the program may run yet."""
        self._error = type(error).__name__, str(error)[:2000]
        raised = (frame.f_code for frame, _ in traceback.walk_tb(error.__traceback__))
        where = next((code for code in reversed(list(raised)) if self.owns_file(code.co_filename)), None)
        if where is not None:
            self.fates.ended_in(where.co_filename, where.co_name)

    def end(self) -> None:
        """The process ends: what was only counted is written down. May be called twice."""
        with self._lock:
            if self._ended or self._file is None:
                return
            repeated, self._repeated = self._repeated, None
            if repeated is not None and self.steps < repeated[0] and self._random is not None and self._random.alone:
                self.alert(NOT_REPEATED, f"the program ended before step {repeated[1]:,} began")
            self.results.stop()
            for adapter in self.adapters:
                safely(self, f"the end of {adapter.name}", adapter.stop)
                safely(self, f"the end of {adapter.name}", adapter.release)
            if self._ops:
                safely(self, "the last step", self.step)
            safely(self, "the pending records", self.settled, False)
            safely(self, "the end", self.flush)
            self._ended = True
            if self._flight.layers.histories:
                self._write(Sampled({name: tuple(one) for name, one in self._flight.layers.histories.items()}))
            self._write(Ended(time.time(), self.steps, *self._error))
            if self._file is not None:
                self._file.close()

    def _kept(self, tensor: Tensor, many: bool = False) -> Numbers:
        most = self.keep_elements if many else min(KEPT, self.keep_elements)
        elements = tensor.elements[:most]
        adapter = self.adapter_of(tensor.value) if tensor.value is not None else None
        if adapter is not None:
            elements = adapter.numbers(tensor.value, most)
        return Numbers(tensor.name, tensor.health, tuple(map(repr, elements)), tensor.source, tensor.graph_name)
