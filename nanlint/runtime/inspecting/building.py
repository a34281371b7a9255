"""A run of the reader, made once of the events of all processes: nodes and tensors under unique names, incidents."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

import msgspec

from nanlint.runtime.events import (
    Again,
    Alert,
    Birth,
    Ended,
    Filtered,
    Frame,
    Framework,
    Numbers,
    Op,
    Retained,
    Sampled,
    Step,
    Trace,
)
from nanlint.runtime.health import Health
from nanlint.runtime.inspecting.dataflow import Expression, expressions_of, written_at
from nanlint.runtime.inspecting.model import (
    FILTERED,
    GRADIENT,
    INPUT,
    OUTPUT,
    RETAINED,
    Finding,
    Incident,
    Member,
    Node,
    Run,
    Seen,
    SourceFile,
    finding_of,
    line_in,
    read_current,
    shown_path,
    told_of,
)
from nanlint.runtime.judging import verdicts_in
from nanlint.runtime.reporting import first_words
from nanlint.runtime.runfile import Process, RunRecord
from nanlint.runtime.sites import GRADIENT_OF
from nanlint.runtime.telling import KINDS, ended, fields_of
from nanlint.runtime.verdicts import State, identity_of, observed_of
from nanlint.source import Source

#: what an incident has of a birth by the same names
SAME = ("step", "kinds", "op", "framework", "backward", "compiled", "frames", "forward", "note")


def run_of(record: RunRecord) -> Run:
    """The run that was kept in a directory."""
    verdicts = verdicts_in(record)
    directory = record.processes[0].started.directory
    files: dict[str, SourceFile] = {}
    findings: list[Finding] = []
    for name, text in verdicts.sources.items():
        path, source = os.path.join(directory, name), Source(name, text)
        files[path] = SourceFile(path, text)
        own = (one for one in verdicts.findings if one.diagnostic.path == name)
        findings += (finding_of(one, source, path, shown_path(path, directory)) for one in own)
    deaths = {identity_of(birth): ended(death) for birth, _, death in verdicts.died}
    run = _Building(record, files, findings, deaths).run()
    return replace(run, verdict=first_words(verdicts), notes=tuple(_hints(run, verdicts.repeatable)))


def _hints(run: Run, repeatable: int | None) -> Iterator[str]:
    """What to do next after a run that only saw losses and gradients, and which lines the linter suspects."""
    if repeatable is None or not run.incidents:
        return
    yield f"to find the line, repeat step {repeatable:,}: nanlint replay {shown_path(run.origin, os.getcwd())}"
    for one in run.findings:
        if one.of.state is State.NOT_WATCHED:
            said = one.diagnostic
            yield f"the linter reports {run.shown(one.path)}:{said.span.row} {said.code}: {said.message}"


class _Building:
    """Collects nodes and tensors under unique names, process by process."""

    def __init__(
        self,
        record: RunRecord,
        files: dict[str, SourceFile],
        findings: list[Finding],
        deaths: Mapping[tuple[object, ...], str],
    ) -> None:
        self._deaths = deaths
        self._record = record
        self.files = files
        self._findings = findings
        self._nodes: dict[tuple[object, ...], int] = {}
        self.nodes: list[Node] = []
        self._places: dict[tuple[str, str, str, int, bool], int] = {}
        self.tensors: list[Seen] = []
        self._names: Counter[str] = Counter()
        self._short = _short_names(self._paths())
        self._incidents: list[tuple[tuple[int, bool, int, int], Incident]] = []

    def run(self) -> Run:
        members = tuple(self._member(i, process) for i, process in enumerate(self._record.processes))
        self._observed()
        self._confirmed()
        incidents = tuple(incident for _, incident in sorted(self._incidents, key=lambda pair: pair[0]))
        self.files |= self._read(incidents)
        _follow_source(self, incidents)
        _follow_numbers(self.tensors)
        return Run(
            origin=self._record.directory,
            members=members,
            nodes=tuple(self.nodes),
            tensors=tuple(self.tensors),
            incidents=incidents,
            findings=tuple(self._findings),
            files=self.files,
        )

    def _member(self, index: int, process: Process) -> Member:
        """The timeline of one process; its births, alerts and tensors are collected on the way."""
        nodes: dict[int, int] = {}
        for event in process.events:
            if isinstance(event, Op):
                inputs = tuple(nodes[number] for number in event.inputs if number in nodes)
                nodes[event.number] = self._node(
                    event.framework, event.op, event.path, event.line, event.backward, inputs
                )
        counts = {event.birth: event for event in process.events if isinstance(event, Again)}
        for position, event in enumerate(process.events):
            order = (getattr(event, "step", 0), not isinstance(event, Birth), index, position)
            if isinstance(event, Birth):
                self._incidents.append((order, self._birth(event, counts.get(event.number), index, nodes)))
            elif isinstance(event, Alert):
                self._incidents.append((order, _alert(event, index)))
            elif isinstance(event, Filtered):
                self._filtered(event, index, nodes)
        for event in process.events:
            if isinstance(event, Retained):
                self._retained(event, index, nodes)
        return Member(
            started=process.started,
            ended=next((event for event in reversed(process.events) if isinstance(event, Ended)), None),
            frameworks=tuple(event for event in process.events if isinstance(event, Framework)),
            steps=tuple(event for event in process.events if isinstance(event, Step)),
            traces={event.number: event.ops for event in process.events if isinstance(event, Trace)},
            nodes=nodes,
            damaged=process.damaged,
            layers=next((event.layers for event in reversed(process.events) if isinstance(event, Sampled)), {}),
        )

    def _birth(self, birth: Birth, again: Again | None, process: int, nodes: Mapping[int, int]) -> Incident:
        sources = (nodes[one.source] for one in birth.inputs if one.source is not None and one.source in nodes)
        node = self._node_of(birth, tuple(dict.fromkeys(sources)))
        words = " and ".join(KINDS.get(kind, kind) for kind in birth.kinds)
        where = "the gradient of " if birth.backward else ""

        finding = self._finding_of(birth)
        died = self._deaths.get(identity_of(birth), "")
        if finding is not None and self._findings[finding].of.state is State.DIED:
            died = told_of(self._findings[finding].of)

        def seen(one: Numbers, role: str) -> int:
            name = one.graph_name or f"{self.nodes[node].name}/{one.name}"
            source = None if one.source is None else nodes.get(one.source)
            return self._seen(name, one, role, birth.step, process, node=node, source=source)

        return Incident(
            kind="died" if died else "birth",
            title=f"{words} first appeared in {where}{birth.op}{f' ({died})' if died else ''}",
            process=process,
            **fields_of(birth, SAME),
            count=again.count if again else 1,
            last_step=again.step if again else birth.step,
            node=node,
            inputs=tuple(seen(one, INPUT) for one in birth.inputs),
            outputs=tuple(seen(one, OUTPUT) for one in birth.outputs),
            finding=finding,
        )

    def _filtered(self, event: Filtered, process: int, nodes: Mapping[int, int]) -> None:
        place = event.frames[0] if event.frames else None
        at = f"@{self._short.get(place.path, place.path)}:{place.line}" if place else ""
        source = None if event.tensor.source is None else nodes.get(event.tensor.source)
        name = f"{event.tensor.name}{at}"
        self._seen(name, event.tensor, FILTERED, event.step, process, source=source, filter=event.filter)

    def _retained(self, event: Retained, process: int, nodes: Mapping[int, int]) -> None:
        """The other tensors of a step that went bad; those of its origins are there, with more elements."""
        known = {one.name for one in self.tensors if (one.process, one.step) == (process, event.step)}
        for one in event.tensors:
            if one.graph_name not in known:
                node = None if one.source is None else nodes.get(one.source)
                self._seen(one.graph_name, one, RETAINED, event.step, process, node=node, source=node)
                known.add(one.graph_name)

    def _seen(
        self,
        name: str,
        one: Numbers,
        role: str,
        step: int,
        process: int,
        *,
        node: int | None = None,
        source: int | None = None,
        filter: str = "",
    ) -> int:
        tensor = Seen(
            one.graph_name or self._unique(name),
            one.name,
            role,
            one.health,
            step,
            process,
            values=one.values,
            node=node,
            source=source,
            filter=filter,
        )
        self.tensors.append(tensor)
        return len(self.tensors) - 1

    # ── nodes ───────────────────────────────────────────────────────────────────────────────────────────────────────

    def _node(
        self, framework: str, op: str, path: str, line: int, backward: bool = False, inputs: tuple[int, ...] = ()
    ) -> int:
        key = (framework, op, path, line, backward, inputs)
        known = self._nodes.get(key)
        if known is None:
            known = self._nodes[key] = len(self.nodes)
            at = f"@{self._short.get(path, path)}:{line}" if path else ""
            name = self._unique(f"{'backward/' if backward else ''}{op}{at}")
            self.nodes.append(Node(name, framework, op, path, line, backward, inputs))
            self._places.setdefault((framework, op, path, line, backward), known)
        return known

    def _node_of(self, birth: Birth, sources: tuple[int, ...]) -> int:
        """The node that a birth is about: one of the timeline, where it is there; of several that with its inputs."""
        places = [frame for frames in (birth.frames, birth.forward) for frame in frames[:1]]
        for place in places:
            key = (birth.framework, birth.op, place.path, place.line, birth.backward)
            known = self._nodes.get((*key, sources), self._places.get(key))
            if known is not None:
                return known
        place = places[-1] if birth.backward and places else next(iter(places), Frame("", 0))
        return self._node(birth.framework, birth.op, place.path, place.line, birth.backward)

    def _unique(self, name: str) -> str:
        self._names[name] += 1
        count = self._names[name]
        return name if count == 1 else f"{name}#{count}"

    def _paths(self) -> Iterator[str]:
        yield from self.files
        for _, event in self._record:
            if isinstance(event, Op):
                yield event.path
            elif isinstance(event, Birth):
                yield from (frame.path for frames in (event.frames, event.forward) for frame in frames[:1])
            elif isinstance(event, Filtered):
                yield from (frame.path for frame in event.frames[:1])

    def _read(self, incidents: Iterable[Incident]) -> dict[str, SourceFile]:
        """The files of stacks that the run did not keep, as they are now."""
        frames = (frame for incident in incidents for frame in (*incident.frames, *incident.forward))
        wanted = dict.fromkeys(frame.path for frame in frames if frame.path not in self.files)
        read = map(read_current, wanted)
        return {file.path: file for file in read if file is not None}

    def connect(self, node: int, inputs: Iterable[int]) -> None:
        """Say where the inputs of a node come from, beside what is known."""
        known = self.nodes[node]
        more = dict.fromkeys([*known.inputs, *(one for one in inputs if one != node)])
        self.nodes[node] = replace(known, inputs=tuple(more))

    def node(self, framework: str, op: str, path: str, line: int, backward: bool) -> int:
        """The node of an op at a place: of the timeline or of a birth, if there is one."""
        known = self._places.get((framework, op, path, line, backward))
        return self._node(framework, op, path, line, backward) if known is None else known

    # ── findings ────────────────────────────────────────────────────────────────────────────────────────────────────

    def _finding_of(self, birth: Birth) -> int | None:
        if not birth.site:
            return None
        return next((i for i, finding in enumerate(self._findings) if finding.site == birth.site), None)

    def _observed(self) -> None:
        """What came by at the flagged expressions: at those of a finding, and at others whose source is not there."""
        claimed = {finding.site for finding in self._findings}
        born = {(incident.finding, incident.step) for _, incident in self._incidents}
        for number, finding in enumerate(self._findings):
            roles, said = finding.of.roles, finding.diagnostic
            if (number, finding.of.step) in born:  # which has operands and result, with their elements
                roles = {name: one for name, one in roles.items() if name.startswith(GRADIENT_OF)}
            if roles:
                self._roles(self._node("", said.code, finding.path, said.span.row), roles, finding.of.step)
        for site, observed in observed_of(self._record).items():
            if site not in claimed:
                for event in observed:
                    step = event.closest_step if event.bad_step is None else event.bad_step
                    self._roles(self._node("", site, "", 0), event.bad or event.roles, step)

    def _confirmed(self) -> None:
        """A confirmed finding that no birth and no alert tells of is an incident, too."""
        told = {incident.finding for _, incident in self._incidents}
        for number, finding in enumerate(self._findings):
            if finding.of.state is not State.CONFIRMED or number in told:
                continue
            said, step, row = finding.diagnostic, finding.of.step, finding.diagnostic.span.row
            node = self._node("", said.code, finding.path, row)
            own = [(i, t.role == OUTPUT) for i, t in enumerate(self.tensors) if t.node == node]
            incident = Incident(
                kind=finding.verdict,
                title=f"{said.code} {told_of(finding.of)}: {said.message}",
                process=0,
                step=step,
                last_step=step,
                node=node,
                inputs=tuple(i for i, output in own if not output),
                outputs=tuple(i for i, output in own if output),
                frames=(Frame(finding.path, row, text=line_in(self.files, finding.path, row)),),
                finding=number,
            )
            self._incidents.append(((step, False, 0, 0), incident))

    def _roles(self, node: int, roles: Mapping[str, Health], step: int) -> None:
        for name, health in roles.items():
            role = OUTPUT if name == "result" else GRADIENT if name.startswith(GRADIENT_OF) else INPUT
            self._seen(f"{self.nodes[node].name}/{name}", Numbers(name, health), role, step, 0, node=node)


# ── which op fed which, where the run does not tell: by the source, and by equal elements ───────────────────────────


def _follow_source(building: _Building, incidents: Iterable[Incident]) -> None:
    """Connect the ops of births as their expressions are connected in the source."""
    files: dict[str, tuple[Expression, ...]] = {}
    found: dict[tuple[str, str, int], int] = {}
    places: list[tuple[Incident, _Written, int, int]] = []
    for one in incidents:
        node, blamed = one.node, one.blamed
        if node is None or blamed is None or building.nodes[node].inputs or blamed.path not in building.files:
            continue
        path = blamed.path
        if path not in files:
            files[path] = expressions_of(Source(path, building.files[path].text))
        at = written_at(files[path], one.op, blamed.line)
        if at is not None:
            places.append((one, _Written(building, files[path], one.framework, path, found), node, at))
            if not one.backward:
                found.setdefault((one.framework, path, at), node)
    for one, written, node, at in places:
        if one.backward:
            written.connect_gradient(node, at)
            continue
        written.connect(node, at)
        operands = files[written.path][at].operands
        for tensor, made in zip(one.inputs, operands, strict=False):
            if len(operands) == len(one.inputs) and len(made) == 1 and building.tensors[tensor].source is None:
                building.tensors[tensor] = replace(building.tensors[tensor], source=written.node(made[0]))


def _follow_numbers(tensors: list[Seen]) -> None:
    """An input whose elements are those of a tensor that is known to come out of an op comes out of it, too."""
    made: dict[tuple[object, ...], int] = {}
    for tensor in tensors:
        source = tensor.node if tensor.role == OUTPUT else tensor.source
        if source is not None and len(set(tensor.values)) > 1:
            made.setdefault((tensor.process, tensor.step, tensor.health.shape, tensor.values), source)
    for i, tensor in enumerate(tensors):
        if tensor.role == INPUT and tensor.source is None:
            source = made.get((tensor.process, tensor.step, tensor.health.shape, tensor.values))
            if source is not None and source != tensor.node:
                tensors[i] = replace(tensor, source=source)


class _Written:
    """The expressions of one file as nodes of one framework; ``found``: those at which something was born."""

    def __init__(
        self,
        building: _Building,
        expressions: Sequence[Expression],
        framework: str,
        path: str,
        found: Mapping[tuple[str, str, int], int],
    ) -> None:
        self._building = building
        self._expressions = expressions
        self._framework = framework
        self.path = path
        self._found = found

    def node(self, at: int, backward: bool = False) -> int:
        """The node of an expression."""
        found = None if backward else self._found.get((self._framework, self.path, at))
        if found is not None:
            return found
        expression = self._expressions[at]
        return self._building.node(self._framework, expression.op, self.path, expression.line, backward)

    def connect(self, node: int, at: int, depth: int = 2) -> None:
        """Connect a node with what its expression takes, twice removed, and with what takes it."""
        taken = [one for operand in self._expressions[at].operands for one in operand[:4]]
        self._building.connect(node, map(self.node, taken))
        if depth > 1:
            for one in taken:
                self.connect(self.node(one), one, depth - 1)
            for one in self._users(at):
                self._building.connect(self.node(one), [node])

    def connect_gradient(self, node: int, at: int) -> None:
        """Connect a node of a gradient: it takes what the forward op took, and the gradient of what took that."""
        taken = [self.node(one) for operand in self._expressions[at].operands for one in operand[:4]]
        self._building.connect(node, [*(self.node(one, backward=True) for one in self._users(at)), *taken])

    def _users(self, at: int) -> list[int]:
        return [i for i, one in enumerate(self._expressions) if any(at in operand for operand in one.operands)][:6]


def _alert(event: Alert, process: int) -> Incident:
    details = {name: value if isinstance(value, str) else _text(value) for name, value in event.details.items()}
    return Incident(
        kind=event.alert,
        title=event.message,
        process=process,
        step=event.step,
        last_step=event.step,
        frames=event.frames,
        details=details,
    )


def _text(value: object) -> str:
    return msgspec.json.encode(value).decode()


def _short_names(paths: Iterable[str]) -> dict[str, str]:
    """Each path's last parts, as many as tell it from the others."""
    unique = dict.fromkeys(path for path in paths if path)
    names = {path: os.path.basename(path) for path in unique}
    for depth in range(2, 12):
        counts = Counter(names.values())
        if len(counts) == len(names):
            break
        for path, name in names.items():
            if counts[name] > 1:
                names[path] = "/".join(path.split(os.sep)[-depth:])
    return names
