"""The event file of a process: written line by line, so that what a killed process saw is on disk; and its reader."""

from __future__ import annotations

import contextlib
import itertools
import os
import socket
import threading
from collections.abc import Collection, Iterator
from dataclasses import dataclass

from nanlint.disk import read_regular, reason
from nanlint.refused import Refused
from nanlint.runtime.events import FORMAT, Event, Started, decode, encode

#: name of the event files in a run's directory: which host and process wrote them
PREFIX, SUFFIX = "events-", ".jsonl"


class RunError(Refused):
    """A run that cannot be read or written; the message names the path and says what to do."""


class EventFile:
    """Appends events. Each is handed to the system at once as one write; nothing waits in a buffer of ours.

    Where that fails (a full disk, a directory that is gone or out of reach), the record ends and the program goes on.
    """

    def __init__(self, directory: str) -> None:
        self.size = 0
        self._lock = threading.RLock()  # a signal's handler may write while we do
        self._file = -1
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_APPEND | getattr(os, "O_CLOEXEC", 0)
        name = f"{PREFIX}{socket.gethostname()}-{os.getpid()}"
        for again in itertools.count():  # one process after the other (exec), and containers, may have one number
            self.path = os.path.join(directory, f"{name}-{again}{SUFFIX}" if again else f"{name}{SUFFIX}")
            with contextlib.suppress(OSError):
                self._file = os.open(self.path, flags, 0o666)
            if self._file >= 0 or not os.path.exists(self.path):
                break

    def write(self, *events: Event) -> None:
        """Append events."""
        lines = b"".join(map(encode, events))
        with self._lock:
            if self._file < 0:
                return
            try:
                while lines:
                    written = os.write(self._file, lines)
                    self.size += written
                    lines = lines[written:]
            except OSError:
                self._close()

    def close(self) -> None:
        """Write no more."""
        with self._lock:
            self._close()

    def _close(self) -> None:
        if self._file >= 0:
            with contextlib.suppress(OSError):  # closed by a program that closes all files
                os.close(self._file)
            self._file = -1


@dataclass(frozen=True)
class Process:
    """What one process left behind. ``damaged``: lines that could not be read (the last one, where it was killed)."""

    path: str
    started: Started
    events: tuple[Event, ...]
    damaged: int = 0


@dataclass(frozen=True)
class RunRecord:
    """A run as it was kept, or several: their processes by rank, then by when they began; the first directory."""

    directory: str
    processes: tuple[Process, ...]

    def __iter__(self) -> Iterator[tuple[Process, Event]]:
        """Every event with its process, process by process."""
        for process in self.processes:
            for event in process.events:
                yield process, event


def event_files(directory: str) -> list[str]:
    """The event files in the directory of a run."""
    names = sorted(name for name in os.listdir(directory) if name.startswith(PREFIX) and name.endswith(SUFFIX))
    return [os.path.join(directory, name) for name in names]


def read_run(*paths: str, but: Collection[str] = ()) -> RunRecord:
    """The runs in directories, merged over processes, ranks and hosts; or of event files. ``but``: without these files.

    Raises RunError for what is no run, or one that a newer nanlint wrote.
    """
    found: list[Process] = []
    for path in dict.fromkeys(paths):
        if not os.path.exists(path):
            raise RunError(f"{path}: no such run")
        files = event_files(path) if os.path.isdir(path) else [path]
        read = [process for process in map(read_process, files) if process is not None and process.path not in but]
        if not read:
            raise RunError(f"{path}: contains no run of nanlint verify (no {PREFIX}*{SUFFIX} that can be read)")
        found += read
    found.sort(key=lambda process: (process.started.rank, process.started.time))
    first = paths[0] if os.path.isdir(paths[0]) else os.path.dirname(paths[0])
    return RunRecord(first, tuple(found))


def read_process(path: str) -> Process | None:
    """What one event file holds; None for one that does not even say who wrote it. Raises RunError as read_run."""
    try:
        lines = read_regular(path, most=-1).splitlines()
    except OSError as error:
        raise RunError(f"{path}: could not be read: {reason(error)}") from None
    started: Started | None = None
    events: list[Event] = []
    damaged = 0
    for line in lines:
        event = decode(line)
        if event is None:
            damaged += 1
        elif isinstance(event, Started):
            if event.format > FORMAT:
                raise RunError(
                    f"{path}: was written by nanlint {event.nanlint}, which stores runs in format {event.format}; "
                    f"this one reads up to {FORMAT}: upgrade nanlint"
                )
            started = event
        else:
            events.append(event)
    return None if started is None else Process(path, started, tuple(events), damaged)
