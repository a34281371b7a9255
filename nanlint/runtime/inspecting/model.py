"""A run as its reader meets it: nodes, tensors, incidents, findings with their verdicts, and the timeline.

The page and the terminal are functions of it. ``building`` makes it of events. Nothing here prints.
"""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from nanlint.diagnostic import Diagnostic
from nanlint.disk import read_regular
from nanlint.output.diff import render_diff
from nanlint.runtime.events import Ended, Frame, Frames, Framework, Layer, Started, Step
from nanlint.runtime.health import Health
from nanlint.runtime.telling import KINDS, ended
from nanlint.runtime.verdicts import State, Verdict
from nanlint.source import Source, SourceError
from nanlint.source.edits import apply_edits


@dataclass(frozen=True)
class SourceFile:
    """The text of a file as it was when it ran; ``current``: as it is now, for the run did not keep it."""

    path: str
    text: str
    current: bool = False


@dataclass(frozen=True)
class Finding:
    """What the linter said of an expression of a file, its fix as a unified diff, and what the run said of it."""

    path: str
    of: Verdict
    diff: str

    @property
    def diagnostic(self) -> Diagnostic:
        """As the linter said it."""
        return self.of.diagnostic

    @property
    def site(self) -> str:
        """Its key in the events; empty if nothing of it can be watched."""
        return self.of.site.key if self.of.site else ""

    @property
    def verdict(self) -> str:
        """What the run said of it, in a word."""
        return str(self.of.state)

    @property
    def fix(self) -> str:
        """What the fix writes; empty without one."""
        fix = self.diagnostic.fix
        return (fix.display or fix.message) if fix else ""


def finding_of(verdict: Verdict, source: Source, path: str, shown: str) -> Finding:
    """A finding as it is shown; ``path`` is absolute, ``shown`` as the reader knows it."""
    fix = verdict.diagnostic.fix
    here = fix is not None and fix.edits and not fix.elsewhere
    return Finding(
        path, verdict, render_diff(shown, source.text, apply_edits(source, fix.edits)) if here and fix else ""
    )


def line_in(files: Mapping[str, SourceFile], path: str, row: int) -> str:
    """A line of a file, without what it is indented by; empty if it is not known."""
    lines = files[path].text.splitlines() if path in files else []
    return lines[row - 1].strip() if 0 < row <= len(lines) else ""


def read_current(path: str) -> SourceFile | None:
    """A file as it is now; None if it is not there or no text."""
    try:
        return SourceFile(path, Source.from_bytes(read_regular(path), path).text, current=True)
    except (OSError, SourceError, ValueError):
        return None


def told_of(verdict: Verdict) -> str:
    """What the run said of a finding, in full."""
    others = ", others not watched" if verdict.unwatched else ""
    times = f"{verdict.executions:,} execution{'' if verdict.executions == 1 else 's'}{others}"
    if verdict.state is State.CONFIRMED:
        what = " and ".join(KINDS.get(kind, kind) for kind in verdict.kinds) or "a non-finite value"
        return f"{what} at step {verdict.step} ({times})"
    if verdict.state is State.DIED:
        return f"{' and '.join(KINDS[kind] for kind in verdict.kinds)} at step {verdict.step}; {ended(verdict.death)}"
    if verdict.state is State.NOT_CLEARED:
        return f"nothing broke here in {times}, but {verdict.alert}"
    if verdict.state is State.NOT_WATCHED:
        return "may have run in code that this watch mode does not observe"
    if verdict.state is State.NOT_REACHED:
        return "was never executed"
    if verdict.closest is None:
        return times
    operand = verdict.site.operand if verdict.site else "the operand"
    return f"{operand} came within {verdict.closest:.3g} of the singular point, at step {verdict.step} ({times})"


#: what a tensor was to the op that it is shown with
INPUT, OUTPUT, GRADIENT, FILTERED, RETAINED = "input", "output", "gradient", "filtered", "retained"


@dataclass(frozen=True)
class Node:
    """An op at a place (or a flagged expression), and the nodes that its inputs come from, where that is known."""

    name: str
    framework: str
    op: str
    path: str
    line: int
    backward: bool = False
    inputs: tuple[int, ...] = ()


@dataclass(frozen=True)
class Seen:
    """A tensor that was seen: its name, breakdown, and the first of its elements as text.

    ``node``: whose input or output it is. ``source``: which node it came out of. Both are indices into ``Run.nodes``.
    Where counts or shape are not known: ``finite`` elements of which no more is known, ``suspect`` if it holds some
    non-finite value, ``form`` for dtype and shape, ``remark`` for the breakdown.
    """

    name: str
    label: str
    role: str
    health: Health
    step: int
    process: int
    values: tuple[str, ...] = ()
    node: int | None = None
    source: int | None = None
    filter: str = ""
    finite: int = 0
    suspect: bool = False
    form: str = ""
    remark: str = ""

    @property
    def bad(self) -> bool:
        """Whether it holds a nan or inf."""
        return self.suspect or bool(self.health.bad)

    @property
    def typed(self) -> str:
        """Its dtype and shape."""
        shape = "×".join(map(str, self.health.shape)) or "scalar"
        return self.form or f"{self.health.dtype} {shape}".strip()

    @property
    def breakdown(self) -> str:
        """Its six-way breakdown in words; one of which only the least and the greatest element are known was finite."""
        finite = not self.health.size and self.health.low is not None
        return self.remark or ("all finite" if finite else str(self.health))


@dataclass(frozen=True)
class Incident:
    """What is listed first: a birth, an alert, or a finding that was confirmed where nothing else tells of it.

    ``kind`` is "birth", "died" (a birth that did not arrive), "confirmed", or that of the alert.
    """

    kind: str
    title: str
    process: int
    step: int
    kinds: tuple[str, ...] = ()
    op: str = ""
    framework: str = ""
    backward: bool = False
    compiled: str = ""
    count: int = 1
    last_step: int = 0
    node: int | None = None
    inputs: tuple[int, ...] = ()
    outputs: tuple[int, ...] = ()
    frames: Frames = ()
    forward: Frames = ()
    note: str = ""
    details: Mapping[str, str] = field(default_factory=dict)
    finding: int | None = None

    @property
    def blamed(self) -> Frame | None:
        """The user's line that is to blame: that of the forward op, where a backward op gave birth."""
        return next(iter((self.forward if self.backward else ()) or self.frames), None)


@dataclass(frozen=True)
class Member:
    """One process of the run, with its timeline: steps, the traces that they refer to, and the nodes of its ops.

    ``layers``: of a model, each with what it was in the last sampled steps.
    """

    started: Started
    ended: Ended | None
    frameworks: tuple[Framework, ...]
    steps: tuple[Step, ...]
    traces: Mapping[int, tuple[int, ...]]
    nodes: Mapping[int, int]
    damaged: int
    layers: Mapping[str, tuple[tuple[int, Layer], ...]] = field(default_factory=dict)

    @property
    def label(self) -> str:
        """Which one it is, among several."""
        return f"rank {self.started.rank}, {self.started.host} pid {self.started.pid}"

    @property
    def last_words(self) -> str:
        """How it ended."""
        if self.ended is None:
            return "did not end: it was killed or is still running"
        if self.ended.error:
            message = self.ended.message.strip().splitlines()
            return f"ended with {self.ended.error}" + (f": {message[0]}" if message else "")
        return "ended normally"


@dataclass(frozen=True)
class Run:
    """All of a run. ``origin``: where it was read from. ``verdict``: what is to be said of it before all else."""

    origin: str
    members: tuple[Member, ...]
    nodes: tuple[Node, ...]
    tensors: tuple[Seen, ...]
    incidents: tuple[Incident, ...]
    findings: tuple[Finding, ...]
    files: Mapping[str, SourceFile]
    notes: tuple[str, ...] = ()
    verdict: str = ""

    @property
    def first_bad(self) -> int | None:
        """Index of the incident where it all began."""
        return next((i for i, one in enumerate(self.incidents) if one.kind in ("birth", "confirmed")), None)

    def who(self, process: int) -> str:
        """A process by its rank; by its number where several have the same."""
        started = self.members[process].started
        ranks = [member.started.rank for member in self.members]
        return f"rank {started.rank}" if ranks.count(started.rank) == 1 else f"pid {started.pid}"

    @property
    def command(self) -> str:
        """What was run, as one would type it."""
        return shlex.join(self.members[0].started.command)

    def shown(self, path: str) -> str:
        """A path as the reader knows it: relative to where the program was started, if it is below."""
        return shown_path(path, self.members[0].started.directory)

    def of_node(self, node: int) -> Iterator[int]:
        """The tensors that were seen at a node."""
        return (i for i, tensor in enumerate(self.tensors) if tensor.node == node)

    def consumers(self, node: int) -> list[int]:
        """The nodes that take what a node gives, as far as that is known."""
        fed = {i for i, other in enumerate(self.nodes) if node in other.inputs}
        fed |= {t.node for t in self.tensors if t.source == node and t.role == INPUT and t.node is not None}
        return sorted(fed)

    def producers(self, node: int) -> list[int]:
        """The nodes that a node takes from, as far as that is known."""
        found = dict.fromkeys(self.nodes[node].inputs)
        found |= dict.fromkeys(
            t.source for t in self.tensors if t.node == node and t.role == INPUT and t.source is not None
        )
        return [one for one in found if one is not None]


def shown_path(path: str, directory: str) -> str:
    """A path relative to a directory, if it is below."""
    inside = path.startswith(os.path.join(directory, ""))
    return os.path.relpath(path, directory) if inside else path
