"""What adapters and probes report to, in the watched process: it judges what is new, keeps it, may stop the program.

Bounded by what a run can say and not by how long it goes: a birth is written once, then counted; a step whose ops are
those of an earlier one refers to its trace; what came by at a site is one record that is replaced.
"""

from __future__ import annotations

import functools
import math
import os
import pdb
import socket
import sys
import threading
import time
import weakref
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from types import FrameType
from typing import Any

import msgspec

from nanlint.runtime.adapter import Adapter, Tensor
from nanlint.runtime.events import (
    ARRIVED,
    FORMAT,
    GIVEN,
    NON_FINITE,
    Again,
    Alert,
    Birth,
    Death,
    Deaths,
    Ended,
    Event,
    Filtered,
    Frame,
    Framework,
    Module,
    Numbers,
    Observed,
    Op,
    Retained,
    Started,
    Step,
    Trace,
    Where,
    is_bad,
)
from nanlint.runtime.fates import Ends, Fates, Origin
from nanlint.runtime.filters import Filter, filter_of
from nanlint.runtime.frames import Users, place
from nanlint.runtime.health import CLASSES, Health
from nanlint.runtime.hooks import NonFinite as NonFinite
from nanlint.runtime.hooks import safely
from nanlint.runtime.options import Options
from nanlint.runtime.replaying import BAD, PYTHON, RandomStates, Repeated, Source, repeatable
from nanlint.runtime.runfile import PREFIX, SUFFIX, EventFile
from nanlint.runtime.sites import GRADIENT_OF, Site, distance
from nanlint.runtime.telling import KINDS, spot, told
from nanlint.version import __version__

#: elements of a tensor that are kept, after the first few births, of which there are enough to reproduce them
KEPT = 64
#: births that are kept whole, executions of a site that are written down one by one
FEW = 16
#: seconds that what was seen at a site, or a step, may be newer than what is written down; steps that wait to be
STALE = 2.0
MANY = 64
#: distinct births, alerts of one kind, tensors of one filter: beyond, they are only counted
MOST = 2_000
#: ops in a trace; a longer step is kept without
LONGEST = 200_000


#: argument of the processes that ``multiprocessing`` spawns
SPAWNED = "--multiprocessing-fork"

#: what is seen of a tensor: its breakdown, or its least and greatest element where all are finite, or nothing
Look = Health | tuple[float, float] | None


class _Sum:
    """The breakdown of everything that came by in a role; see ``Health``."""

    def __init__(self) -> None:
        self.counts = [0] * len(CLASSES)
        self.low = self.near = math.inf
        self.high = -math.inf
        self.dtype = ""
        self.shape: tuple[int, ...] = ()

    def add(self, health: Health) -> None:
        self.counts = [a + b for a, b in zip(self.counts, health.counts, strict=True)]
        self.dtype, self.shape = health.dtype, health.shape
        if health.low is not None and health.high is not None:
            self.widen(health.low, health.high, health.near)

    def widen(self, low: float, high: float, near: float | None) -> None:
        """Finite numbers between ``low`` and ``high`` came by, ``near`` the one of least magnitude if that is known."""
        if low < self.low:
            self.low = low
        if high > self.high:
            self.high = high
        if near is not None and near < self.near:
            self.near = near

    def health(self) -> Health:
        low, high, near = (x if math.isfinite(x) else None for x in (self.low, self.high, self.near))
        ninf, neg, zero, pos, pinf, nan = self.counts
        return Health(ninf, neg, zero, pos, pinf, nan, low, high, near, self.dtype, self.shape)


@dataclass
class _Seen:
    """What came by at a site. ``last``: in each role the last time, where it was looked at whole."""

    site: Site
    executions: int = 0
    roles: dict[str, _Sum] = field(default_factory=dict)
    last: dict[str, Health] = field(default_factory=dict)
    closest: float | None = None
    closest_step: int = 0
    bad_step: int | None = None
    bad: dict[str, Health] = field(default_factory=dict)
    kinds: set[str] = field(default_factory=set)
    unwatched: bool = False
    written: float = 0.0

    def add(self, role: str, health: Health, step: int) -> None:
        """What came by in a role, at a step."""
        self.last[role] = health
        self._sum(role).add(health)
        if role == self.site.operand and health.low is not None and health.high is not None:
            self._approached(health.low, health.high, health.near, step)

    def glanced(self, role: str, low: float, high: float, step: int) -> None:
        """The same of finite numbers of which no more is known than the least and the greatest."""
        near = low if low > 0 else -high if high < 0 else None
        self.last.pop(role, None)
        self._sum(role).widen(low, high, near)
        if role == self.site.operand:
            self._approached(low, high, near, step)

    def _sum(self, role: str) -> _Sum:
        found = self.roles.get(role)
        if found is None:
            found = self.roles[role] = _Sum()
        return found

    def _approached(self, low: float, high: float, near: float | None, step: int) -> None:
        apart = distance(self.site, low, high, near)
        if apart is not None and (self.closest is None or apart < self.closest):
            self.closest, self.closest_step = apart, step

    def fresh(self, role: str, health: Health) -> frozenset[str]:
        """The kinds of non-finite value that came out in a role, and did not come in."""
        gradient = role.startswith(GRADIENT_OF)
        came_in = ["gradient of result", *self.operands] if gradient else self.operands
        return health.bad.difference(*(self.last[name].bad for name in came_in if name in self.last))

    @property
    def operands(self) -> list[str]:
        """The roles that go into the op."""
        return [name for name in self.last if name != "result" and not name.startswith(GRADIENT_OF)]

    def event(self) -> Observed:
        return Observed(
            site=self.site.key,
            executions=self.executions,
            roles={role: one.health() for role, one in self.roles.items()},
            closest=self.closest,
            closest_step=self.closest_step,
            bad_step=self.bad_step,
            bad=dict(self.bad),
            kinds=tuple(sorted(self.kinds)),
            unwatched=self.unwatched,
        )


class Recorder:
    """The watch of one process. Safe to call from any thread; a failure of its own never reaches the program."""

    def __init__(self, options: Options, rank: int = 0) -> None:
        self.options = options
        self._repeated = options.replay
        self.repeats = self._repeated is not None
        self.mode = options.watch if self._repeated is None else "all" if self._repeated[0] == 0 else "sentinel"
        #: steps are to be told as they end where one is repeated
        self.prompt = options.on_nan != "continue" or self._repeated is not None
        self.users = Users(options.root, options.include)
        self.adapters: list[Adapter] = []
        self.keep_elements = options.keep_elements
        self._owners: dict[type, Adapter | None] = {}
        self._filters: list[Filter] = [filter_of(name) for name in options.filters]
        self._sites: dict[str, dict[int, tuple[Site, ...]]] = {}
        #: who is told at once of what makes the run bad: of each time, where the events only count
        self.hear: Callable[[str, Origin | None], None] | None = None
        #: what opens where something went bad, if that was asked for: it gets what may open Python's debugger there
        self.stop_at: Callable[[str, Sequence[Tensor], Callable[[], None]], None] = lambda _, __, debugger: debugger()
        self._sites_in: Callable[[str], None] | None = None
        self._read: Callable[[], None] = lambda: None
        self._rank = rank
        self.steps = 0  # a fork counts on
        self._at = Where(rank=rank or None)
        self._random: RandomStates | None = None
        self._bad = False
        self._open()
        self._begin()
        self._random = self._random_states()
        ours = weakref.WeakMethod(self._open)
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(after_in_child=lambda: (reopen := ours()) and reopen())

    def _open(self) -> None:
        """A process of its own: the first one, or a fork, which begins its event file when it has something to say."""
        if self._random is not None:
            self._random.forget()
        self._lock = threading.RLock()
        self._file: EventFile | None = None
        self._births: dict[Any, int] = {}
        self._born_at: set[str] = set()
        self._probed: dict[int, str] = {}
        self._counts: dict[int, int] = {}
        self._told: dict[Any, int] = {}
        self._seen: dict[str, _Seen] = {}
        self._numbers: dict[Any, int] = {}
        self._traces: dict[tuple[int, ...], int] = {}
        self._ops: list[int] = []
        self._measured: dict[str, float] = {}
        self._awaited: Callable[[], Mapping[str, float]] | None = None
        self._scalers: list[Callable[[], bool] | None] = []
        self._held: list[tuple[Alert, Sequence[Hashable]]] = []
        self.fates = Fates()
        self._end = threading.local()
        self._dead = self._came = False
        self._retained = 0
        self._fed: Callable[[], bool] | None = None
        self._unsettled: list[tuple[Step, Callable[[], Mapping[str, float]] | None]] = []
        self._step_began = time.time()
        self._ended = False
        self._error = "", ""

    def _begin(self) -> EventFile:
        file = self._file = EventFile(self.options.directory)
        file.write(
            Started(
                format=FORMAT,
                nanlint=__version__,
                time=time.time(),
                host=socket.gethostname(),
                pid=os.getpid(),
                rank=self._rank,
                parent=os.getppid(),
                python=sys.version.split()[0],
                argv=tuple(sys.argv),
                directory=os.getcwd(),
                watch=self.mode,
                hash_seed=self.options.hash_seed,
            )
        )
        return file

    # ── what is watched ─────────────────────────────────────────────────────────────────────────────────────────────

    def watch_module(self, module: Module, sites: Sequence[Site]) -> None:
        """A file of the user's was imported, with these flagged expressions."""
        lines: dict[int, list[Site]] = {}
        for site in sites:
            for line in site.lines:
                lines.setdefault(line, []).append(site)
        self._sites[module.path] = {line: tuple(there) for line, there in lines.items()}
        self._write(module)

    def ask_for(self, sites_in: Callable[[str], None]) -> None:
        """Have ``sites_in`` watch a file that was imported before the watch began, once something is asked of it."""
        self._sites_in = sites_in

    def watch_framework(self, name: str, version: str) -> None:
        """A framework was imported, and its adapter started."""
        self._write(Framework(name, version))

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

    def _went_bad(self) -> None:
        """This step did: it may have to be repeated."""
        self._bad = True
        self._keep_states(late=True)

    def _keep_states(self, late: bool = False) -> None:
        if self._random is not None and self._repeated is None:
            stem = os.path.basename((self._file or self._begin()).path).removeprefix(PREFIX).removesuffix(SUFFIX)
            self._write(*self._random.written(self.options.directory, stem, late))

    def owns_file(self, path: str) -> bool:
        """Whether a file is the user's."""
        return self.users.owns(path)

    def sites_on(self, path: str, line: int) -> tuple[Site, ...]:
        """The flagged expressions that touch a line of a file."""
        known = self._sites.get(path)
        if known is None:
            known = self._sites[path] = {}
            if self._sites_in is not None and self.owns_file(path):
                safely(self, f"the findings of {path}", self._sites_in, path)
                known = self._sites[path]
        return known.get(line, ())

    def frames(self, skip: int = 0) -> tuple[Frame, ...]:
        """The user's frames of this moment, innermost first."""
        return self.users.frames(sys._getframe(1 + skip))

    def user_line(self) -> tuple[str, int, str] | None:
        """Path, line and function of the user's innermost frame."""
        return self.users.line(sys._getframe(1))

    def before_steps(self, read: Callable[[], None]) -> None:
        """Have what waits on devices read before a step is done, and at the end."""
        self._read = read

    @property
    def directory(self) -> str:
        """Where the run is stored."""
        return self.options.directory

    @property
    def where(self) -> Where:
        """See ``Watch.where``."""
        found = self._at
        for adapter in self.adapters:
            found = msgspec.structs.replace(found, **adapter.where())
        return found

    def kept_step(self) -> str:
        """See ``Watch.kept_step``."""
        return "" if self._random is None else self._random.repeated.kept

    def resume(self, step: int) -> None:
        """See ``Watch.resume``."""
        self.steps, self._repeated = step, (step, step)
        self._repeat(step, step)

    def at(self, **where: Any) -> None:
        """See ``Watch.at``."""
        self._at = msgspec.structs.replace(self._at, **where)

    # ── what is reported ────────────────────────────────────────────────────────────────────────────────────────────

    def born(
        self,
        *,
        framework: str,
        op: str,
        kinds: frozenset[str],
        inputs: Sequence[Tensor],
        outputs: Sequence[Tensor],
        frames: Sequence[Frame],
        backward: bool = False,
        forward: Sequence[Frame] = (),
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
            self._born_at.add(site)
            number = self._births.get(identity)
            known = number is not None
            if number is None:
                number = self._births[identity] = len(self._births)
            if probed:
                self._probed[number] = site
            else:
                words = " and ".join(KINDS[kind] for kind in sorted(kinds))
                self._hear(blamed, f"{words} first appeared in {op}", number)
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

    def observed(
        self,
        site: Site,
        role: str,
        health: Health,
        executions: int = 1,
        known: frozenset[str] = frozenset(),
        value: Any = None,
    ) -> frozenset[str]:
        """See ``Watch.observed``; what was born that was not before.

        An execution of the site is over when its result was seen. ``known``: kinds that were there before, of which
        the last operands do not tell (in the backward pass, after other executions). ``value``: the tensor itself.
        """
        with self._lock:
            seen = self._seen.setdefault(site.key, _Seen(site))
            seen.add(role, health, self.steps)
            if role == "result":
                seen.executions += executions
            elif not role.startswith(GRADIENT_OF) or role == "gradient of result":
                return frozenset()
            new = self._confirmed(seen, seen.fresh(role, health) - known, seen.last, value)
            if not new and role == "result" and (executions > 1 or self._worth_keeping(seen)):
                self._write(seen.event())
            return new

    def broke(self, site: Site, kinds: frozenset[str], roles: Mapping[str, Health], value: Any) -> frozenset[str]:
        """A part of the form that a finding is about gave what did not go in; what of that is new."""
        with self._lock:
            seen = self._seen.setdefault(site.key, _Seen(site))
            return self._confirmed(seen, kinds, roles, value)

    def _confirmed(self, seen: _Seen, kinds: frozenset[str], roles: Mapping[str, Health], value: Any) -> frozenset[str]:
        if kinds:
            span = seen.site.span
            what = f"{' and '.join(KINDS[kind] for kind in sorted(kinds))} in {seen.site.op}"
            self._hear([place(seen.site.path, span.row)], f"{seen.site.code} confirmed: {what}", seen.site.key)
            self.fates.begin(seen.site.key, functools.partial(self._ends, [value]))
        new = kinds - seen.kinds
        if not new:
            return new
        seen.kinds |= kinds
        if seen.bad_step is None:
            seen.bad_step, seen.bad = self.steps, dict(roles)
        self._write(seen.event())
        self._went_bad()
        return new

    def has_birth(self, site: Site) -> bool:
        """Whether an origin was told of at a site."""
        return site.key in self._born_at

    def unwatched(self, site: Site) -> None:
        """See ``Watch.unwatched``."""
        with self._lock:
            seen = self._seen.setdefault(site.key, _Seen(site))
            if not seen.unwatched:
                seen.unwatched = True
                self._write(seen.event())

    def looked(
        self, site: Site, role: str, look: Look, known: frozenset[str] = frozenset(), value: Any = None
    ) -> frozenset[str]:
        """What a probe saw: as ``observed``, and cheaper where all was finite."""
        if isinstance(look, Health):
            return self.observed(site, role, look, known=known, value=value)
        if look is not None:
            with self._lock:
                seen = self._seen.get(site.key) or self._seen.setdefault(site.key, _Seen(site))
                seen.glanced(role, *look, self.steps)
                if role == "result":
                    seen.executions += 1
                    if self._worth_keeping(seen):
                        self._write(seen.event())
        return frozenset()

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

    def wants(
        self, name: str, framework: str, value: Any, frames: Sequence[Frame] = (), health: Health | None = None
    ) -> None:
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
    def bad(self) -> bool:
        """See ``Watch.bad``."""
        return self._bad

    @property
    def filtering(self) -> bool:
        """Whether the user gave filters: only then need tensors be handed to ``wants``."""
        return bool(self._filters)

    def alert(self, kind: str, message: str, *, frames: Sequence[Frame] = (), **details: Any) -> None:
        """Something beside a birth, told once for the same kind, message and place."""
        where = (frames[0].path, frames[0].line) if frames else None
        alert = Alert(kind, self.steps, message, tuple(frames), details, self.where)
        if is_bad(alert):
            self._hear(frames, message)
        if self._first((kind, message, where)):
            self._alerted(alert)

    def _alerted(self, alert: Alert) -> None:
        self._write(alert)
        if alert.alert in BAD:
            self._went_bad()
        if is_bad(alert):
            self._came = True
            self.act(f"step {self.steps:,}: {alert.message}", ())

    def arrived(
        self,
        what: str,
        name: str,
        value: Any,
        *,
        asked: str,
        frames: Sequence[Frame] = (),
        given: bool = False,
    ) -> None:
        """See ``Watch.arrived``."""
        adapter = None if isinstance(value, Health) else self.adapter_of(value)
        health = value if isinstance(value, Health) else Health()
        if adapter is not None and adapter.concrete(value):
            health = adapter.health(value)
        kinds = " and ".join(KINDS[kind] for kind in ("nan", "pinf", "ninf") if kind in health.bad) or "not finite"
        there = tuple(frames) or self.frames(1)
        given = given or (self._fed is not None and self._fed())
        details = {GIVEN if given else ARRIVED: what, "name": name, "asked": asked, "kinds": sorted(health.bad)}
        if health.size > 1:
            details["held"] = str(health)
        message = f"{name} is {kinds}, seen at {asked}{', and its input is not finite either' if given else ''}"
        alert = Alert(NON_FINITE, self.steps, message, there, details, self.where)
        keys = () if given or adapter is None else adapter.keys(value)
        if self._scalers or self.mode == "sentinel":
            if len(self._held) < MANY:
                self._held.append((alert, keys))
        else:
            self._arrived(alert, keys)

    def _arrived(self, alert: Alert, keys: Sequence[Hashable]) -> None:
        self.fates.arrive(keys)
        if is_bad(alert):
            self._hear(alert.frames, alert.message)
        where = [(one.path, one.line) for one in alert.frames[:1]]
        if self._first((NON_FINITE, ARRIVED in alert.details, alert.details["asked"], *where)):
            self._alerted(alert)

    def fed(self, holds_nan: Callable[[], bool] | None) -> None:
        """See ``Watch.fed``."""
        self._fed = holds_nan

    def scaler(self, skipped: Callable[[], bool] | None = None) -> None:
        """See ``Watch.scaler``."""
        if skipped not in self._scalers:
            self._scalers.append(skipped)

    def settled(self, skipped: bool) -> None:
        """See ``Watch.settled``."""
        held, self._held = self._held, []
        for alert, keys in () if skipped else held:
            if not (self._came and self.mode == "sentinel"):  # which looks at the loss and the gradients by itself
                self._arrived(alert, keys)

    # ── what becomes of it ──────────────────────────────────────────────────────────────────────────────────────────

    @contextmanager
    def ending_in(self, ends: Callable[[], Ends]) -> Iterator[None]:
        """See ``Watch.ending_in``."""
        before = getattr(self._end, "now", None)
        self._end.now = ends
        try:
            yield
        finally:
            self._end.now = before

    def _ends(self, values: Sequence[Any]) -> Ends:
        """In which tensors it is that was just born; None where that is not followed."""
        told: Callable[[], Ends] | None = getattr(self._end, "now", None)
        if self.options.on_nan == "stop":  # which is as far as it gets
            return None, Death("")
        if told is not None:
            return told()
        found: list[Hashable] = []
        for value in values:
            adapter = None if value is None else self.adapter_of(value)
            keys = () if adapter is None else adapter.keys(value)
            if adapter is None or not keys:
                return None, Death("")
            adapter.follow()
            found += keys
        return found or None, Death("")

    def measured(self, **numbers: float) -> None:
        """Numbers of the step that goes on."""
        self._measured.update(numbers)

    def awaits(self, numbers: Callable[[], Mapping[str, float]]) -> None:
        """Numbers of the step that goes on, that are asked for later."""
        self._awaited = numbers

    def step(self, number: int | None = None, **numbers: float) -> None:
        """A training step is done."""
        self._read()
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
            told = {name: str(x) for name, x in (self._measured | numbers).items()}
            if self._worth_writing(self.steps):
                step = Step(self.steps, self._step_began, now - self._step_began, trace, told)
                if awaited is None and not self._unsettled:
                    self._write(step)
                else:
                    self._unsettled.append((step, awaited))
            if self._unsettled and (len(self._unsettled) >= MANY or now - self._unsettled[0][0].time > STALE):
                self._settle()
            if self._random is not None and self.mode != "all":
                self._compare(self._random.difference(self.steps, told))
            self._keep_states()
            self.steps = self.steps + 1 if number is None else number + 1
            self._step_began = now
            self._measured = {}
        if self._random is not None and number is None:  # else what is told of now is over for a while
            self._random.stepped(self.steps)
        if self._repeated is not None:
            self._repeat(*self._repeated)

    def _settle(self) -> None:
        """Write down the steps that waited for some of their numbers."""
        unsettled, self._unsettled = self._unsettled, []
        for step, awaited in unsettled:
            numbers = {name: str(x) for name, x in awaited().items()} if awaited is not None else {}
            self._write(msgspec.structs.replace(step, numbers=step.numbers | numbers) if numbers else step)

    def _compare(self, difference: str) -> None:
        if difference:
            self.alert(
                "not-repeated",
                f"{difference}: from here on, this run differs from the original (possible causes: unseeded random "
                "numbers that are not from Python, NumPy or the frameworks; threads; clocks)",
            )

    def _repeat(self, first: int, last: int) -> None:
        """The steps that are to be repeated begin, or are over."""
        if self.steps > last:
            if not self._bad and self._random is not None and self._random.alone:
                self.alert("not-repeated", f"no problem appeared in step {last:,} this time")
            raise Repeated(0)
        if self.steps >= first and self.mode != "all":
            for adapter in self.adapters:
                adapter.stop()
            self.mode, self._bad = "all", False
            for adapter in self.adapters:
                adapter.start()

    def settle(self) -> None:
        """Have all told that waits to be told."""
        self._read()
        for adapter in self.adapters:
            safely(self, f"the pending results of {adapter.name}", adapter.settle)

    def flush(self) -> None:
        """Write down what is only kept in memory: what came by at the sites, how often births were seen."""
        self._read()
        with self._lock:
            if self._ended:
                return
            self._settle()
            for seen in self._seen.values():
                self._write(seen.event())
            for number, count in self._counts.items():
                if count > 1 and number < MOST:
                    self._write(Again(number, count, self.steps))
            deaths = self.fates.deaths()
            deaths |= {number: deaths[site] for number, site in self._probed.items() if site in deaths}
            if deaths or self._dead:
                self._dead = True
                self._write(Deaths(tuple(Death(one.how, one.frames, origin) for origin, one in deaths.items())))

    def failed(self, error: BaseException) -> None:
        """This exception is about to end the process; threads and exit hooks of the program may run yet."""
        self._error = type(error).__name__, str(error)[:2000]

    def end(self) -> None:
        """The process ends: what was only counted is written down. May be called twice."""
        with self._lock:
            if self._ended or self._file is None:
                return
            repeated, self._repeated = self._repeated, None
            if repeated is not None and self.steps < repeated[0] and self._random is not None and self._random.alone:
                self.alert("not-repeated", f"the program ended before step {repeated[1]:,} began")
            for adapter in self.adapters:
                safely(self, f"the end of {adapter.name}", adapter.stop)
                safely(self, f"the end of {adapter.name}", adapter.release)
            if self._ops:
                safely(self, "the last step", self.step)
            safely(self, "the pending records", self.settled, False)
            safely(self, "the end", self.flush)
            self._ended = True
            self._write(Ended(time.time(), self.steps, *self._error))
            if self._file is not None:
                self._file.close()

    # ── how ─────────────────────────────────────────────────────────────────────────────────────────────────────────

    def adapter_of(self, value: Any) -> Adapter | None:
        """The adapter of the framework that a tensor belongs to."""
        kind = type(value)
        try:
            return self._owners[kind]
        except KeyError:
            owner = next((adapter for adapter in self.adapters if adapter.owns(value)), None)
            self._owners[kind] = owner
            return owner

    def add_adapter(self, adapter: Adapter) -> None:
        """An adapter has been started."""
        self.adapters.append(adapter)
        self._owners = {}

    def _write(self, *events: Event) -> None:
        (self._file or self._begin()).write(*events)

    @property
    def _size(self) -> int:
        return 0 if self._file is None else self._file.size

    def _hear(self, frames: Sequence[Frame], message: str, origin: Origin | None = None) -> None:
        if self.hear is not None:
            at = f"{spot(frames[0])}: " if frames else ""
            text = f"\n    {frames[0].text}" if frames and frames[0].text else ""
            self.hear(f"{at}{message}{text}", origin)

    def _first(self, what: Any) -> bool:
        with self._lock:
            count = self._told.get(what, 0)
            if len(self._told) < MOST or count:
                self._told[what] = count + 1
            return count == 0 and what in self._told

    def _worth_keeping(self, seen: _Seen) -> bool:
        """Whether to write down what was seen so far, which is what a killed process leaves."""
        now = time.monotonic()
        often = seen.executions > FEW and seen.executions & (seen.executions - 1) != 0
        if often and now - seen.written < STALE:
            return False
        seen.written = now
        return True

    def _worth_writing(self, step: int) -> bool:
        """All steps while the file is small; then ever fewer."""
        thinned = self._size // max(self.options.limit, 1)
        return step % (1 << min(int(thinned * 4), 30)) == 0

    def _site_of(self, op: str, frame: Frame) -> str:
        """The finding that spoke of what was born: at its column where that is known, else by the name of the op."""
        there = self.sites_on(frame.path, frame.line)
        if frame.column:
            there = tuple(site for site in there if site.covers(frame.line, frame.column))
        alike = [site for site in there if site.op in op.lower()]
        if not alike and (frame.column or len(there) == 1):
            alike = list(there)
        return min(alike, key=lambda site: site.extent).key if alike else ""

    def _kept(self, tensor: Tensor, many: bool = False) -> Numbers:
        most = self.keep_elements if many else min(KEPT, self.keep_elements)
        elements = tensor.elements[:most]
        adapter = self.adapter_of(tensor.value) if tensor.value is not None else None
        if adapter is not None:
            elements = adapter.numbers(tensor.value, most)
        return Numbers(tensor.name, tensor.health, tuple(map(repr, elements)), tensor.source, tensor.graph_name)

    def act(self, message: str, tensors: Sequence[Tensor]) -> None:
        """Stop or debug at what was just born, if that was asked for."""
        if self.options.on_nan == "stop":
            raise NonFinite(message)
        if self.options.on_nan == "debug":
            found = {one.name: one.health if one.value is None else one.value for one in tensors}
            frame = self.users.frame(sys._getframe(1))
            if frame is not None:
                self.stop_at(message, tensors, functools.partial(debug, frame, message, found))


def debug(frame: FrameType, message: str, tensors: dict[str, Any]) -> None:
    """Drop into pdb at a frame, with the tensors of the op bound as ``nanlint_tensors``; ``quit`` exits with 1.

    Of a tensor that is gone, as those of a graph are, it is the breakdown.
    """
    debugger = pdb.Pdb(nosigint=True)
    print(message, file=debugger.stdout)
    frame.f_globals["nanlint_tensors"] = tensors
    try:
        debugger.reset()
        debugger.interaction(frame, None)
    finally:
        frame.f_globals.pop("nanlint_tensors", None)
    if debugger.quitting:
        raise SystemExit(1)
    if debugger.stopframe is not debugger.botframe:  # to step on from here
        frame.f_trace = debugger.trace_dispatch
        sys.settrace(debugger.trace_dispatch)
