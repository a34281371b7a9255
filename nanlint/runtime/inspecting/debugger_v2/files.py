"""The files of a dump, read one after the other: sources and stacks, the ops of graphs, what was executed."""

from __future__ import annotations

import contextlib
import glob
import math
import os
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from nanlint.disk import read_regular, reason
from nanlint.runtime.events import Frame
from nanlint.runtime.inspecting.debugger_v2.looks import Look, look_of
from nanlint.runtime.inspecting.debugger_v2.wire import (
    Damaged,
    Message,
    floats,
    integer,
    integers,
    message,
    part,
    records,
    text,
    texts,
)
from nanlint.runtime.inspecting.sources import SourceFile
from nanlint.runtime.runfile import RunError

#: how the names of ops begin that compute gradients
GRADIENTS = ("gradient_tape/", "gradients/")

_FUNCTION = re.compile(r"(?:__(inference|forward|backward)_)+(\w+?)(?:_\d+)+")


@dataclass(frozen=True)
class Made:
    """An op of a graph, as it was made: its inputs are names of tensors."""

    kind: str
    name: str
    graph: str
    inputs: list[str]
    frames: tuple[Frame, ...]

    @property
    def backward(self) -> bool:
        """Whether it is part of a gradient."""
        return self.name.startswith(GRADIENTS)


@dataclass(frozen=True)
class Execution:
    """One thing that ran at top level, with what was traced inside."""

    number: int
    time: float
    kind: str
    graph: str
    inputs: list[int]
    outputs: list[int]
    looks: list[Look]
    frames: tuple[Frame, ...]
    traces: list[tuple[str, str, int, Look]]


class DumpFiles:
    """Reads a directory. ``notes``: what could not be read; ``damaged``: events that are left out.

    Raises RunError for a directory that holds no dump.
    """

    def __init__(self, directory: str) -> None:
        if not os.path.isdir(directory):
            raise RunError(f"{directory}: no such directory")
        metadata = sorted(glob.glob(os.path.join(glob.escape(directory), "*.metadata")))
        if not metadata:
            raise RunError(f"{directory}: contains no dump of TensorFlow's Debugger V2 (no tfdbg_events.*.metadata)")
        self.directory = directory
        self.notes: list[str] = []
        self.damaged = 0
        self.modes: set[int] = set()
        self.started, self.version = self._metadata([path.removesuffix(".metadata") for path in metadata])
        self.sources, self._frames_of = self._source()

    def _events(self, path: str, wanted: int) -> Iterator[tuple[float, Message]]:
        """Time and content of the events of one file that have the field ``wanted``; damage ends it, with a note."""
        try:
            content = read_regular(path, most=-1)
        except OSError as error:
            self.notes.append(f"{os.path.basename(path)} could not be read: {reason(error)}")
            return
        try:
            for record in records(content):
                found: list[tuple[float, Message]] = []
                with self._careful():
                    event = message(record)
                    if wanted in event:
                        time = next(iter(floats(event, 1, "d")), 0.0)
                        found.append((time if math.isfinite(time) else 0.0, part(event, wanted)))
                yield from found
        except Damaged as damage:
            self.notes.append(f"{os.path.basename(path)} is damaged ({damage}): the rest is left out")

    @contextlib.contextmanager
    def _careful(self) -> Iterator[None]:
        """What is damaged inside of an event leaves out that event."""
        try:
            yield
        except (Damaged, ValueError, OverflowError, IndexError):
            self.damaged += 1

    def _metadata(self, prefixes: Sequence[str]) -> tuple[float, str]:
        self._prefixes = prefixes
        found = [one for prefix in self._prefixes for one in self._events(f"{prefix}.metadata", 3)]
        if not found:
            raise RunError(f"{self.directory}: the dump's metadata cannot be read")
        time, data = min(found, key=lambda pair: pair[0])
        runs = {text(one, 3) for _, one in found}
        if len(runs) > 1:
            raise RunError(f"{self.directory}: contains dumps of {len(runs)} runs; put each into a separate directory")
        version = text(data, 2)
        if version and not version.startswith("debug.Event:1"):
            raise RunError(f"{self.directory}: is in format {version}; this nanlint reads debug.Event:1")
        return time, text(data, 1)

    def _source(self) -> tuple[dict[str, SourceFile], dict[str, Frame]]:
        """The user's files, and the stack frames by their ids."""
        paths: list[str] = []
        files: dict[str, SourceFile] = {}
        lines: dict[str, list[str]] = {}
        frames: dict[str, Frame] = {}
        for _, one in self._events(f"{self._prefixes[0]}.source_files", 4):
            with self._careful():
                path = text(one, 1)
                paths.append(path)
                if _users(path):
                    lines[path] = texts(one, 3)
                    files[path] = SourceFile(path, "\n".join(lines[path]))
        for _, one in self._events(f"{self._prefixes[0]}.stack_frames", 6):
            with self._careful():
                place = part(one, 2)
                index, row = integer(place, 1), integer(place, 2)
                path = paths[index] if 0 <= index < len(paths) else ""
                own = lines.get(path, ())
                shown = own[row - 1].strip() if 0 < row <= len(own) else ""
                frames[text(one, 1)] = Frame(path, row, text(place, 4), shown, integer(place, 3))
        return files, frames

    def made(self) -> Iterator[Made]:
        """The ops of all graphs."""
        for _, one in self._events(f"{self._prefixes[0]}.graphs", 7):
            with self._careful():
                yield Made(text(one, 1), text(one, 2), text(one, 4), texts(one, 6), self._frames(part(one, 8)))

    def executions(self) -> list[Execution]:
        """What ran at top level, each with the traces that were written since the one before."""
        traces: list[tuple[float, tuple[str, str, int, Look]]] = []
        for prefix in self._prefixes:
            for time, one in self._events(f"{prefix}.graph_execution_traces", 10):
                with self._careful():
                    traces.append((time, self._trace(one)))
        traces.sort(key=lambda pair: pair[0])
        found: list[Execution] = []
        pending: list[tuple[str, str, int, Look]] = []
        at = 0
        for time, one in sorted(self._events(f"{self._prefixes[0]}.execution", 9), key=lambda pair: pair[0]):
            with self._careful():
                graph, mode = text(one, 3), integer(one, 6)
                looks = [look_of(mode, message(proto)) for proto in one.get(7, ()) if isinstance(proto, bytes)]
                frames = self._frames(part(one, 8))
                ids = integers(one, 4), integers(one, 5)
                self.modes.add(mode)
                while at < len(traces) and traces[at][0] <= time:
                    pending.append(traces[at][1])
                    at += 1
                kind = text(one, 1)
                calls = bool(graph) or _FUNCTION.fullmatch(kind) is not None  # one that is differentiated has no graph
                inside, pending = (pending, []) if calls else ([], pending)
                kind, graph = _called(kind), graph or (inside[-1][0] if inside else "")
                found.append(Execution(len(found), time, kind, graph, *ids, looks, frames, inside))
        rest = pending + [trace for _, trace in traces[at:]]
        if rest:
            # the program died in the middle of it, or ran it on another thread
            last = max((time for time, _ in traces), default=self.started)
            found.append(Execution(len(found), last, "(did not end)", rest[0][0], [], [], [], (), rest))
        return found

    def _trace(self, one: Message) -> tuple[str, str, int, Look]:
        mode = integer(one, 4)
        self.modes.add(mode)
        return text(one, 1), text(one, 2), integer(one, 3), look_of(mode, part(one, 5))

    def _frames(self, location: Message) -> tuple[Frame, ...]:
        """The user's frames of a code location, innermost first; all, if none is the user's."""
        frames = [self._frames_of[name] for name in reversed(texts(location, 2)) if name in self._frames_of]
        return tuple(frame for frame in frames if _users(frame.path)) or tuple(frames)

    def root(self) -> str:
        """Where the user's files are."""
        directories = [os.path.dirname(path) for path in self.sources]
        return os.path.commonpath(directories) if directories and all(map(os.path.isabs, directories)) else ""


def _called(kind: str) -> str:
    """An op by its type, a tf.function by its name in the source."""
    match = _FUNCTION.fullmatch(kind)
    return kind if match is None else f"{'gradient of ' if match[1] == 'backward' else ''}{match[2]}()"


def _users(path: str) -> bool:
    """Whether a file of a dump is the user's: the dump may be of another machine, so only its name tells."""
    parts: Iterable[str] = path.replace("\\", "/").split("/")
    library = {"site-packages", "dist-packages"}.intersection(parts) or any(p.startswith("python3") for p in parts)
    return bool(path) and not library and not path.startswith("<frozen")
