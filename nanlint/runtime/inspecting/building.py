"""A run of the reader, made once of the events of all processes: nodes and tensors under unique names, incidents."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
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
    Step,
    Trace,
)
from nanlint.runtime.health import Health
from nanlint.runtime.inspecting.connecting import follow_numbers, follow_source
from nanlint.runtime.inspecting.model import (
    FILTERED,
    GRADIENT,
    INPUT,
    OUTPUT,
    RETAINED,
    Incident,
    Member,
    Node,
    Run,
    Seen,
    shown_path,
)
from nanlint.runtime.inspecting.sources import Finding, SourceFile, finding_of, read_current
from nanlint.runtime.judging import verdicts_in
from nanlint.runtime.reporting import first_words
from nanlint.runtime.runfile import Process, RunRecord
from nanlint.runtime.sites import GRADIENT_OF
from nanlint.runtime.telling import KINDS, ended
from nanlint.runtime.verdicts import State, observed_of
from nanlint.source import Source


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
    deaths = {_identity(birth): ended(death) for birth, _, death in verdicts.died}
    run = _Building(record, files, findings, deaths).run()
    return replace(run, verdict=first_words(verdicts), notes=tuple(_hints(run, verdicts.repeatable)))


def _hints(run: Run, repeatable: int | None) -> Iterator[str]:
    """What to do next after a run that only saw losses and gradients, and which lines the linter suspects."""
    if repeatable is None or not run.incidents:
        return
    yield f"to find the line, repeat step {repeatable:,}: nanlint replay {shown_path(run.origin, os.getcwd())}"
    for one in run.findings:
        if one.verdict == State.NOT_WATCHED.value:
            yield f"the linter reports {run.shown(one.path)}:{one.span.row} {one.code}: {one.message}"


def _place(birth: Birth) -> Frame:
    return next(iter(birth.forward or birth.frames), Frame("", 0))


def _identity(birth: Birth) -> tuple[object, ...]:
    """The same in all processes."""
    place = _place(birth)
    return (birth.framework, birth.op, birth.kinds, birth.backward, place.path, place.line)


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
        follow_source(self, incidents)
        follow_numbers(self.tensors)
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
        )

    def _birth(self, birth: Birth, again: Again | None, process: int, nodes: Mapping[int, int]) -> Incident:
        sources = (nodes[one.source] for one in birth.inputs if one.source is not None and one.source in nodes)
        node = self._node_of(birth, tuple(dict.fromkeys(sources)))
        words = " and ".join(KINDS.get(kind, kind) for kind in birth.kinds)
        where = "the gradient of " if birth.backward else ""

        finding = self._finding_of(birth)
        died = self._deaths.get(_identity(birth), "")
        if finding is not None and self._findings[finding].verdict == State.DIED.value:
            died = self._findings[finding].told

        def seen(one: Numbers, role: str) -> int:
            name = one.graph_name or f"{self.nodes[node].name}/{one.name}"
            source = None if one.source is None else nodes.get(one.source)
            return self._seen(name, one, role, birth.step, process, node=node, source=source, frames=birth.frames)

        return Incident(
            kind="died" if died else "birth",
            title=f"{words} first appeared in {where}{birth.op}{f' ({died})' if died else ''}",
            process=process,
            step=birth.step,
            kinds=birth.kinds,
            op=birth.op,
            framework=birth.framework,
            backward=birth.backward,
            compiled=birth.compiled,
            count=again.count if again else 1,
            last_step=again.step if again else birth.step,
            node=node,
            inputs=tuple(seen(one, INPUT) for one in birth.inputs),
            outputs=tuple(seen(one, OUTPUT) for one in birth.outputs),
            frames=birth.frames,
            forward=birth.forward,
            note=birth.note,
            finding=finding,
        )

    def _filtered(self, event: Filtered, process: int, nodes: Mapping[int, int]) -> None:
        place = event.frames[0] if event.frames else None
        at = f"@{self._short.get(place.path, place.path)}:{place.line}" if place else ""
        source = None if event.tensor.source is None else nodes.get(event.tensor.source)
        name = f"{event.tensor.name}{at}"
        self._seen(
            name, event.tensor, FILTERED, event.step, process, source=source, frames=event.frames, filter=event.filter
        )

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
        frames: tuple[Frame, ...] = (),
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
            frames=frames,
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
            roles = finding.roles
            if (number, finding.step) in born:  # which has operands and result, with their elements
                roles = {name: one for name, one in roles.items() if name.startswith(GRADIENT_OF)}
            if roles:
                self._roles(self._node("", finding.code, finding.path, finding.span.row), roles, finding.step)
        for site, observed in observed_of(self._record).items():
            if site not in claimed:
                for event in observed:
                    step = event.closest_step if event.bad_step is None else event.bad_step
                    self._roles(self._node("", site, "", 0), event.bad or event.roles, step)

    def _confirmed(self) -> None:
        """A confirmed finding that no birth and no alert tells of is an incident, too."""
        told = {incident.finding for _, incident in self._incidents}
        for number, finding in enumerate(self._findings):
            if finding.verdict != State.CONFIRMED.value or number in told:
                continue
            node = self._node("", finding.code, finding.path, finding.span.row)
            own = [(i, t.role == OUTPUT) for i, t in enumerate(self.tensors) if t.node == node]
            incident = Incident(
                kind=finding.verdict,
                title=f"{finding.code} {finding.told}: {finding.message}",
                process=0,
                step=finding.step,
                last_step=finding.step,
                node=node,
                inputs=tuple(i for i, output in own if not output),
                outputs=tuple(i for i, output in own if output),
                frames=(Frame(finding.path, finding.span.row, text=self._line(finding.path, finding.span.row)),),
                finding=number,
            )
            self._incidents.append(((finding.step, False, 0, 0), incident))

    def _line(self, path: str, row: int) -> str:
        lines = self.files[path].text.splitlines() if path in self.files else []
        return lines[row - 1].strip() if 0 < row <= len(lines) else ""

    def _roles(self, node: int, roles: Mapping[str, Health], step: int) -> None:
        for name, health in roles.items():
            role = OUTPUT if name == "result" else GRADIENT if name.startswith(GRADIENT_OF) else INPUT
            self._seen(f"{self.nodes[node].name}/{name}", Numbers(name, health), role, step, 0, node=node)


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
