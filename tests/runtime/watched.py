"""Code of a test under one adapter, in the test's own process; what was reported of it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from nanlint.diagnostic import Span
from nanlint.runtime.adapter import Adapter
from nanlint.runtime.events import Alert, Birth, Event, Module, Observed, Step
from nanlint.runtime.options import Options
from nanlint.runtime.recorder import Recorder
from nanlint.runtime.runfile import read_run
from nanlint.runtime.sites import Site


class Reported:
    """What was reported up to now; all of it after the block."""

    def __init__(self, recorder: Recorder) -> None:
        self.recorder = recorder

    @property
    def events(self) -> list[Event]:
        return [event for _, event in read_run(self.recorder.options.directory)]

    @property
    def births(self) -> list[Birth]:
        return [event for event in self.events if isinstance(event, Birth)]

    @property
    def steps(self) -> list[Step]:
        return [event for event in self.events if isinstance(event, Step)]

    @property
    def observed(self) -> list[Observed]:
        return [event for event in self.events if isinstance(event, Observed)]

    @property
    def told(self) -> list[Alert]:
        return [event for event in self.events if isinstance(event, Alert)]

    def alerts(self, kind: str) -> list[Alert]:
        assert not [alert.message for alert in self.told if alert.alert == "internal"]
        return [alert for alert in self.told if alert.alert == kind]

    def blamed(self) -> list[tuple[str, str, bool]]:
        """Op, blamed source line and direction of each birth."""
        assert not self.alerts("internal")
        return [(birth.op, (birth.forward or birth.frames)[0].text, birth.backward) for birth in self.births]

    def first(self) -> tuple[str, str, bool]:
        """The same of the first birth."""
        return self.blamed()[0]


@contextmanager
def watched(
    adapters: Sequence[type[Adapter]], directory: Path, mode: str = "all", sites: Sequence[Site] = (), **options: Any
) -> Iterator[Reported]:
    """Watch the block; files beside this one are the user's."""
    directory.mkdir(exist_ok=True)
    recorder = Recorder(Options(directory=str(directory), watch=mode, **options))
    if sites:
        recorder.watch_module(Module(sites[0].path, ""), sites)
    for kind in adapters:
        adapter = kind(recorder)
        recorder.adapters.append(adapter)
        adapter.start()
    try:
        yield Reported(recorder)
    finally:
        recorder.end()


def site(path: str, text: str, op: str, operands: Sequence[str] = ("x",)) -> Site:
    """A finding about ``op`` at the line of a file that holds a text; the pole of its first operand is 0."""
    lines = Path(path).read_text("utf-8").splitlines()
    number = next(i for i, line in enumerate(lines, 1) if text in line)
    span = Span(number, 1, number, len(lines[number - 1]))
    return Site(
        key=text,
        path=path,
        code="NL103",
        finding=span,
        span=span,
        op=op,
        framework="tensorflow",
        operands=tuple((name, span) for name in operands),
        operand=operands[0],
        cls="zero",
    )
