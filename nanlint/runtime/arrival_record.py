"""What is told beside origins: alerts, and what came back not finite, with where the training is."""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable, Container, Hashable, Sequence
from types import CodeType
from typing import Any

import msgspec

from nanlint.runtime.events import ARRIVED, GIVEN, KEPT, NON_FINITE, Alert, Stack, Where, is_bad
from nanlint.runtime.frames import is_behind, stack_of
from nanlint.runtime.health import Health, Kinds
from nanlint.runtime.hooks import safely
from nanlint.runtime.options import Options
from nanlint.runtime.replaying import BAD
from nanlint.runtime.results import Results
from nanlint.runtime.site_record import SiteRecord
from nanlint.runtime.telling import KINDS

#: steps, or what arrived in one, that wait to be written down
MANY = 64


class ArrivalRecord(SiteRecord):
    """The record of a process with its alerts: among them the losses, gradients and results that are not finite."""

    def __init__(self, options: Options, rank: int) -> None:
        self._at = Where(rank=rank or None)
        self._told_where: set[str] = set()
        self._read: Callable[[], None] = lambda: None
        self.results = Results(self)
        self.kept, self.came_in = self.results.kept, self.results.came_in
        super().__init__(options, rank)

    def _open(self) -> None:
        super()._open()
        self._scalers: list[Callable[[], bool] | None] = []
        self._held: list[tuple[Alert, Sequence[Hashable]]] = []
        self._followed: dict[str, Alert] = {}
        self._came = False
        self._fed: Callable[[], bool] | None = None
        #: where the program was when the last step was done
        self._stepped: Sequence[tuple[CodeType, int]] = ()

    @property
    def where(self) -> Where:
        """See ``Watch.where``."""
        found = self._at
        for adapter in self.adapters:
            found = msgspec.structs.replace(found, **adapter.where())
        return found

    def at(self, told: bool = False, **where: Any) -> None:
        """See ``Watch.at``. ``told``: by who runs the training, and knows better than what is seen of it."""
        if told:
            self._told_where |= where.keys()
        elif self._told_where:
            where = {name: value for name, value in where.items() if name not in self._told_where}
        self._at = msgspec.structs.replace(self._at, **where)

    def before_steps(self, read: Callable[[], None]) -> None:
        """Have what waits on devices read before a step is done, and at the end."""
        self._read = read

    def settle(self) -> None:
        """Have all told that waits to be told."""
        self._read()
        for adapter in self.adapters:
            safely(self, f"the pending results of {adapter.name}", adapter.settle)

    def alert(self, kind: str, message: str, *, frames: Stack = (), **details: Any) -> None:
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
        frames: Stack = (),
        given: bool = False,
        followed: bool = False,
        late: bool = False,
    ) -> None:
        """See ``Watch.arrived``."""
        adapter = None if isinstance(value, Health) else self.adapter_of(value)
        health = value if isinstance(value, Health) else Health()
        if adapter is not None and adapter.concrete(value):
            health = adapter.health(value)
        kinds = " and ".join(KINDS[kind] for kind in ("nan", "pinf", "ninf") if kind in health.bad) or "not finite"
        there = tuple(frames) or self.frames(1)
        given = (given or (self._fed is not None and self._fed())) and self.explains(health.bad, there)
        details = {GIVEN if given else ARRIVED: what, "name": name, "asked": asked, "kinds": sorted(health.bad)}
        if health.size > 1:
            details["held"] = str(health)
        message = f"{name} is {kinds}, seen at {asked}{'; its input was already not finite' if given else ''}"
        step = self._step_left() if what == "parameter" or late else self.steps
        alert = Alert(NON_FINITE, step, message, there, details, self.where)
        if followed and not given and self.options.on_nan == "continue":
            origin = f"{name}, {there[:1]}"
            self._followed.setdefault(origin, alert)
            self.fates.begin(origin, functools.partial(self._ends, [value]))
            return
        keys = () if given or adapter is None else adapter.keys(value)
        if self._scalers or self.mode == "sentinel":
            if len(self._held) < MANY:
                self._held.append((alert, keys))
        else:
            self._arrived(alert, keys)

    def explains(self, kinds: Kinds, frames: Stack = ()) -> bool:
        """See ``Watch.explains``."""
        there = tuple(frames) or self.frames(1)
        known = self.results.outside.union(*(self.results.written.kinds_at(one.path, one.line) for one in there))
        return "nan" in known or kinds <= known

    def left(self, name: str, health: Health, *, asked: str, frames: Stack = ()) -> None:
        """See ``Watch.left``."""
        self.settle()
        if self._came:  # which this only shows
            return
        kinds = " and ".join(KINDS[kind] for kind in ("nan", "pinf", "ninf") if kind in health.bad)
        details = {ARRIVED: "result", KEPT: True, "name": name, "asked": asked, "kinds": sorted(health.bad)}
        if health.size > 1:
            details["held"] = str(health)
        if self._first((KEPT, name, asked, *((one.path, one.line) for one in frames))):
            message = f"{name} is {kinds}, seen at {asked}"
            self._write(Alert(NON_FINITE, self._step_left(), message, tuple(frames), details, self.where))

    def _step_left(self) -> int:
        """The step that what is there now is of: the last one, as long as the next has not begun."""
        return self.steps - (self.steps > 0 and is_behind(stack_of(sys._getframe(1)), self._stepped))

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

    def _tell_followed(self, died: Container[object]) -> None:
        """Tell what was followed and did not die, where nothing else arrived."""
        for origin, alert in self._followed.items():
            if origin not in died and not self._came:
                self._arrived(alert, ())
