"""Dumps of TensorFlow's Debugger V2 (``tf.debugging.experimental.enable_dump_debug_info``) as runs for the reader.

Steps are the top-level executions of the dump: ops that ran eagerly, and calls of a tf.function with the ops in it.
The origin rule is that of `nanlint verify`: a birth is a kind of non-finite value that is in no input. What a dump does
not tell is said: most modes have no counts or no kinds, and the circular buffer forgets the origin.
"""

from __future__ import annotations

import contextlib
import glob
import math
import os
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from nanlint.diagnostic import Confidence
from nanlint.opening import read_regular, reason
from nanlint.runtime.events import FORMAT, Ended, Frame, Framework, Started, Step
from nanlint.runtime.health import CLASSES, Health, health_of_numbers
from nanlint.runtime.inspecting.model import INPUT, OUTPUT, Incident, Member, Node, Run, Seen, shown_path
from nanlint.runtime.inspecting.sources import Finding, SourceFile, finding_of
from nanlint.runtime.inspecting.wire import (
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
from nanlint.runtime.runfile import RunError
from nanlint.runtime.telling import KINDS
from nanlint.runtime.verdicts import State, Verdict, diagnose_again
from nanlint.source import Source

#: of TensorDebugMode
MODES = {
    1: "NO_TENSOR",
    2: "CURT_HEALTH",
    3: "CONCISE_HEALTH",
    4: "FULL_HEALTH",
    5: "SHAPE",
    6: "FULL_NUMERICS",
    7: "FULL_TENSOR",
    8: "REDUCE_INF_NAN_THREE_SLOTS",
}

#: of DataType
_DTYPES = {1: "float32", 2: "float64", 14: "bfloat16", 19: "float16", 8: "complex64", 18: "complex128", 3: "int32"}
_DTYPES |= {4: "uint8", 5: "int16", 6: "int8", 7: "string", 9: "int64", 10: "bool", 20: "resource", 21: "variant"}
_CODES = {1: "f", 2: "d"}

#: how many executions and traces the debugger keeps unless it is told otherwise
_BUFFER = 1_000
#: births that are listed
_MOST = 2_000
#: elements of a tensor that are shown
_KEPT = 64

_FUNCTION = re.compile(r"__(?:inference|forward|backward)_(\w+?)_\d+")

#: what is bad where the mode does not tell the kind
BAD = "bad"

#: ops that hand on what they were given: what is bad there was bad before
_READING = ("ReadVariableOp", "VarHandleOp", "Placeholder", "IteratorGetNext", "Identity", "_Arg", "ResourceGather")

#: ops whose output, where it was not recorded, is no floating-point number
_HARMLESS = ("Const", "VarHandleOp", "Shape", "Range", "StridedSlice")

_ADVICE = 'dump again with tensor_debug_mode="FULL_HEALTH"'


@dataclass(frozen=True)
class Look:
    """What a dump says of a tensor: counts as far as they are known, and what is known beside them.

    ``kinds``: which kinds of non-finite value are in it, or BAD; None where the mode does not look at values.
    """

    health: Health = field(default_factory=Health)
    kinds: frozenset[str] | None = None
    form: str = ""
    remark: str = ""
    finite: int = 0
    values: tuple[str, ...] = ()


@dataclass
class _Op:
    """An op of a graph, as it was made."""

    node: int
    kind: str
    name: str
    graph: str
    inputs: list[str]
    frames: tuple[Frame, ...]


@dataclass(frozen=True)
class _Execution:
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


def read_dump(directory: str) -> Run:
    """The dump in a directory. Raises RunError for what is none."""
    if not os.path.isdir(directory):
        raise RunError(f"{directory}: no such directory")
    metadata = sorted(glob.glob(os.path.join(glob.escape(directory), "*.metadata")))
    if not metadata:
        raise RunError(f"{directory}: contains no dump of TensorFlow's Debugger V2 (no tfdbg_events.*.metadata)")
    return _Dump(directory, [path.removesuffix(".metadata") for path in metadata]).run()


class _Dump:
    """Reads the files of a dump one after the other; what it learns of ops and tensors is kept by their names."""

    def __init__(self, directory: str, prefixes: Sequence[str]) -> None:
        self._directory = directory
        self._notes: list[str] = []
        self._prefixes = prefixes
        self._nodes: list[Node] = []
        self._names: Counter[str] = Counter()
        self._ops: dict[tuple[str, str], _Op] = {}
        self._of_graph: dict[str, list[_Op]] = {}
        self._traced: set[int] = set()
        self._eager: dict[tuple[str, str, int], int] = {}
        self._eager_source: dict[int, int] = {}
        self._eager_look: dict[int, Look] = {}
        self._tensors: list[Seen] = []
        self._kept: dict[tuple[int, int], int] = {}
        self._births: dict[tuple[int, frozenset[str]], int] = {}
        self._incidents: list[Incident] = []
        self._modes: set[int] = set()
        self._origin: int | None = None
        self._damaged = 0
        self._bad: frozenset[str] = frozenset()

    def run(self) -> Run:
        started, version = self._metadata()
        self._sources, self._frames_of = self._source()
        self._graphs()
        executions = self._executions(started)
        steps, traces = self._timeline(executions, started)
        for execution in executions:
            self._judge(execution)
        self._tell(executions)
        findings = self._findings()
        ended = executions[-1].time if executions else started
        mode = ", ".join(MODES.get(mode, f"mode {mode}") for mode in sorted(self._modes))
        member = Member(
            started=Started(
                format=FORMAT,
                nanlint="",
                time=started,
                host="",
                pid=0,
                rank=0,
                parent=0,
                python="",
                argv=("tfdbg", self._directory),
                directory=self._root(),
                watch=f"Debugger V2, {mode}" if mode else "Debugger V2",
            ),
            ended=Ended(ended, len(steps)),
            frameworks=(Framework("tensorflow", version),),
            steps=tuple(steps),
            traces=traces,
            nodes={i: i for i in range(len(self._nodes))},
            damaged=self._damaged,
        )
        return Run(
            origin=self._directory,
            members=(member,),
            nodes=tuple(self._nodes),
            tensors=tuple(self._tensors),
            incidents=tuple(self._incidents),
            findings=tuple(findings),
            files=self._sources,
            notes=tuple(self._notes),
        )

    # ── files ───────────────────────────────────────────────────────────────────────────────────────────────────────

    def _events(self, path: str, wanted: int) -> Iterator[tuple[float, Message]]:
        """Time and content of the events of one file that have the field ``wanted``; damage ends it, with a note."""
        try:
            content = read_regular(path, most=-1)
        except OSError as error:
            self._notes.append(f"{os.path.basename(path)} could not be read: {reason(error)}")
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
            self._notes.append(f"{os.path.basename(path)} is damaged ({damage}): the rest is left out")

    @contextlib.contextmanager
    def _careful(self) -> Iterator[None]:
        """What is damaged inside of an event leaves out that event."""
        try:
            yield
        except (Damaged, ValueError, OverflowError, IndexError):
            self._damaged += 1

    def _metadata(self) -> tuple[float, str]:
        found = [one for prefix in self._prefixes for one in self._events(f"{prefix}.metadata", 3)]
        if not found:
            raise RunError(f"{self._directory}: the dump's metadata cannot be read")
        time, data = min(found, key=lambda pair: pair[0])
        runs = {text(one, 3) for _, one in found}
        if len(runs) > 1:
            raise RunError(f"{self._directory}: contains dumps of {len(runs)} runs; put each into a separate directory")
        version = text(data, 2)
        if version and not version.startswith("debug.Event:1"):
            raise RunError(f"{self._directory}: is in format {version}; this nanlint reads debug.Event:1")
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

    def _graphs(self) -> None:
        """The ops of all graphs, as nodes that know where their inputs come from."""
        for _, one in self._events(f"{self._prefixes[0]}.graphs", 7):
            with self._careful():
                graph, name, kind = text(one, 4), text(one, 2), text(one, 1)
                frames = self._frames(part(one, 8))
                inputs = texts(one, 6)
                sources = (self._ops.get((graph, source.rpartition(":")[0])) for source in inputs)
                place = frames[0] if frames else Frame("", 0)
                backward = name.startswith(("gradient_tape/", "gradients/"))
                known = tuple(source.node for source in sources if source is not None)
                node = self._node(name, kind, place, backward, known)
                self._traced.add(node)
                op = self._ops[graph, name] = _Op(node, kind, name, graph, inputs, frames)
                self._of_graph.setdefault(graph, []).append(op)

    def _executions(self, started: float) -> list[_Execution]:
        """What ran at top level, each with the traces that were written since the one before."""
        traces: list[tuple[float, tuple[str, str, int, Look]]] = []
        for prefix in self._prefixes:
            for time, one in self._events(f"{prefix}.graph_execution_traces", 10):
                with self._careful():
                    traces.append((time, self._trace(one)))
        traces.sort(key=lambda pair: pair[0])
        found: list[_Execution] = []
        pending: list[tuple[str, str, int, Look]] = []
        at = 0
        for time, one in sorted(self._events(f"{self._prefixes[0]}.execution", 9), key=lambda pair: pair[0]):
            with self._careful():
                graph, mode = text(one, 3), integer(one, 6)
                looks = [look_of(mode, message(proto)) for proto in one.get(7, ()) if isinstance(proto, bytes)]
                frames = self._frames(part(one, 8))
                ids = integers(one, 4), integers(one, 5)
                self._modes.add(mode)
                while at < len(traces) and traces[at][0] <= time:
                    pending.append(traces[at][1])
                    at += 1
                inside, pending = (pending, []) if graph else ([], pending)
                kind = _called(text(one, 1))
                found.append(_Execution(len(found), time, kind, graph, *ids, looks, frames, inside))
        rest = pending + [trace for _, trace in traces[at:]]
        if rest:
            # the program died in the middle of it, or ran it on another thread
            last = max((time for time, _ in traces), default=started)
            found.append(_Execution(len(found), last, "(did not end)", rest[0][0], [], [], [], (), rest))
        return found

    def _trace(self, one: Message) -> tuple[str, str, int, Look]:
        mode = integer(one, 4)
        self._modes.add(mode)
        return text(one, 1), text(one, 2), integer(one, 3), look_of(mode, part(one, 5))

    def _frames(self, location: Message) -> tuple[Frame, ...]:
        """The user's frames of a code location, innermost first; all, if none is the user's."""
        frames = [self._frames_of[name] for name in reversed(texts(location, 2)) if name in self._frames_of]
        return tuple(frame for frame in frames if _users(frame.path)) or tuple(frames)

    def _root(self) -> str:
        """Where the user's files are."""
        directories = [os.path.dirname(path) for path in self._sources]
        return os.path.commonpath(directories) if directories and all(map(os.path.isabs, directories)) else ""

    # ── nodes, tensors, the timeline ────────────────────────────────────────────────────────────────────────────────

    def _node(self, name: str, kind: str, place: Frame, backward: bool = False, inputs: tuple[int, ...] = ()) -> int:
        self._names[name] += 1
        unique = name if self._names[name] == 1 else f"{name}#{self._names[name]}"
        self._nodes.append(Node(unique, "tensorflow", kind, place.path, place.line, backward, inputs))
        return len(self._nodes) - 1

    def _eager_node(self, execution: _Execution) -> int:
        place = execution.frames[0] if execution.frames else Frame("", 0)
        key = (execution.kind, place.path, place.line)
        if key not in self._eager:
            at = f"@{os.path.basename(place.path)}:{place.line}" if place.path else ""
            sources = dict.fromkeys(self._eager_source[i] for i in execution.inputs if i in self._eager_source)
            self._eager[key] = self._node(f"{execution.kind}{at}", execution.kind, place, inputs=tuple(sources))
        node = self._eager[key]
        for output in execution.outputs:
            self._eager_source[output] = node
        return node

    def _timeline(
        self, executions: Sequence[_Execution], started: float
    ) -> tuple[list[Step], Mapping[int, tuple[int, ...]]]:
        known: dict[tuple[int, ...], int] = {}
        steps = []
        before = started
        for one in executions:
            inside = (self._ops.get((graph, name)) for graph, name, _, _ in one.traces)
            ops = (*(op.node for op in inside if op is not None), self._eager_node(one))
            trace = known.setdefault(ops, len(known))
            steps.append(Step(one.number, before, max(one.time - before, 0.0), trace))
            before = one.time
        return steps, {number: ops for ops, number in known.items()}

    def _seen(self, node: int, slot: int, role: str, look: Look, step: int, source: int | None = None) -> int:
        """A tensor as it is shown."""
        label = f"{role} {slot}"
        own = self._nodes[node]
        frames = (Frame(own.path, own.line),) if own.path else ()
        name = f"{own.name}/{label}"
        seen = Seen(
            name,
            label,
            role,
            look.health,
            step,
            0,
            node=node,
            source=source,
            frames=frames,
        )
        self._tensors.append(replace(seen, **_shown(look)))
        return len(self._tensors) - 1

    def _keep(self, node: int, slot: int, look: Look, step: int) -> None:
        """Show an output once: as it was at the step at which it all began."""
        key = (node, slot)
        index = self._kept.get(key)
        if index is None:
            self._kept[key] = self._seen(node, slot, OUTPUT, look, step)
        elif self._origin is None or step <= self._origin:
            self._tensors[index] = replace(self._tensors[index], step=step, **_shown(look))

    # ── the origin rule ─────────────────────────────────────────────────────────────────────────────────────────────

    def _judge(self, execution: _Execution) -> None:
        """Look for births in one execution, in the order in which its ops ran."""
        looks: dict[tuple[str, str], Look] = {}
        arguments = [op for op in self._of_graph.get(execution.graph, ()) if op.kind == "Placeholder"]
        if len(arguments) == len(execution.inputs):
            for op, given in zip(arguments, execution.inputs, strict=True):
                if given in self._eager_look:
                    looks[execution.graph, f"{op.name}:0"] = self._eager_look[given]
        inside: frozenset[str] = frozenset()
        for graph, name, slot, look in execution.traces:
            looks[graph, f"{name}:{slot}"] = look
            made = self._ops.get((graph, name))
            if made is None:
                continue
            self._keep(made.node, slot, look, execution.number)
            into = [looks.get((graph, source)) for source in made.inputs]
            stacks = self._stacks(made)
            self._born(execution, made.node, made.kind, slot, look, into, self._sources_of(made), inside, stacks)
            inside |= look.kinds or frozenset()
            self._bad |= inside
        node = self._eager_node(execution)
        into = [self._eager_look.get(given) for given in execution.inputs]
        sources = [self._eager_source.get(given) for given in execution.inputs]
        for slot, (output, look) in enumerate(zip(execution.outputs, execution.looks, strict=False)):
            self._eager_look[output] = look
            self._keep(node, slot, look, execution.number)
            if not execution.graph or not inside & (look.kinds or frozenset()):
                self._born(execution, node, execution.kind, slot, look, into, sources, inside, (execution.frames, ()))

    def _sources_of(self, op: _Op) -> list[int | None]:
        found = (self._ops.get((op.graph, source.rpartition(":")[0])) for source in op.inputs)
        return [None if source is None else source.node for source in found]

    def _born(
        self,
        execution: _Execution,
        node: int,
        kind: str,
        slot: int,
        look: Look,
        into: Sequence[Look | None],
        sources: Sequence[int | None],
        inside: frozenset[str],
        stacks: tuple[tuple[Frame, ...], tuple[Frame, ...]],
    ) -> None:
        """Report what is bad in an output and in no input. ``inside``: the kinds seen before in the same call."""
        fresh = (look.kinds or frozenset()).difference(*(one.kinds or () for one in into if one is not None))
        blind = any(one is None and not self._harmless(source) for one, source in zip(into, sources, strict=True))
        reading = kind in _READING
        if blind or reading:
            fresh -= self._bad if node in self._traced else inside
        if not fresh or (reading and self._incidents):
            return
        key = (node, fresh)
        if key in self._births:
            index = self._births[key]
            known = self._incidents[index]
            self._incidents[index] = replace(known, count=known.count + 1, last_step=execution.number)
            return
        if len(self._incidents) >= _MOST:
            return
        self._births[key] = len(self._incidents)
        words = " and ".join(KINDS.get(one, "nan or inf") for one in sorted(fresh))
        forward, frames = stacks
        own = self._nodes[node]
        backward = own.backward
        notes = []
        if blind:
            notes.append("not all of its inputs are in the dump (tf.constant and fed values are not)")
        if execution.graph and node == self._eager_node(execution):
            notes.append("no op inside it was recorded with a nan or inf")
        known_inputs = [(i, one) for i, one in enumerate(into) if one is not None]
        step = execution.number
        kept = self._kept[node, slot]
        incident = Incident(
            kind="nan-in-input" if reading else "birth",
            title=f"{words} was read, not computed: {kind} (already bad before the dump began, or in the data)"
            if reading
            else f"{words} first appeared in {'the gradient: ' if backward else ''}{kind}",
            process=0,
            step=step,
            kinds=tuple(sorted(one for one in fresh if one in CLASSES)),
            op=kind,
            framework="tensorflow",
            backward=backward,
            compiled="tf.function" if execution.graph else "",
            last_step=step,
            node=node,
            inputs=tuple(self._seen(node, i, INPUT, one, step, sources[i]) for i, one in known_inputs),
            outputs=(kept if self._tensors[kept].step == step else self._seen(node, slot, OUTPUT, look, step),),
            frames=frames if backward else forward,
            forward=forward if backward else (),
            note="; ".join(notes),
        )
        self._incidents.append(incident)
        if self._origin is None:
            self._origin = step

    def _findings(self) -> list[Finding]:
        """What the linter says of the lines at which something was born."""
        found: list[Finding] = []
        root = self._root()
        for path in dict.fromkeys(one.blamed.path for one in self._incidents if one.blamed is not None):
            if path not in self._sources:
                continue
            source = Source(path, self._sources[path].text)
            for diagnostic in diagnose_again(source, Confidence.LIKELY):
                rows = range(diagnostic.span.row, diagnostic.span.end_row + 1)
                own = [
                    i
                    for i, one in enumerate(self._incidents)
                    if one.finding is None and one.blamed and one.blamed.path == path and one.blamed.line in rows
                ]
                if not own:
                    continue
                first = self._incidents[own[0]]
                verdict = Verdict(diagnostic, None, State.CONFIRMED, first.count, first.step, kinds=tuple(first.kinds))
                found.append(finding_of(verdict, source, path, shown_path(path, root)))
                for i in own:
                    self._incidents[i] = replace(self._incidents[i], finding=len(found) - 1)
        return found

    def _harmless(self, source: int | None) -> bool:
        """Whether an input that was not recorded cannot be bad: a constant of integers, a handle of a variable."""
        return source is not None and self._nodes[source].op in _HARMLESS

    def _stacks(self, op: _Op) -> tuple[tuple[Frame, ...], tuple[Frame, ...]]:
        """Where the op was called; of an op of a gradient where the op was called whose gradient it is, then itself."""
        if not self._nodes[op.node].backward:
            return op.frames, ()
        forward = self._forward_of(op)
        return (forward.frames if forward is not None else (), op.frames)

    def _forward_of(self, op: _Op) -> _Op | None:
        """The op whose gradient an op computes: by its name, or as the only one that takes the same forward tensor."""
        name = op.name.partition("/")[2]
        while name:
            named = self._ops.get((op.graph, name))
            if named is not None:
                return named
            name = name.rpartition("/")[0]
        taken = {source for source in op.inputs if not source.startswith(("gradient_tape/", "gradients/"))}
        alike = [
            other
            for other in self._of_graph.get(op.graph, ())
            if not self._nodes[other.node].backward and taken.intersection(other.inputs)
        ]
        return alike[0] if len(alike) == 1 else None

    # ── what a dump cannot tell ─────────────────────────────────────────────────────────────────────────────────────

    def _tell(self, executions: Sequence[_Execution]) -> None:
        modes = {MODES.get(mode, "") for mode in self._modes}
        if not executions:
            self._notes.append(
                "nothing was executed while the dump was enabled, or the circular buffer was never flushed"
            )
        for mode, what in (("NO_TENSOR", "no values"), ("SHAPE", "shapes, but no values")):
            if mode in modes:
                self._notes.append(
                    f"this dump was made with {mode}: it contains {what}, so no nan can be found; {_ADVICE}"
                )
        if "CURT_HEALTH" in modes:
            self._notes.append(
                f"CURT_HEALTH shows that a tensor has a nan or inf, but not which of them or how many; {_ADVICE}"
            )
        if "CONCISE_HEALTH" in modes:
            self._notes.append(f"CONCISE_HEALTH does not distinguish zeros from other finite numbers; {_ADVICE}")
        if forgot(executions):
            lost = "the first nan or inf in this dump may not be the origin; " if self._incidents else ""
            self._notes.append(
                f"the circular buffer of the dump no longer has the first executions: {lost}"
                "dump again with circular_buffer_size=-1"
            )


def forgot(executions: Sequence[_Execution]) -> bool:
    """Whether what ran first is no longer there: a call lacks ops that a later call of the same graph has."""
    own = [
        (one.graph, len({(name, slot) for graph, name, slot, _ in one.traces if graph == one.graph}))
        for one in executions
        if one.graph
    ]
    fullest = {graph: max(count for other, count in own if other == graph) for graph in {graph for graph, _ in own}}
    first = dict(reversed(own))
    full = _BUFFER in (len(executions), sum(len(one.traces) for one in executions))
    return full or any(first[graph] < count for graph, count in fullest.items())


def look_of(mode: int, tensor: Message) -> Look:
    """What a dump in a mode says of a tensor: the summary that it holds in place of the tensor's values."""
    if not tensor:
        return Look(form="tensor", remark="not recorded")
    numbers = _numbers(tensor)
    named = MODES.get(mode, "")
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
        health = Health(ninf, neg, zero, pos, pinf, nan, dtype=_DTYPES.get(dtype, ""))
        return Look(health, health.bad, _form(health.dtype, rank, size))
    if named == "SHAPE" and len(numbers) >= 4:
        dtype, rank, size = map(int, numbers[1:4])
        shape = "×".join(str(int(one)) for one in numbers[4 : 4 + min(rank, 6)]) or "scalar"
        return Look(form=f"{_DTYPES.get(dtype, '')} {shape}{'×…' if rank > 6 else ''}".strip(), remark="not checked")
    if named == "FULL_TENSOR" and numbers:
        health = health_of_numbers(numbers, _DTYPES.get(integer(tensor, 1), ""), _shape(tensor))
        return Look(health, health.bad, values=tuple(map(repr, numbers[:_KEPT])))
    return Look(form="tensor", remark="not recorded")


def _shown(look: Look) -> dict[str, Any]:
    """The fields of ``Seen`` that say it."""
    return {
        "health": look.health,
        "values": look.values,
        "form": look.form,
        "remark": look.remark,
        "finite": look.finite,
        "suspect": BAD in (look.kinds or ()),
    }


def _form(dtype: str, rank: int | None, size: int) -> str:
    shape = "scalar" if rank == 0 else f"{size:,} element{'' if size == 1 else 's'}"
    return " ".join(filter(None, [dtype, f"rank {rank}," if rank is not None and rank > 1 else "", shape]))


def _numbers(tensor: Message) -> list[float]:
    """The elements of a TensorProto of float32 or float64, which may be packed, or cut short where they repeat."""
    code = _CODES.get(integer(tensor, 1))
    if code is None:
        return []
    found = floats(tensor, 4, code) or floats(tensor, 5 if code == "f" else 6, code)
    size = math.prod(_shape(tensor))
    return found + found[-1:] * (size - len(found)) if 0 < len(found) < size <= 1_000_000 else found


def _shape(tensor: Message) -> tuple[int, ...]:
    return tuple(integer(message(one), 1) for one in part(tensor, 2).get(2, ()) if isinstance(one, bytes))


def _called(kind: str) -> str:
    """An op by its type, a tf.function by its name in the source."""
    match = _FUNCTION.fullmatch(kind)
    return f"{match[1]}()" if match else kind


def _users(path: str) -> bool:
    """Whether a file of a dump is the user's: the dump may be of another machine, so only its name tells."""
    parts: Iterable[str] = path.replace("\\", "/").split("/")
    library = {"site-packages", "dist-packages"}.intersection(parts) or any(p.startswith("python3") for p in parts)
    return bool(path) and not library and not path.startswith("<frozen")
