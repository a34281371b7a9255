"""The files of a dump, read by TensorFlow: sources and stacks, the ops of graphs, what was executed."""

from __future__ import annotations

import glob
import os
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from nanlint.runtime.events import Frame, Frames
from nanlint.runtime.health import Health, Kinds, health_of_numbers
from nanlint.runtime.inspecting.model import SourceFile, line_in
from nanlint.runtime.runfile import RunError
from nanlint.runtime.telling import fields_of

#: dtypes of what is no real number
_OTHER = ("complex", "string", "resource", "variant")

#: elements of a tensor that are shown
_KEPT = 64

#: the fields of ``Seen`` by the same names
FIELDS = ("health", "values", "form", "remark", "finite")
#: what is bad where the mode does not tell the kind
BAD = "bad"


@dataclass(frozen=True)
class Look:
    """What a dump says of a tensor: counts as far as they are known, and what is known beside them.

    ``kinds``: which kinds of non-finite value are in it, or BAD; None where the mode does not look at values.
    """

    health: Health = field(default_factory=Health)
    kinds: Kinds | None = None
    form: str = ""
    remark: str = ""
    finite: int = 0
    values: tuple[str, ...] = ()


def name_of(mode: int) -> str:
    """A TensorDebugMode."""
    from tensorflow.core.protobuf.debug_event_pb2 import TensorDebugMode

    return str(TensorDebugMode.Name(mode))


def look_of(mode: int, tensor: Any) -> Look:
    """What a dump in a mode says of a tensor: the summary that it holds in place of the tensor's values."""
    if not tensor.dtype:
        return Look(form="tensor", remark="not recorded")
    numbers = _numbers(tensor)
    named = name_of(mode)
    if named == "CURT_HEALTH" and len(numbers) >= 2:
        bad = numbers[1] != 0
        return Look(kinds=frozenset({BAD} if bad else ()), form="tensor", remark="nan or inf" if bad else "all finite")
    if named == "CONCISE_HEALTH" and len(numbers) >= 5:
        size, ninf, pinf, nan = map(int, numbers[1:5])
        health = Health(ninf=ninf, pinf=pinf, nan=nan)
        finite = size - ninf - pinf - nan
        parts = [str(health)] * bool(health.size) + [f"{finite:,} finite"] * bool(finite)
        return Look(health, health.bad, _form("", None, size), ", ".join(parts), finite)
    if named == "FULL_HEALTH" and len(numbers) >= 11:
        dtype, rank, size, ninf, pinf, nan, neg, zero, pos = map(int, numbers[2:11])
        health = Health(ninf, neg, zero, pos, pinf, nan, dtype=_dtype(dtype))
        return Look(health, health.bad, _form(health.dtype, rank, size))
    if named == "SHAPE" and len(numbers) >= 4:
        dtype, rank, size = map(int, numbers[1:4])
        shape = "×".join(str(int(one)) for one in numbers[4 : 4 + min(rank, 6)]) or "scalar"
        return Look(form=f"{_dtype(dtype)} {shape}{'×…' if rank > 6 else ''}".strip(), remark="not checked")
    if named == "FULL_TENSOR" and numbers:
        health = health_of_numbers(numbers, _dtype(tensor.dtype), tuple(one.size for one in tensor.tensor_shape.dim))
        return Look(health, health.bad, values=tuple(map(repr, numbers[:_KEPT])))
    return Look(form="tensor", remark="not recorded")


def shown(look: Look) -> dict[str, Any]:
    """The fields of ``Seen`` that say it."""
    return {**fields_of(look, FIELDS), "suspect": BAD in (look.kinds or ())}


def _form(dtype: str, rank: int | None, size: int) -> str:
    shape = "scalar" if rank == 0 else f"{size:,} element{'' if size == 1 else 's'}"
    return " ".join(filter(None, [dtype, f"rank {rank}," if rank is not None and rank > 1 else "", shape]))


def _numbers(tensor: Any) -> list[float]:
    """The elements of a TensorProto of real numbers."""
    from tensorflow.python.framework.tensor_util import MakeNdarray

    real = _dtype(tensor.dtype) and not _dtype(tensor.dtype).startswith(_OTHER)
    return [] if not real else [float(one) for one in MakeNdarray(tensor).ravel()]


def _dtype(code: int) -> str:
    from tensorflow.python.framework import dtypes

    try:
        return str(dtypes.as_dtype(int(code)).name)
    except TypeError:  # DT_INVALID
        return ""


#: how the names of ops begin that compute gradients
GRADIENTS = ("gradient_tape/", "gradients/")

#: bytes around an event: its length, and two checksums
_RECORD = 16

_FUNCTION = re.compile(r"(?:__(inference|forward|backward)_)+(\w+?)(?:_\d+)+")


@dataclass(frozen=True)
class Made:
    """An op of a graph, as it was made: its inputs are names of tensors."""

    kind: str
    name: str
    graph: str
    inputs: list[str]
    frames: Frames

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
    frames: Frames
    traces: list[tuple[str, str, int, Look]]


class DumpFiles:
    """Reads a directory. ``notes``: what could not be read.

    Raises RunError for a directory that holds no dump, and without TensorFlow.
    """

    def __init__(self, directory: str) -> None:
        if not os.path.isdir(directory):
            raise RunError(f"{directory}: no such directory")
        if not glob.glob(os.path.join(glob.escape(directory), "*.metadata")):
            raise RunError(f"{directory}: contains no dump of TensorFlow's Debugger V2 (no tfdbg_events.*.metadata)")
        self.directory = directory
        self.notes: list[str] = []
        self.modes: set[int] = set()
        os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")  # nothing is computed: how it would be does not matter
        os.environ.setdefault("TF_ENABLE_ONEDNN_OPTS", "0")
        try:
            from tensorflow.python.debug.lib.debug_events_reader import DebugEventsReader
            from tensorflow.python.framework.errors import DataLossError
        except ImportError as error:
            told = f"{directory}: a dump of Debugger V2 is read with TensorFlow, which cannot be imported ({error})"
            raise RunError(f"{told}: pip install tensorflow") from None
        try:
            self._reader = DebugEventsReader(directory)
        except DataLossError:
            raise RunError(f"{directory}: the dump's metadata cannot be read") from None
        except ValueError as error:
            raise RunError(f"{directory}: {error}; put the dump of each run into a separate directory") from None
        self.started, self.version = self._reader.starting_wall_time(), self._reader.tensorflow_version()
        self.sources, self._frames_of = self._source()

    def _events(self, suffix: str, events: Iterator[Any]) -> Iterator[Any]:
        """The events of one file as far as it can be read; what ends them early is noted."""
        from tensorflow.python.framework.errors import OpError

        read = 0
        (path, *_) = glob.glob(os.path.join(glob.escape(self.directory), f"*.{suffix}")) or [""]
        try:
            for event, offset in events:
                read = offset + _RECORD + event.ByteSize()
                yield event
        except OpError as error:
            self.notes.append(f"a file of {suffix} could not be read: {error.message}")
            return
        if path and read < os.path.getsize(path):
            self.notes.append(f"{os.path.basename(path)} is damaged (after {read:,} bytes): the rest is left out")

    def _source(self) -> tuple[dict[str, SourceFile], dict[str, Frame]]:
        """The user's files, and the stack frames by their ids."""
        paths: list[str] = []
        files: dict[str, SourceFile] = {}
        frames: dict[str, Frame] = {}
        for event in self._events("source_files", self._reader.source_files_iterator()):
            path = event.source_file.file_path
            paths.append(path)
            if _users(path):
                files[path] = SourceFile(path, "\n".join(event.source_file.lines))
        for event in self._events("stack_frames", self._reader.stack_frames_iterator()):
            place = event.stack_frame_with_id.file_line_col
            path = paths[place.file_index] if place.file_index < len(paths) else ""
            shown = line_in(files, path, place.line)
            frames[event.stack_frame_with_id.id] = Frame(path, place.line, place.func, shown, place.col)
        return files, frames

    def made(self) -> Iterator[Made]:
        """The ops of all graphs."""
        for event in self._events("graphs", self._reader.graphs_iterator()):
            one = event.graph_op_creation
            if one.op_name:
                yield Made(
                    one.op_type, one.op_name, one.graph_id, list(one.input_names), self._frames(one.code_location)
                )

    def executions(self) -> list[Execution]:
        """What ran at top level, each with the traces that were written since the one before."""
        traces: list[tuple[float, tuple[str, str, int, Look]]] = []
        for events in self._reader.graph_execution_traces_iterators():
            for event in self._events("graph_execution_traces", events):
                trace = event.graph_execution_trace
                self.modes.add(trace.tensor_debug_mode)
                look = look_of(trace.tensor_debug_mode, trace.tensor_proto)
                traces.append((event.wall_time, (trace.tfdbg_context_id, trace.op_name, trace.output_slot, look)))
        traces.sort(key=lambda pair: pair[0])
        found: list[Execution] = []
        pending: list[tuple[str, str, int, Look]] = []
        at = 0
        events = self._events("execution", self._reader.execution_iterator())
        for event in sorted(events, key=lambda event: event.wall_time):
            one = event.execution
            self.modes.add(one.tensor_debug_mode)
            while at < len(traces) and traces[at][0] <= event.wall_time:
                pending.append(traces[at][1])
                at += 1
            # one that is differentiated has no graph
            calls = bool(one.graph_id) or _FUNCTION.fullmatch(one.op_type) is not None
            inside, pending = (pending, []) if calls else ([], pending)
            found.append(
                Execution(
                    len(found),
                    event.wall_time,
                    _called(one.op_type),
                    one.graph_id or (inside[-1][0] if inside else ""),
                    list(one.input_tensor_ids),
                    list(one.output_tensor_ids),
                    [look_of(one.tensor_debug_mode, proto) for proto in one.tensor_protos],
                    self._frames(one.code_location),
                    inside,
                )
            )
        rest = pending + [trace for _, trace in traces[at:]]
        if rest:
            # the program died in the middle of it, or ran it on another thread
            last = max((time for time, _ in traces), default=self.started)
            found.append(Execution(len(found), last, "(did not end)", rest[0][0], [], [], [], (), rest))
        return found

    def _frames(self, location: Any) -> Frames:
        """The user's frames of a code location, innermost first; all, if none is the user's."""
        known = self._frames_of
        frames = [known[name] for name in reversed(location.stack_frame_ids) if name in known]
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
