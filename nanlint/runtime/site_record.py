"""What came by at the flagged expressions: one record of each, which is replaced."""

from __future__ import annotations

import functools
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import msgspec

from nanlint.runtime.events import Frame, Module, Observed
from nanlint.runtime.frames import place
from nanlint.runtime.health import Health, Kinds
from nanlint.runtime.options import Options
from nanlint.runtime.process_record import ProcessRecord
from nanlint.runtime.sites import GRADIENT_OF, Site, distance
from nanlint.runtime.telling import KINDS

#: executions of a site that are written down one by one; seconds that what was seen may be newer than what is written
FEW = 16
STALE = 2.0
#: an operand that is nearer to its pole than this, beside its size, may have met it by rounding or overflow
CLOSE = 1e-3
#: as the result of an expression is known
RESULT = "result"

#: how ops begin that only put together what they are given: they confirm no finding about an op with a pole
COMBINING = frozenset({"mul", "add", "sub", "sum", "mea", "mat", "mm", "bmm", "dot", "ein"})

#: tests that are named of those in which a site was executed
NAMED = 256

#: what is seen of a tensor: its breakdown, or its least and greatest element where all are finite, or nothing
Look = Health | tuple[float, float] | None


@dataclass
class Tally:
    """What came by at a site, as it is told. ``last``: in each role the last time, where it was looked at whole."""

    site: Site
    told: Observed
    last: dict[str, Health] = field(default_factory=dict)
    written: float = 0.0
    _test: str = ""

    def add(self, role: str, health: Health, step: int) -> None:
        """What came by in a role, at a step."""
        if role == RESULT:  # another execution: what came back to the one before is not of this
            self.last = {name: one for name, one in self.last.items() if not name.startswith(GRADIENT_OF)}
        self.last[role] = health
        self.told.roles[role] = self.told.roles[role].merged(health) if role in self.told.roles else health
        if role == self.site.operand and health.low is not None and health.high is not None:
            self._approached(health.low, health.high, health.near, step)

    def glanced(self, role: str, low: float, high: float, step: int) -> None:
        """The same of finite numbers of which no more is known than the least and the greatest."""
        near = low if low > 0 else -high if high < 0 else None
        self.last.pop(role, None)
        known = self.told.roles.get(role)
        if known is None or known.low is None or known.high is None or low < known.low or high > known.high:
            seen = Health(low=low, high=high, near=near)
            self.told.roles[role] = seen if known is None else seen.merged(known)
        elif near is not None and (known.near is None or near < known.near):
            self.told.roles[role] = msgspec.structs.replace(known, near=near)
        if role == self.site.operand:
            self._approached(low, high, near, step)

    def told_of_part(self, role: str, look: Health | tuple[float, float]) -> None:
        """What came by at a part of a form, which confirms nothing by itself."""
        if not isinstance(look, Health):
            look = Health(low=look[0], high=look[1], near=min(map(abs, look)) if look[0] * look[1] > 0 else None)
        self.told.roles[role] = self.told.roles[role].merged(look) if role in self.told.roles else look

    def counted(self, role: str, size: int) -> None:
        """How many elements there were in a role."""
        if role == self.site.measured:
            self.told.elements += size
            self.told.empty += size == 0
            self.told.least = size if self.told.least is None else min(size, self.told.least)

    def executed(self, times: int, test: str) -> None:
        """It was executed, by a test if there is one."""
        self.told.executions += times
        if test and test != self._test:
            self._test = test
            known = self.told.tests
            self.told.more += test not in known and len(known) >= NAMED
            self.told.tests = tuple(dict.fromkeys((*known, test)))[:NAMED]

    def _approached(self, low: float, high: float, near: float | None, step: int) -> None:
        apart = distance(self.site, low, high, near)
        if apart is not None and (self.told.closest is None or apart < self.told.closest):
            self.told.closest, self.told.closest_step = apart, step

    def fresh(self, role: str, health: Health) -> Kinds:
        """The kinds of non-finite value that came out in a role, and did not come in."""
        gradient = role.startswith(GRADIENT_OF)
        if not gradient and self._is_elsewhere():
            return frozenset()
        came_in = ["gradient of result", *self.operands] if gradient else self.operands
        return health.bad.difference(*(self.last[name].bad for name in came_in if name in self.last))

    def _is_elsewhere(self) -> bool:
        """Whether an infinity came in, and the operand was nowhere near its pole: then it is not what is flagged."""
        if not any(self.last[name].bad for name in self.operands):
            return False
        operand = self.last.get(self.site.operand)
        if operand is None or operand.low is None or operand.high is None:
            return False
        apart = distance(self.site, operand.low, operand.high, operand.near)
        return apart is not None and apart > CLOSE * max(1.0, abs(operand.low), abs(operand.high))

    @property
    def operands(self) -> list[str]:
        """The roles that go into the op."""
        return [name for name in self.last if name != RESULT and not name.startswith(GRADIENT_OF)]


class SiteRecord(ProcessRecord):
    """The record of a process with what came by at flagged expressions."""

    #: the test that runs now, by its id
    test = ""

    def __init__(self, options: Options, rank: int) -> None:
        self._sites: dict[str, dict[int, tuple[Site, ...]]] = {}
        self._sites_in: Callable[[str], None] | None = None
        super().__init__(options, rank)

    def _open(self) -> None:
        super()._open()
        self._seen: dict[str, Tally] = {}
        self._born_at: dict[str, tuple[tuple[str, ...], str]] = {}

    def _tally(self, site: Site) -> Tally:
        key = site.key
        return self._seen.get(key) or self._seen.setdefault(key, Tally(site, Observed(key, 0)))

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

    def sites_on(self, path: str, line: int) -> tuple[Site, ...]:
        """The flagged expressions that touch a line of a file."""
        known = self._sites.get(path)
        if known is None:
            known = self._sites[path] = {}
            if self._sites_in is not None and self.owns_file(path):
                self._sites_in(path)
                known = self._sites[path]
        return known.get(line, ())

    def names_of(self, path: str, line: int) -> set[str]:
        """What a place is called by: itself, and the findings of which it is a cause, by rule and place."""
        known = {site for lines in self._sites.values() for there in lines.values() for site in there}
        caused = [site for site in known if (path, line) in site.causes]
        places = [(path, line), *((site.path, site.span.row) for site in caused)]
        return {name for file, row in places for name in (file, f"{file}:{row}")}.union(site.code for site in caused)

    def observed(
        self,
        site: Site,
        role: str,
        health: Health,
        executions: int = 1,
        known: Kinds = frozenset(),
        value: Any = None,
    ) -> Kinds:
        """See ``Watch.observed``; what was born that was not before.

        An execution of the site is over when its result was seen. ``known``: kinds that were there before, of which
        the last operands do not tell (in the backward pass, after other executions). ``value``: the tensor itself.
        """
        with self._lock:
            seen = self._tally(site)
            seen.add(role, health, self.steps)
            seen.counted(role, health.size)
            if role == RESULT:
                seen.executed(executions, self.test)
            elif not role.startswith(GRADIENT_OF) or role == "gradient of result":
                return frozenset()
            new = self._confirmed(seen, seen.fresh(role, health) - known, seen.last, value)
            if not new and role == RESULT and (executions > 1 or self._worth_keeping(seen)):
                self._write(seen.told)
            return new

    def broke(self, site: Site, kinds: Kinds, roles: Mapping[str, Health], value: Any) -> Kinds:
        """A part of the form that a finding is about gave what did not go in; what of that is new."""
        with self._lock:
            seen = self._tally(site)
            return self._confirmed(seen, kinds, roles, value)

    def _confirmed(self, seen: Tally, kinds: Kinds, roles: Mapping[str, Health], value: Any) -> Kinds:
        if kinds:
            if self.test:
                seen.told.happened.setdefault(self.test, False)
            span = seen.site.span
            what = f"{' and '.join(KINDS[kind] for kind in sorted(kinds))} in {seen.site.op}"
            self._hear([place(seen.site.path, span.row)], f"{seen.site.code} confirmed: {what}", seen.site.key)
            self.fates.begin(seen.site.key, functools.partial(self._ends, [value]))
        new = kinds.difference(seen.told.kinds)
        if not new:
            return new
        seen.told.kinds = tuple(sorted({*seen.told.kinds, *kinds}))
        if seen.told.bad_step is None:
            seen.told.bad_step, seen.told.bad = self.steps, dict(roles)
        self._write(seen.told)
        self._went_bad()
        return new

    def _born_in(self, site: str, kinds: Kinds, backward: bool) -> None:
        """Something was born at a site that the watch of all ops told of."""
        self._born_at.setdefault(site, (tuple(sorted(kinds)), GRADIENT_OF) if backward else ((), ""))
        if self.test and site in self._seen:
            self._seen[site].told.happened.setdefault(self.test, False)

    def passed(self, site: Site, times: int) -> None:
        """A site was executed, and nothing but finite numbers came by."""
        with self._lock:
            self._tally(site).executed(times, self.test)

    def part(self, site: Site, role: str, look: Look) -> None:
        """What came by at a part of the form that a finding is about."""
        if look is not None:
            with self._lock:
                self._tally(site).told_of_part(role, look)

    def accepted(self) -> None:
        """The test that runs now has passed, whatever happened in it."""
        with self._lock:
            for seen in self._seen.values():
                if self.test in seen.told.happened:
                    seen.told.happened[self.test] = True

    def forget_sites(self) -> None:
        """Begin anew with what came by at sites."""
        with self._lock:
            self._seen.clear()
            self._born_at.clear()

    def seen_sites(self) -> dict[str, tuple[tuple[str, ...], str]]:
        """The sites that something came by at; with the kinds that were first made there, and in which role."""
        with self._lock:
            found = {}
            for key, seen in self._seen.items():
                role = next((name for name, one in seen.told.bad.items() if name not in seen.operands and one.bad), "")
                kinds = seen.told.bad[role].bad.intersection(seen.told.kinds) if role else seen.told.kinds
                found[key] = (tuple(sorted(kinds)), role)
            return found | {key: one for key, one in self._born_at.items() if key and not found.get(key, ((), ""))[0]}

    def has_birth(self, site: Site) -> bool:
        """Whether an origin was told of at a site."""
        return site.key in self._born_at

    def unwatched(self, site: Site) -> None:
        """See ``Watch.unwatched``."""
        with self._lock:
            seen = self._tally(site)
            if not seen.told.unwatched:
                seen.told.unwatched = True
                self._write(seen.told)

    def looked(
        self,
        site: Site,
        role: str,
        look: Look,
        known: Kinds = frozenset(),
        value: Any = None,
        size: int = 1,
    ) -> Kinds:
        """What a probe saw: as ``observed``, and cheaper where all was finite; ``size``: of how many elements."""
        if isinstance(look, Health):
            return self.observed(site, role, look, known=known, value=value)
        if look is not None:
            with self._lock:
                seen = self._tally(site)
                seen.glanced(role, *look, self.steps)
                seen.counted(role, size)
                if role == RESULT:
                    seen.executed(1, self.test)
                    if self._worth_keeping(seen):
                        self._write(seen.told)
        return frozenset()

    def _worth_keeping(self, seen: Tally) -> bool:
        """Whether to write down what was seen so far, which is what a killed process leaves."""
        now = time.monotonic()
        often = seen.told.executions > FEW and seen.told.executions & (seen.told.executions - 1) != 0
        if often and now - seen.written < STALE:
            return False
        seen.written = now
        return True

    def _site_of(self, op: str, frame: Frame) -> str:
        """The finding that spoke of what was born: at its column where that is known, else by the name of the op."""
        there = self.sites_on(frame.path, frame.line)
        if frame.column:
            there = tuple(site for site in there if site.covers(frame.line, frame.column))
        stem = op.lower().removeprefix("reduce_")[:3]
        alike = [site for site in there if site.op in op.lower() or site.op[:3] == stem]
        if not alike and (frame.column or len(there) == 1):  # another name for the op, or a part of the form
            alike = [site for site in there if not (site.cls and stem in COMBINING)]
        return min(alike, key=lambda site: site.extent).key if alike else ""
