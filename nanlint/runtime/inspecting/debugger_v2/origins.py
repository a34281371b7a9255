"""A dump as a run for the reader. The origin rule is that of `nanlint verify`.

Steps are the top-level executions of the dump: ops that ran eagerly, and calls of a tf.function with the ops in it.
What a dump does not tell is said: most modes have no counts or no kinds, and the circular buffer forgets the origin.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from nanlint.diagnostic import Confidence
from nanlint.lint.one_file import diagnose_source
from nanlint.runtime.events import FORMAT, Ended, Frame, Frames, Framework, Started, Step
from nanlint.runtime.health import CLASSES, Kinds
from nanlint.runtime.importing import config_at
from nanlint.runtime.inspecting.debugger_v2.files import GRADIENTS, DumpFiles, Execution, Look, Made, name_of, shown
from nanlint.runtime.inspecting.model import (
    INPUT,
    OUTPUT,
    Finding,
    Incident,
    Member,
    Node,
    Run,
    Seen,
    finding_of,
    shown_path,
)
from nanlint.runtime.telling import KINDS
from nanlint.runtime.verdicts import State, Verdict
from nanlint.source import Source
from nanlint.source.project import in_project

#: how many executions and traces the debugger keeps unless it is told otherwise
_BUFFER = 1_000
#: births that are listed
_MOST = 2_000

#: ops that hand on what they were given: what is bad there was bad before
_READING = frozenset(("ReadVariableOp", "VarHandleOp", "Placeholder", "Identity", "_Arg", "ResourceGather"))
_READING |= {"IteratorGetNext", "OptionalGetValue"}

#: ops whose output, where it was not recorded, is no floating-point number
_HARMLESS = ("Const", "VarHandleOp", "Shape", "Range", "StridedSlice")

_ADVICE = 'dump again with tensor_debug_mode="FULL_HEALTH"'


def read_dump(directory: str) -> Run:
    """The dump in a directory. Raises RunError for what is none."""
    return _Dump(DumpFiles(directory)).run()


@dataclass(frozen=True)
class _Given:
    """What an op was given: what is known of it, which op it came out of, and its name, where it has one."""

    look: Look | None
    source: int | None
    name: str = ""


class _Dump:
    """What is learned of ops and tensors is kept by their names."""

    def __init__(self, files: DumpFiles) -> None:
        self._files = files
        self._nodes: list[Node] = []
        self._names: Counter[str] = Counter()
        self._ops: dict[tuple[str, str], Made] = {}
        self._numbers: dict[tuple[str, str], int] = {}
        self._of_graph: dict[str, list[Made]] = {}
        self._eager: dict[tuple[str, str, int], int] = {}
        self._eager_source: dict[int, int] = {}
        self._eager_look: dict[int, Look] = {}
        self._tensors: list[Seen] = []
        self._kept: dict[tuple[int, int], int] = {}
        self._births: dict[tuple[int, Kinds], int] = {}
        self._incidents: list[Incident] = []
        self._origin: int | None = None
        self._bad: Kinds = frozenset()

    def run(self) -> Run:
        for op in self._files.made():
            self._add(op)
        started, executions = self._files.started, self._files.executions()
        steps, traces = self._timeline(executions, started)
        for execution in executions:
            self._judge(execution)
        notes = [*self._files.notes, *self._missing(executions)]
        findings = self._findings()
        mode = ", ".join(map(name_of, sorted(self._files.modes)))
        member = Member(
            started=Started(
                format=FORMAT,
                nanlint="",
                time=started,
                host="",
                pid=0,
                rank=0,
                python="",
                argv=("tfdbg", self._files.directory),
                directory=self._files.root(),
                watch=f"Debugger V2, {mode}" if mode else "Debugger V2",
            ),
            ended=Ended(executions[-1].time if executions else started, len(steps)),
            frameworks=(Framework("tensorflow", self._files.version),),
            steps=tuple(steps),
            traces=traces,
            nodes={i: i for i in range(len(self._nodes))},
            damaged=0,
        )
        return Run(
            origin=self._files.directory,
            members=(member,),
            nodes=tuple(self._nodes),
            tensors=tuple(self._tensors),
            incidents=tuple(self._incidents),
            findings=tuple(findings),
            files=self._files.sources,
            notes=tuple(notes),
        )

    # ── nodes, tensors, the timeline ────────────────────────────────────────────────────────────────────────────────

    def _add(self, op: Made) -> None:
        """An op of a graph is a node that knows where its inputs come from."""
        place = op.frames[0] if op.frames else Frame("", 0)
        sources = (self._output(op.graph, name)[0] for name in op.inputs)
        known = tuple(source for source in sources if source is not None)
        self._numbers[op.graph, op.name] = self._node(op.name, op.kind, place, op.backward, known)
        self._ops[op.graph, op.name] = op
        self._of_graph.setdefault(op.graph, []).append(op)

    def _node(self, name: str, kind: str, place: Frame, backward: bool = False, inputs: tuple[int, ...] = ()) -> int:
        self._names[name] += 1
        unique = name if self._names[name] == 1 else f"{name}#{self._names[name]}"
        self._nodes.append(Node(unique, "tensorflow", kind, place.path, place.line, backward, inputs))
        return len(self._nodes) - 1

    def _eager_node(self, execution: Execution) -> int:
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
        self, executions: Sequence[Execution], started: float
    ) -> tuple[list[Step], Mapping[int, tuple[int, ...]]]:
        known: dict[tuple[int, ...], int] = {}
        steps = []
        before = started
        for one in executions:
            inside = (self._numbers.get((graph, name)) for graph, name, _, _ in one.traces)
            ops = (*(node for node in inside if node is not None), self._eager_node(one))
            trace = known.setdefault(ops, len(known))
            steps.append(Step(one.number, before, max(one.time - before, 0.0), trace))
            before = one.time
        return steps, {number: ops for ops, number in known.items()}

    def _seen(self, node: int, slot: int, look: Look, step: int, given: _Given | None = None) -> int:
        """A tensor as it is shown: an output of an op by its slot, or what an op was given."""
        own = self._nodes[node]
        role = OUTPUT if given is None else INPUT
        label = f"{role} {slot}"
        name = f"{own.name}:{slot}" if given is None else given.name or f"{own.name}/{label}"
        source = None if given is None else given.source
        seen = Seen(name, label, role, step=step, process=0, node=node, source=source, **shown(look))
        self._tensors.append(seen)
        return len(self._tensors) - 1

    def _keep(self, node: int, slot: int, look: Look, step: int) -> None:
        """Show an output once: as it was at the step at which it all began."""
        key = (node, slot)
        index = self._kept.get(key)
        if index is None:
            self._kept[key] = self._seen(node, slot, look, step)
        elif self._origin is None or step <= self._origin:
            self._tensors[index] = replace(self._tensors[index], step=step, **shown(look))

    # ── the origin rule ─────────────────────────────────────────────────────────────────────────────────────────────

    def _judge(self, execution: Execution) -> None:
        """Look for births in one execution, in the order in which its ops ran."""
        looks: dict[tuple[str, str], Look] = {}
        arguments = [op for op in self._of_graph.get(execution.graph, ()) if op.kind == "Placeholder"]
        if len(arguments) == len(execution.inputs):
            for op, argument in zip(arguments, execution.inputs, strict=True):
                if argument in self._eager_look:
                    looks[execution.graph, f"{op.name}:0"] = self._eager_look[argument]
        inside: Kinds = frozenset()
        for graph, name, slot, look in execution.traces:
            looks[graph, f"{name}:{slot}"] = look
            made = self._ops.get((graph, name))
            if made is None:
                continue
            node = self._numbers[graph, name]
            self._keep(node, slot, look, execution.number)
            given = [_Given(looks.get((graph, name)), *self._output(graph, name)) for name in made.inputs]
            self._born(execution, node, made.kind, slot, look, given, inside, self._stacks(made))
            inside |= look.kinds or frozenset()
            self._bad |= inside
        node = self._eager_node(execution)
        given = [_Given(self._eager_look.get(one), self._eager_source.get(one)) for one in execution.inputs]
        for slot, (output, look) in enumerate(zip(execution.outputs, execution.looks, strict=False)):
            self._eager_look[output] = look
            self._keep(node, slot, look, execution.number)
            if not execution.graph or not inside & (look.kinds or frozenset()):
                self._born(execution, node, execution.kind, slot, look, given, inside, (execution.frames, ()))

    def _output(self, graph: str, name: str) -> tuple[int | None, str]:
        """The op that a tensor of a graph came out of, and the tensor's name among those of all graphs."""
        op, _, slot = name.rpartition(":")
        source = self._numbers.get((graph, op))
        return source, "" if source is None else f"{self._nodes[source].name}:{slot}"

    def _born(
        self,
        execution: Execution,
        node: int,
        kind: str,
        slot: int,
        look: Look,
        given: Sequence[_Given],
        inside: Kinds,
        stacks: tuple[Frames, Frames],
    ) -> None:
        """Report what is bad in an output and in no input. ``inside``: the kinds seen before in the same call."""
        fresh = (look.kinds or frozenset()).difference(*(one.look.kinds or () for one in given if one.look))
        blind = any(one.look is None and not self._harmless(one.source) for one in given)
        reading = kind in _READING
        if blind or reading:
            fresh -= self._bad if node in self._numbers.values() else inside
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
            inputs=tuple(self._seen(node, i, one.look, step, one) for i, one in enumerate(given) if one.look),
            outputs=(kept if self._tensors[kept].step == step else self._seen(node, slot, look, step),),
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
        root = self._files.root()
        for path in dict.fromkeys(one.blamed.path for one in self._incidents if one.blamed is not None):
            if path not in self._files.sources:
                continue
            source = Source(path, self._files.sources[path].text)
            config = config_at(path, Confidence.LIKELY).for_file(path)
            for diagnostic in diagnose_source(in_project(source), config):
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

    def _stacks(self, op: Made) -> tuple[Frames, Frames]:
        """Where the op was called; of an op of a gradient where the op was called whose gradient it is, then itself."""
        if not op.backward:
            return op.frames, ()
        forward = self._forward_of(op)
        return (forward.frames if forward is not None else (), op.frames)

    def _forward_of(self, op: Made) -> Made | None:
        """The op whose gradient an op computes: by its name, or as the only one that takes the same forward tensor."""
        name = op.name.partition("/")[2]
        while name:
            named = self._ops.get((op.graph, name))
            if named is not None:
                return named
            name = name.rpartition("/")[0]
        taken = {source for source in op.inputs if not source.startswith(GRADIENTS)}
        alike = [
            other
            for other in self._of_graph.get(op.graph, ())
            if not other.backward and taken.intersection(other.inputs)
        ]
        return alike[0] if len(alike) == 1 else None

    # ── what a dump cannot tell ─────────────────────────────────────────────────────────────────────────────────────

    def _missing(self, executions: Sequence[Execution]) -> Iterator[str]:
        modes = set(map(name_of, self._files.modes))
        if not executions:
            yield "nothing was executed while the dump was enabled, or the circular buffer was never flushed"
        for mode, what in (("NO_TENSOR", "no values"), ("SHAPE", "shapes, but no values")):
            if mode in modes:
                yield f"this dump was made with {mode}: it contains {what}, so no nan can be found; {_ADVICE}"
        if "CURT_HEALTH" in modes:
            yield f"CURT_HEALTH shows that a tensor has a nan or inf, but not which of them or how many; {_ADVICE}"
        if "CONCISE_HEALTH" in modes:
            yield f"CONCISE_HEALTH does not distinguish zeros from other finite numbers; {_ADVICE}"
        if forgot(executions):
            lost = "the first nan or inf in this dump may not be the origin; " if self._incidents else ""
            yield (
                f"the circular buffer of the dump no longer has the first executions: {lost}"
                "dump again with circular_buffer_size=-1"
            )


def forgot(executions: Sequence[Execution]) -> bool:
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
