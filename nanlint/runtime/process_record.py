"""What the watch of one process is made of: its event file, its adapters, the user's files, where it stops."""

from __future__ import annotations

import functools
import os
import pdb
import socket
import sys
import threading
import time
import weakref
from collections.abc import Callable, Hashable, Iterator, Sequence
from contextlib import contextmanager
from types import FrameType
from typing import Any

from nanlint.runtime.adapter import Adapter, Tensor
from nanlint.runtime.events import FORMAT, Death, Event, Frames, Framework, Stack, Started
from nanlint.runtime.fates import Ends, Fates, Origin
from nanlint.runtime.frames import Line, Users
from nanlint.runtime.hooks import NonFinite
from nanlint.runtime.launch import deciding_variables
from nanlint.runtime.options import Options
from nanlint.runtime.replaying import RandomStates
from nanlint.runtime.runfile import PREFIX, SUFFIX, EventFile
from nanlint.runtime.telling import spot
from nanlint.version import __version__

#: distinct births, alerts of one kind, tensors of one filter: beyond, they are only counted
MOST = 2_000


class ProcessRecord:
    """The record of one process, before anything is judged."""

    def __init__(self, options: Options, rank: int) -> None:
        self.options = options
        self._repeated = options.replay
        self.repeats = self._repeated is not None
        self.mode = options.watch if self._repeated is None else "all" if self._repeated[0] == 0 else "sentinel"
        #: steps are to be told as they end where one is repeated
        self.prompt = options.on_nan != "continue" or self._repeated is not None
        self.users = Users(options.include)
        self.adapters: list[Adapter] = []
        self.keep_elements = options.keep_elements
        self._owners: dict[type, Adapter | None] = {}
        #: who is told at once of what makes the run bad: of each time, where the events only count
        self.hear: Callable[[str, Origin | None], None] | None = None
        self.warned: Callable[[str], None] | None = None
        #: what opens where something went bad, if that was asked for: it gets what may open Python's debugger there
        self.stop_at: Callable[[str, Sequence[Tensor], Callable[[], None]], None] = lambda _, __, debugger: debugger()
        self._rank = rank
        self.steps = 0  # a fork counts on
        self._random: RandomStates | None = None
        self._bad = False
        self._open()
        self._begin()
        ours = weakref.WeakMethod(self._open)
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(after_in_child=lambda: (reopen := ours()) and reopen())

    def _open(self) -> None:
        """A process of its own: the first one, or a fork, which begins its event file when it has something to say."""
        if self._random is not None:
            self._random.forget()
        self._lock = threading.RLock()
        self._file: EventFile | None = None
        self._told: dict[Any, int] = {}
        self.fates = Fates()
        self._end = threading.local()

    def watch_framework(self, name: str, version: str) -> None:
        """A framework was imported, and its adapter started."""
        self._write(Framework(name, version))

    def owns_file(self, path: str) -> bool:
        """Whether a file is the user's."""
        return self.users.owns(path)

    def frames(self, skip: int = 0) -> Frames:
        """The user's frames of this moment, innermost first."""
        return self.users.frames(sys._getframe(1 + skip))

    def user_line(self) -> Line | None:
        """Path, line and function of the user's innermost frame."""
        return self.users.line(sys._getframe(1))

    def called_by_library(self) -> bool:
        """See ``Watch.called_by_library``."""
        return self.users.called_by_library(sys._getframe(1))

    @property
    def bad(self) -> bool:
        """See ``Watch.bad``."""
        return self._bad

    def _went_bad(self) -> None:
        """This step did: it may have to be repeated."""
        self._bad = True
        self._keep_states(late=True)

    def _keep_states(self, late: bool = False) -> None:
        if self._random is not None and self._repeated is None and (late or self._random.unwritten):
            stem = os.path.basename((self._file or self._begin()).path).removeprefix(PREFIX).removesuffix(SUFFIX)
            self._write(*self._random.written(self.options.directory, stem, late))

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

    def _hear(self, frames: Stack, message: str, origin: Origin | None = None) -> None:
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

    def act(self, message: str, tensors: Sequence[Tensor]) -> None:
        """Stop or debug at what was just born, if that was asked for."""
        if self.options.on_nan == "stop":
            raise NonFinite(message)
        if self.options.on_nan == "debug":
            found = {one.name: one.health if one.value is None else one.value for one in tensors}
            frame = self.users.frame(sys._getframe(1))
            if frame is not None:
                self.stop_at(message, tensors, functools.partial(debug, frame, message, found))

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
                python=sys.version.split()[0],
                argv=tuple(sys.argv),
                directory=os.getcwd(),
                watch=self.mode,
                hash_seed=self.options.hash_seed,
                variables=deciding_variables(),
            )
        )
        return file


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
